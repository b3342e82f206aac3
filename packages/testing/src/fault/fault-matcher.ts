import type { TransportRequest } from "farwatch";

/** Which requests a fault is for; every given part must match, and a matcher without parts is for all. */
export interface FaultMatcher {
  readonly method?: string | readonly string[];
  /** As in the URL, with its port when it has one: `127.0.0.1:8080`. */
  readonly host?: string | RegExp;
  /** The whole path without the query, or a pattern. */
  readonly path?: string | RegExp;
  readonly query?: Readonly<Record<string, string>>;
  readonly when?: (request: TransportRequest) => boolean;
}

export function matchesFault(matcher: FaultMatcher, request: TransportRequest): boolean {
  const { method, query, when } = matcher;
  const { host, pathname, searchParams } = new URL(request.url);
  if (method !== undefined && ![method].flat().includes(request.method)) return false;
  if (!matchesText(matcher.host, host) || !matchesText(matcher.path, pathname)) return false;
  if (!Object.entries(query ?? {}).every(([name, value]) => searchParams.get(name) === value)) return false;
  return when === undefined || when(request);
}

function matchesText(wanted: string | RegExp | undefined, text: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === "string" ? wanted === text : text.search(wanted) !== -1;
}
