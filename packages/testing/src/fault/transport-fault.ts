import type { Duration, TransportRequest } from "farwatch";

/** How the body of an answer ends too early. */
export interface BodyEnd {
  /**
   * `closed`: as if it were complete; `truncated`: the same, in the middle of what came next; `cut`: the connection is
   * reset; `stalled`: nothing comes any more, and the connection stays open.
   */
  readonly kind: "closed" | "truncated" | "cut" | "stalled";
  /** Time from the answer's headers; default: at once. */
  readonly after?: Duration;
  /** Bytes that still pass, instead of a time. */
  readonly afterBytes?: number;
}

/** What stands in the server's place. */
export interface StandInAnswer {
  readonly kind: "status";
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes or text as they are, what a function makes of the request, anything else as JSON; default: none. */
  readonly body?: unknown;
  /** Seconds of a Retry-After header. */
  readonly retryAfter?: number;
}

/** Makes the body of a stand-in answer. */
export type StandInBody = (request: TransportRequest) => unknown;

/** A network that carries its bytes late. */
export interface SlowExchange {
  readonly kind: "slow";
  readonly by: Duration;
  /**
   * `answer` (default): the server has acted by then. `request`: it is sent in time, and reaches the server that much
   * later.
   */
  readonly on?: "request" | "answer";
}

/**
 * What a network, or something that stands before a server, can do to a request, in the words that farwatch's real
 * transport has for it. Times are the clock's.
 */
export type TransportFault =
  /** The name has no address. */
  | { readonly kind: "dnsFailure" }
  /** Nobody listens there. */
  | { readonly kind: "refused" }
  /** The handshake fails; default code: `CERT_HAS_EXPIRED`. */
  | { readonly kind: "tlsFailure"; readonly systemCode?: string }
  /**
   * The connection is reset once the request is sent; the server has seen nothing of it, which the client cannot know.
   */
  | { readonly kind: "reset" }
  /** The server has acted on the request, and the connection is reset before the answer. */
  | { readonly kind: "lostResponse" }
  /** The request is swallowed and the connection stays open: it ends when its signal aborts. */
  | { readonly kind: "silent" }
  | SlowExchange
  | StandInAnswer
  | BodyEnd;

const kinds: ReadonlySet<string> = new Set<TransportFault["kind"]>([
  "dnsFailure",
  "refused",
  "tlsFailure",
  "reset",
  "lostResponse",
  "silent",
  "slow",
  "status",
  "closed",
  "truncated",
  "cut",
  "stalled",
]);

/** Tells a fault of the network from one that only a certain server can have. */
export function isTransportFault(fault: { readonly kind: string }): fault is TransportFault {
  return kinds.has(fault.kind);
}
