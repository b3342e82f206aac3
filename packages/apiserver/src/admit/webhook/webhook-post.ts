import type { Clock, Transport } from "farwatch";
import { CodedError, messageOf, TransportError } from "farwatch";

/** One request to a webhook. */
export interface WebhookCall {
  /** With its query. */
  readonly url: string;
  /** JSON. */
  readonly body: string;
  /** PEM of the authorities that are trusted; absent: the system's. */
  readonly ca?: string | undefined;
  /** Checked against the certificate instead of the URL's host. */
  readonly serverName?: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/**
 * Sends a request to a webhook. Rejects with a WebhookFailure when there is no answer, with the signal's reason when
 * that aborts.
 */
export type WebhookPost = (call: WebhookCall) => Promise<WebhookAnswer>;

/**
 * A webhook could not be asked, or has answered nothing that makes sense: its failurePolicy decides what becomes of the
 * request.
 */
export class WebhookFailure extends Error {
  override readonly name = "WebhookFailure";
}

export interface WebhookPostOptions {
  /** Asked for when the first webhook is called. */
  readonly transport: () => Transport;
  readonly clock: Clock;
}

/** Webhooks over the sockets of farwatch's Transport. */
export function createWebhookPost({ transport, clock }: WebhookPostOptions): WebhookPost {
  return async ({ url, body, ca, serverName, timeoutMs, signal }): Promise<WebhookAnswer> => {
    using deadline = clock.timeout(timeoutMs, signal);
    try {
      const response = await transport().request({
        method: "POST",
        url,
        headers: {
          accept: "application/json, */*",
          "content-type": "application/json",
          "user-agent": "kube-apiserver-admission",
        },
        body,
        signal: deadline,
        tls: { ca, serverName },
      });
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      return {
        status: response.status,
        contentType: response.headers["content-type"] ?? "",
        text: Buffer.concat(chunks).toString("utf8"),
      };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new WebhookFailure(`Post ${JSON.stringify(url)}: ${failureText(url, error)}`);
    }
  };
}

const untrusted: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** What Go's HTTP client says of it, where it is one of the usual failures. */
function failureText(url: string, error: unknown): string {
  if (error instanceof CodedError && error.code === "Timeout") return "context deadline exceeded";
  if (!(error instanceof TransportError)) return messageOf(error);
  const { hostname, port } = new URL(url);
  const code = error.systemCode ?? "";
  if (code === "ECONNREFUSED") return `dial tcp ${hostname}:${port || "443"}: connect: connection refused`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostname}: no such host`;
  if (untrusted.has(code)) return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
  }
  return code === "ECONNRESET" || error.phase === "response" ? "EOF" : error.message;
}
