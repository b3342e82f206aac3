/**
 * Every code that an exported function of this package throws. The list is closed: callers may switch on it, and
 * docs/errors.md says for each what to do.
 */
export type ErrorCode =
  | "AlreadyExists"
  | "AlreadyStarted"
  | "BadRequest"
  | "BodyTooLarge"
  | "CacheNotSynced"
  | "ChannelClosed"
  | "Conflict"
  | "ConnectionFailed"
  | "CredentialFailed"
  | "DuplicateName"
  | "Expired"
  | "FileFailed"
  | "Forbidden"
  | "Gone"
  | "HandlerTimeout"
  | "IngressFull"
  | "Internal"
  | "Invalid"
  | "InvalidConfig"
  | "InvalidDuration"
  | "InvalidOption"
  | "InvalidResource"
  | "InvalidSchema"
  | "InvalidSelector"
  | "LeadershipLost"
  | "MissingDependency"
  | "MissingVersion"
  | "NotCached"
  | "NotFound"
  | "NotLeader"
  | "ProtocolError"
  | "ReconcileTimeout"
  | "RetryAfter"
  | "ServerUnavailable"
  | "ShutdownTimeout"
  | "SourceEnded"
  | "SourceNotOpen"
  | "Terminal"
  | "Timeout"
  | "TooManyRequests"
  | "Unauthorized"
  | "UnknownKind"
  | "UnsupportedMediaType"
  | "WatchSilent";

/** Shared by every copy of this package in a process, so that an error of one copy is recognised by another. */
const codedErrorBrand: symbol = Symbol.for("farwatch.CodedError");

/**
 * An error with a stable code. The message reads "Cannot <do> <what>: <state now>" and names the object and what to do;
 * branch on `code`, never on the message. `cause` is set when the error wraps another.
 */
export class CodedError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : options);
    this.name = new.target.name;
    this.code = code;
    Object.defineProperty(this, codedErrorBrand, { value: true });
  }
}

/** True for a CodedError of any copy of this package; with `code`, only for that code. */
export function isCodedError(error: unknown, code?: ErrorCode): error is CodedError {
  if (typeof error !== "object" || error === null || !(codedErrorBrand in error)) return false;
  return code === undefined || (error as CodedError).code === code;
}

/**
 * The message of anything that was thrown, for logs and wrapping texts; of several errors in one without a text, as for
 * a name with several addresses, the messages of all. Never throws.
 */
export function messageOf(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return String(thrown);
    if (!(thrown instanceof AggregateError) || thrown.message !== "") return thrown.message;
    return thrown.errors.map((one) => (one instanceof Error ? one.message : String(one))).join(", ");
  } catch {
    // An object without a prototype has no text; a getter or a Proxy may throw.
    return "something that cannot be read";
  }
}
