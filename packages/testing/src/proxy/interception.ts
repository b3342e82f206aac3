import type { Duration } from "farwatch";

/** A request as the proxy received it. */
export interface RecordedRequest {
  readonly method: string;
  /** Without the query: `/api/v1/namespaces`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names; `authorization` is left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** When its headers had arrived, in milliseconds of `systemClock.elapsed()`. */
  readonly at: number;
  readonly protocol: "h2" | "http/1.1";
  /** Requests of one client connection have the same number. */
  readonly connection: number;
  /** As text, once it has arrived. */
  readonly body: string;
  /** What it was answered, once it was. */
  readonly status: number | undefined;
  /** `open` until the last byte of the answer; `broken` when either end gave up before. */
  readonly outcome: "open" | "answered" | "broken";
}

/** Which requests an interception is for; every given part must match. */
export interface ProxyMatcher {
  readonly method?: string | readonly string[];
  /** The whole path, or a pattern. */
  readonly path?: string | RegExp;
  readonly query?: Readonly<Record<string, string>>;
  /** The token of an `authorization: Bearer` header, which records do not show. */
  readonly bearer?: string;
  readonly when?: (request: RecordedRequest) => boolean;
}

export type ProxyAction =
  /** Answers in the server's place. Default body: a Status of that code. */
  | {
      readonly type: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Forwards it only after the time, or once the promise has resolved. */
  | { readonly type: "hold"; readonly until: Duration | Promise<unknown> }
  /** Resets the connection that it came on, with everything else on it. */
  | { readonly type: "cut" }
  /** Neither forwards nor answers it, and keeps its connection open. */
  | { readonly type: "ignore" };

export interface Interception {
  readonly matcher: ProxyMatcher;
  readonly action: ProxyAction;
  /** Requests that it still applies to. */
  left: number;
}

export function matchesRequest(
  matcher: ProxyMatcher,
  request: RecordedRequest,
  authorization: string | undefined,
): boolean {
  const { method, path, query, bearer, when } = matcher;
  if (
    method !== undefined &&
    !(typeof method === "string" ? method === request.method : method.includes(request.method))
  )
    return false;
  if (typeof path === "string" && path !== request.path) return false;
  if (path instanceof RegExp && !path.test(request.path)) return false;
  if (!Object.entries(query ?? {}).every(([name, value]) => request.query.get(name) === value)) return false;
  if (bearer !== undefined && authorization !== `Bearer ${bearer}`) return false;
  return when === undefined || when(request);
}

const reasons: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** The body that an API server sends with a refusal. */
export function statusBody(code: number): string {
  const reason = reasons[code] ?? "";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    message: `proxy: ${reason || code}`,
    reason,
    code,
  });
}
