import { CodedError } from "../error/coded-error.ts";

/** Where a request failed before it was answered. */
export type TransportPhase = "resolve" | "connect" | "tls" | "proxy" | "request" | "response" | "body";

/**
 * A request that got no answer. `systemCode` is Node's own (`ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`) where
 * there is one; `sent` is false when it is certain that the server saw nothing of the request, so that repeating it is
 * harmless.
 */
export class TransportError extends CodedError {
  readonly phase: TransportPhase;
  readonly systemCode: string | undefined;
  readonly sent: boolean;

  constructor(
    message: string,
    options: {
      readonly phase: TransportPhase;
      readonly systemCode?: string | undefined;
      readonly sent: boolean;
      readonly cause?: unknown;
    },
  ) {
    super("ConnectionFailed", message, { cause: options.cause });
    this.phase = options.phase;
    this.systemCode = options.systemCode;
    this.sent = options.sent;
  }
}
