import { createHmac } from "node:crypto";
import type { Manager } from "farwatch";

export const githubSecret = "It's a Secret to Everybody";

export interface SendOptions {
  /** Default `/github`. */
  readonly path?: `/${string}` | undefined;
  /** Default: `githubSecret`. */
  readonly secret?: string;
  readonly signal?: AbortSignal;
}

/** Sends a body to an ingress as GitHub does. */
export function sendAsGithub(
  address: Manager["ingressAddress"],
  body: string,
  options: SendOptions = {},
): Promise<Response> {
  const { host = "", port = 0 } = address ?? {};
  const { path = "/github", secret = githubSecret, signal = null } = options;
  return fetch(`http://${host}:${port}${path}`, {
    method: "POST",
    body,
    signal,
    headers: {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
  });
}
