import { createHash } from "node:crypto";
import { type Duration, toMs } from "../clock/duration.ts";
import { isSigned, readSignature } from "./signature.ts";
import type { Verifier } from "./verifier.ts";
import { createSecretReader, type WebhookSecret } from "./webhook-secret.ts";

export interface StripeSignatureOptions {
  readonly secret: WebhookSecret;
  /** Default `stripe-signature`. */
  readonly header?: string;
  /** How far the time that was signed may lie from now, before or after; default 5 min. */
  readonly tolerance?: Duration;
}

/** A header of hundreds of signatures would cost as many comparisons for each secret. */
const mostSignatures = 16;

/**
 * The signature of Stripe and of senders that do the same: `t=<seconds>,v1=<hex>,…`, where v1 is the HMAC-SHA-256 of
 * `<t>.<body>` (docs.stripe.com/webhooks/signature). Any v1 may match, since Stripe signs with the old and the new
 * secret while they are exchanged; v0 and other schemes are ignored. What was signed longer ago than the tolerance is
 * refused; equal bodies are one delivery.
 *
 * @throws CodedError `InvalidDuration`; `InvalidOption` for a secret that is neither a function nor a reference.
 */
export function stripeSignature(options: StripeSignatureOptions): Verifier {
  const header = (options.header ?? "stripe-signature").toLowerCase();
  const toleranceMs = toMs(options.tolerance ?? "5m");
  const secrets = createSecretReader(options.secret);
  return {
    covers: "body",
    challenge: "Signature",
    credentialHeaders: [header],
    async verify(request, ctx) {
      const parts = (request.headers.get(header) ?? "").split(",").map((part) => part.trim().split("=", 2));
      const [at, ...others] = parts.flatMap(([key, value = ""]) => (key === "t" ? [value] : []));
      const signatures = parts.flatMap(([key, value = ""]) => (key === "v1" ? (readSignature(value) ?? []) : []));
      if (at === undefined || others.length > 0 || !/^\d{1,12}$/.test(at)) return undefined;
      if (signatures.length === 0 || signatures.length > mostSignatures) return undefined;
      const signed = [`${at}.`, await request.body()];
      if (!(await isSigned({ signed, signatures }, secrets, ctx))) return undefined;
      // Looked at last: how a forged time is answered says nothing of our clock.
      const ageMs = Math.abs(ctx.clock.now().getTime() - Number(at) * 1_000);
      return ageMs <= toleranceMs ? { identity: "signed" } : undefined;
    },
    duplicateKey: (_request, body): string => createHash("sha256").update(body).digest("base64url"),
  };
}
