import type { Duration } from "../clock/duration.ts";

/** TLS of the ingress; PEM text or bytes. */
export interface IngressTls {
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
  /** Whose certificates of senders count. With it every sender is asked for one; only `mutualTls` wants it. */
  readonly clientCa?: string | Uint8Array | undefined;
}

/** Where webhooks come in, and what nobody may exceed. */
export interface IngressOptions {
  /** Default 0.0.0.0. */
  readonly host?: string | undefined;
  /** 0: a free one. */
  readonly port: number;
  /**
   * Default: plain HTTP, for a proxy in the same pod. A function is asked again every minute, so that renewed
   * certificates are taken up; it has 30 s.
   */
  readonly tls?: IngressTls | (() => IngressTls | Promise<IngressTls>) | undefined;
  /**
   * Connections at once; beyond it those that ask nothing more are closed, then one of the address that has the most, or
   * the newcomer; default 256.
   */
  readonly maxConnections?: number | undefined;
  /** Requests at once; further ones are answered with 503; default 256. */
  readonly maxRequests?: number | undefined;
  /** Memory for all bodies that are held at once, at most twice their bytes; beyond it requests are answered with 503; default 64 MiB. */
  readonly maxHeldBytes?: number | undefined;
  /** The header of a request; larger ones are answered with 431; default 16 KiB. */
  readonly maxHeaderBytes?: number | undefined;
  /** How long a sender may take for the headers; default 5 s. */
  readonly headersTimeout?: Duration | undefined;
  /** How long a sender may take for the whole request; default 10 s. */
  readonly requestTimeout?: Duration | undefined;
  /** How long an answer may take; then it is 503; default 10 s, after which GitHub has given up. */
  readonly answerTimeout?: Duration | undefined;
}
