import { CodedError, messageOf } from "../error/coded-error.ts";
import { printable } from "../observe/plain-text.ts";
import { TransportError, type TransportPhase } from "./transport-error.ts";

export interface FailureContext {
  readonly phase: TransportPhase;
  /** `host:port` of the target. */
  readonly name: string;
  readonly method?: string;
  /** `host:port` of the proxy on the way. */
  readonly proxy?: string | undefined;
  readonly sent: boolean;
}

const longestDetail = 300;

/** Wraps what a socket, TLS, DNS or HTTP threw; what is one of ours already stays as it is. */
export function transportError(context: FailureContext, cause: unknown): Error {
  if (cause instanceof CodedError) return cause;
  const systemCode = systemCodeOf(cause);
  // An alert of the peer, such as "certificate required", may come after the handshake is over on our side.
  const phase = systemCode?.startsWith("ERR_SSL_") && context.phase !== "body" ? "tls" : context.phase;
  // Certificates and status lines are the peer's text.
  const detail = printable(messageOf(cause)).slice(0, longestDetail);
  const text = systemCode === undefined || detail.includes(systemCode) ? detail : `${detail} (${systemCode})`;
  return new TransportError(`Cannot ${doing({ ...context, phase })}: ${text}`, {
    phase,
    systemCode,
    sent: context.sent,
    cause: withoutPacket(cause),
  });
}

function doing({ phase, name, proxy, method }: FailureContext): string {
  const via = proxy === undefined ? "" : ` through the proxy ${proxy}`;
  switch (phase) {
    case "resolve":
      return `resolve the host of ${proxy === undefined ? name : `the proxy ${proxy}`}`;
    case "connect":
      return proxy === undefined ? `connect to ${name}` : `connect to the proxy ${proxy} of ${name}`;
    case "tls":
      return `set up TLS with ${name}${via}`;
    case "proxy":
      return `reach ${name}${via}`;
    case "request":
      return `send ${method ?? "a request"} to ${name}${via}`;
    case "response":
      return `get an answer to ${method ?? "a request"} from ${name}${via}`;
    case "body":
      return `read the answer to ${method ?? "a request"} from ${name}${via} to its end`;
  }
}

export function systemCodeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/** Node's parser errors carry the bytes of the answer, which may hold secrets and would be logged with the error. */
function withoutPacket(cause: unknown): unknown {
  if (cause instanceof Error) Reflect.deleteProperty(cause, "rawPacket");
  return cause;
}

/** What a connection that ended without an error of its own is reported as. */
export function connectionCut(text: string): Error {
  return Object.assign(new Error(text), { code: "ECONNRESET" });
}

export function headersTooLarge(name: string, maxHeaderBytes: number): CodedError {
  return new CodedError(
    "ProtocolError",
    `Cannot read the answer of ${name}: its headers are larger than ${maxHeaderBytes} bytes`,
  );
}
