import { CodedError, type ErrorCode } from "../error/coded-error.ts";
import { plainText } from "../observe/plain-text.ts";
import type { Status } from "../wire/object.ts";
import type { ApiCall } from "./api-path.ts";
import { bodyText } from "./server-text.ts";

/** One reason of a refusal, such as one invalid field. */
export interface StatusCause {
  /** The path of the field, `spec.bucket`; empty when the cause is about none. */
  readonly field: string;
  /** `FieldValueInvalid`, `FieldManagerConflict`, … */
  readonly reason: string;
  readonly message: string;
}

/**
 * The API server, or something in front of it, refused a request. `code` is that of the Status' reason or, without one,
 * of the HTTP status. The text quotes the server, except about Secrets, whose values it might repeat.
 */
export class StatusError extends CodedError {
  readonly httpStatus: number;
  /** The reason of the metav1.Status; undefined when the answer was none. */
  readonly reason: string | undefined;
  /**
   * True when the API server itself says that there is no such object; a 404 of a proxy, or for a path that is not
   * served, is none.
   */
  readonly missing: boolean;
  readonly causes: readonly StatusCause[];
  /** When the server wants to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details: {
      readonly httpStatus: number;
      readonly reason?: string | undefined;
      readonly missing?: boolean;
      readonly causes?: readonly StatusCause[];
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(code, message, details.cause === undefined ? undefined : { cause: details.cause });
    this.httpStatus = details.httpStatus;
    this.reason = details.reason;
    this.missing = details.missing ?? false;
    this.causes = details.causes ?? [];
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** What is known of a refused request. */
export interface Refusal {
  /** `list storagebuckets in namespace a`: what could not be done. */
  readonly doing: string;
  /** Default: the code in `status`. */
  readonly httpStatus?: number | undefined;
  /** The answer, when it is a metav1.Status: a body, or the object of an ERROR event in a watch. */
  readonly status?: Status | undefined;
  /** The answer, when it is not. */
  readonly body?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly call?: ApiCall | undefined;
}

const codeByReason: Readonly<Record<string, ErrorCode>> = {
  AlreadyExists: "AlreadyExists",
  BadRequest: "BadRequest",
  Conflict: "Conflict",
  Expired: "Expired",
  Forbidden: "Forbidden",
  Gone: "Gone",
  InternalError: "Internal",
  Invalid: "Invalid",
  NotFound: "NotFound",
  ServerTimeout: "Timeout",
  ServiceUnavailable: "ServerUnavailable",
  Timeout: "Timeout",
  TooManyRequests: "TooManyRequests",
  Unauthorized: "Unauthorized",
  UnsupportedMediaType: "UnsupportedMediaType",
};

const codeByHttpStatus: Readonly<Record<number, ErrorCode>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  408: "Timeout",
  409: "Conflict",
  410: "Gone",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  502: "ServerUnavailable",
  503: "ServerUnavailable",
  504: "Timeout",
};

function codeOf(reason: string | undefined, httpStatus: number): ErrorCode {
  const byReason = reason === undefined || !Object.hasOwn(codeByReason, reason) ? undefined : codeByReason[reason];
  if (byReason !== undefined) return byReason;
  if (httpStatus < 400) return "ProtocolError";
  return codeByHttpStatus[httpStatus] ?? (httpStatus < 500 ? "BadRequest" : "Internal");
}

/** The error for a refused request. */
export function statusError(refusal: Refusal): StatusError {
  const { status } = refusal;
  const httpStatus = refusal.httpStatus ?? status?.code ?? 500;
  const reason = typeof status?.reason === "string" && status.reason !== "" ? plainText(status.reason) : undefined;
  const code = codeOf(reason, httpStatus);
  const withheld = mayQuoteSecrets(refusal);
  const causes = causesOf(status, withheld);
  const retryAfterMs = refusal.retryAfterMs ?? secondsToMs(status?.details?.retryAfterSeconds);
  const said = withheld ? withheldText(httpStatus, reason, causes) : saidText(refusal, httpStatus);
  const missing = code === "NotFound" && namesObject(status);
  const message = `Cannot ${refusal.doing}: ${said}${advice(refusal, { code, missing, retryAfterMs, withheld })}`;
  return new StatusError(code, message, { httpStatus, reason, missing, causes, retryAfterMs });
}

/** For a path that it does not serve, kube-apiserver answers no Status at all, or one with empty details. */
function namesObject(status: Status | undefined): boolean {
  return status !== undefined && (status.details === undefined || typeof status.details.name === "string");
}

/** Told by the request's own name of it: the server's words are withheld. */
function isMissingNamespace(status: Status | undefined, call: ApiCall | undefined): boolean {
  const { kind, name } = status?.details ?? {};
  return status?.reason === "NotFound" && kind === "namespaces" && name !== undefined && name === call?.namespace;
}

function secondsToMs(seconds: unknown): number | undefined {
  return typeof seconds === "number" && seconds > 0 ? seconds * 1_000 : undefined;
}

const reads: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/**
 * A refusal of a Secret or of a token may repeat what was sent: "Invalid value: …", or a webhook's own words. A read
 * sends nothing.
 */
function mayQuoteSecrets({ status, call }: Refusal): boolean {
  if (call !== undefined && reads.has(call.verb)) return false;
  const kind = status?.details?.kind;
  if (kind === "Secret" || kind === "secrets") return true;
  if (call?.group !== "") return false;
  return call.resource.split("/")[0] === "secrets" || call.resource === "serviceaccounts/token";
}

function causesOf(status: Status | undefined, withheld: boolean): readonly StatusCause[] {
  const causes = status?.details?.causes;
  if (!Array.isArray(causes)) return [];
  return causes.slice(0, 100).map(({ field = "", reason = "", message = "" }) => ({
    field: plainText(String(field)),
    reason: plainText(String(reason)),
    message: withheld ? "" : plainText(String(message)),
  }));
}

function withheldText(httpStatus: number, reason: string | undefined, causes: readonly StatusCause[]): string {
  const fields = causes.map(({ field }) => field).filter((field) => field !== "");
  const where = fields.length === 0 ? "" : `, about ${plainText(fields.join(", "))}`;
  return `HTTP ${httpStatus}${reason === undefined ? "" : ` ${reason}`}${where} (the server's words are withheld, they may quote the Secret)`;
}

function saidText({ status, body }: Refusal, httpStatus: number): string {
  const message = typeof status?.message === "string" ? plainText(status.message) : "";
  if (message !== "") return message;
  if (status !== undefined) return `HTTP ${httpStatus}, and the server gives no reason`;
  const text = bodyText(body ?? "");
  return text === undefined ? `HTTP ${httpStatus} with an empty body` : `HTTP ${httpStatus}: ${text}`;
}

function advice(
  { status, call }: Refusal,
  known: {
    readonly code: ErrorCode;
    readonly missing: boolean;
    readonly retryAfterMs: number | undefined;
    readonly withheld: boolean;
  },
): string {
  const { code, missing, retryAfterMs, withheld } = known;
  if (code === "Forbidden" && typeof status?.message === "string") {
    const rule = ruleFor(status.message, call, withheld);
    if (rule !== undefined) return `; to allow it, add ${rule}`;
  }
  if (code === "NotFound" && !missing)
    return "; does the server have this API: is the CRD installed, is the server's URL right?";
  if (code === "ProtocolError") return "; an API server answers no redirect, is the server's URL right?";
  if (withheld && isMissingNamespace(status, call)) return `; there is no namespace ${quote(call?.namespace ?? "")}`;
  if (retryAfterMs !== undefined) return `; try again after ${retryAfterMs / 1_000} s`;
  return "";
}

/**
 * Only the authorizer says "cannot"; an admission plugin or a quota forbids in words of its own, and no rule would
 * help.
 */
function ruleFor(message: string, call: ApiCall | undefined, withheld: boolean): string | undefined {
  const path = /\bcannot ([a-z]+) path "([^"]+)"/.exec(message);
  if (path?.[1] !== undefined && path[2] !== undefined) {
    return `{ nonResourceURLs: [${quote(path[2])}], verbs: [${quote(path[1])}] } to a ClusterRole of this user`;
  }
  const said = /\bcannot ([a-z]+) resource "([^"]+)" in API group "([^"]*)"/.exec(message);
  if (said === null) return undefined;
  const [verb = "", resource = "", group = ""] = withheld ? [call?.verb, call?.resource, call?.group] : said.slice(1);
  const where =
    call?.namespace === undefined
      ? "a ClusterRole of this user"
      : `a Role of this user in namespace ${quote(call.namespace)}`;
  return `{ apiGroups: [${quote(group)}], resources: [${quote(resource)}], verbs: [${quote(verb)}] } to ${where}`;
}

function quote(text: string): string {
  return JSON.stringify(plainText(text));
}
