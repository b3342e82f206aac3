import type { Duration } from "../clock/duration.ts";

/** TLS material and checks of one connection; PEM text or bytes. */
export interface TlsOptions {
  /** Certificate authorities that are trusted instead of the system's. */
  readonly ca?: string | Uint8Array | undefined;
  readonly cert?: string | Uint8Array | undefined;
  readonly key?: string | Uint8Array | undefined;
  /** Checked against the certificate, and sent as SNI, instead of the URL's host. */
  readonly serverName?: string | undefined;
  /** Skips every check of the peer's certificate; a kubeconfig may ask for it. */
  readonly insecureSkipVerify?: boolean | undefined;
}

/** An address that is about to be connected to. */
export interface ConnectAddress {
  readonly ip: string;
  readonly port: number;
  /** The name that was resolved to it, or the address itself. */
  readonly host: string;
  /** True for the request's proxy: the one address that the URL did not choose. */
  readonly proxy?: boolean | undefined;
}

/**
 * Asked about each address in the tick in which it is connected to, after name resolution; throws to refuse. An address
 * that is refused is passed over; when all are, the request rejects with what was thrown. With a proxy it is asked
 * about the proxy's address, and about a target that is itself an address; a target's name is resolved by the proxy,
 * out of sight. Connections are shared only by requests with the very same function.
 */
export type ConnectPolicy = (address: ConnectAddress) => void;

export interface TransportRequest {
  readonly method: string;
  /** Absolute http or https URL. */
  readonly url: string;
  /** Lower-case names; a list is sent as one header line an element, which a comma cannot stand for everywhere. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | undefined;
  /** Aborts the request or, once it is answered, the body. Both reject with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly tls?: TlsOptions | undefined;
  /** The URL of an HTTP proxy, `http://[user:password@]host:port`; https targets are tunnelled with CONNECT. */
  readonly proxy?: string | undefined;
  readonly connectPolicy?: ConnectPolicy | undefined;
  /** `http/2` where the server offers it over TLS (default), or HTTP/1.1 always. */
  readonly protocol?: "auto" | "http/1.1" | undefined;
  /** A long-lived stream, such as a watch: it does not count as in flight once its headers have arrived. */
  readonly streaming?: boolean | undefined;
  /**
   * Called in the same tick in which the request is handed to the socket, after every queue and wait; a throw refuses
   * the request, which then rejects with what was thrown. The write fence stands here.
   */
  readonly beforeWrite?: (() => void) | undefined;
  /** Refuses an answer whose header block is larger, with `ProtocolError`; default 32 KiB. */
  readonly maxHeaderBytes?: number | undefined;
  /** A pooled connection is closed when unused this long; default 60 s; 0 closes it after the answer. */
  readonly keepAlive?: Duration | undefined;
}

/**
 * Milliseconds that each phase took. Those of setting up the connection are given with its first answer; on a pooled
 * connection they did not happen, and are absent.
 */
export interface TransportTimings {
  /** Looking up the name. */
  readonly resolve?: number;
  /** TCP, and the tunnel of a proxy. */
  readonly connect?: number;
  readonly tls?: number;
  /** From the write of the request to the headers of the answer. */
  readonly firstByte: number;
}

export interface PeerCertificate {
  readonly subject: string;
  readonly issuer: string;
  /** Epoch milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly fingerprint256: string;
}

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; values of a repeated header are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's bytes as they come, not decompressed. Leaving the loop early, or aborting, frees the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly timings: TransportTimings;
  readonly peerCertificate?: PeerCertificate | undefined;
}

/**
 * Every byte that this package sends or receives as a client goes through this port: real sockets in production, a
 * script or an in-process server in tests.
 *
 * `request` resolves with the headers and rejects with the signal's reason, with what `beforeWrite` or the connect
 * policy threw, or with a `TransportError` that says in which phase it failed.
 */
export interface Transport extends AsyncDisposable {
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Requests that have not been answered to the end of their body; a streaming one is none after its headers. */
  readonly inFlight: number;
}
