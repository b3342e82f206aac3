import { createHmac } from "node:crypto";
import type { Manager } from "farwatch";

export const githubSecret = "It's a Secret to Everybody";

/** Sends a body to an ingress as GitHub does. */
export function sendAsGithub(
  address: Manager["ingressAddress"],
  body: string,
  { path = "/github", signal }: { readonly path?: `/${string}` | undefined; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const { host = "", port = 0 } = address ?? {};
  return fetch(`http://${host}:${port}${path}`, {
    method: "POST",
    body,
    signal: signal ?? null,
    headers: {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-hub-signature-256": `sha256=${createHmac("sha256", githubSecret).update(body).digest("hex")}`,
    },
  });
}
