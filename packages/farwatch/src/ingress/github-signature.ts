import { createHash } from "node:crypto";
import { isSigned, readSignature } from "./signature.ts";
import type { Verifier } from "./verifier.ts";
import { createSecretReader, type WebhookSecret } from "./webhook-secret.ts";

export interface GithubSignatureOptions {
  readonly secret: WebhookSecret;
  /** The header with `sha256=` and the signature; default `x-hub-signature-256`. */
  readonly header?: string;
  /** The header that names the event, part of what tells two deliveries apart; default `x-github-event`. */
  readonly eventHeader?: string;
}

/**
 * The signature of GitHub and of senders that do the same (Gitea, Forgejo, Bitbucket with its own header): HMAC-SHA-256
 * of the body in a header (docs.github.com, "Validating webhook deliveries").
 *
 * It covers the body and nothing else. So the delivery id and every other header may be anybody's, a delivery can be
 * sent again at any time by whoever has seen it, and there is no replay window; equal deliveries are told by the digest
 * of event name and body.
 *
 * @throws CodedError `InvalidOption` for a secret that is neither a function nor a reference.
 */
export function githubSignature(options: GithubSignatureOptions): Verifier {
  const header = (options.header ?? "x-hub-signature-256").toLowerCase();
  const eventHeader = (options.eventHeader ?? "x-github-event").toLowerCase();
  const secrets = createSecretReader(options.secret);
  return {
    covers: "body",
    challenge: "Signature",
    credentialHeaders: [header],
    async verify(request, ctx) {
      const text = request.headers.get(header);
      const signature = text?.startsWith("sha256=") ? readSignature(text.slice(7)) : undefined;
      if (signature === undefined) return undefined;
      const signed = [await request.body()];
      return (await isSigned({ signed, signatures: [signature] }, secrets, ctx)) ? { identity: "signed" } : undefined;
    },
    duplicateKey(request, body): string {
      const event = request.headers.get(eventHeader) ?? "";
      // The length keeps one event name from running into another body.
      return createHash("sha256").update(`${event.length} ${event} `).update(body).digest("base64url");
    },
  };
}
