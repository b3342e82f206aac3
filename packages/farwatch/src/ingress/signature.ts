import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { VerifierContext } from "./verifier.ts";
import type { SecretReader } from "./webhook-secret.ts";

/** SHA-256 in lower-case hexadecimal. */
const hexSha256 = /^[0-9a-f]{64}$/;

/** The bytes of a signature in hexadecimal; undefined when it is none. */
export function readSignature(text: string): Buffer | undefined {
  return hexSha256.test(text) ? Buffer.from(text, "hex") : undefined;
}

export interface SignedParts {
  readonly signed: readonly (string | Uint8Array)[];
  /** What the sender claims; each may be the right one. */
  readonly signatures: readonly Buffer[];
}

/**
 * True when one of the signatures is the HMAC-SHA-256 of the parts with one of the secrets. All are compared, in
 * constant time, so that nothing shows which it was. When none matches, the secrets are read once more, since they may
 * just have been exchanged.
 */
export async function isSigned(
  { signed, signatures }: SignedParts,
  secrets: SecretReader,
  ctx: VerifierContext,
): Promise<boolean> {
  const matches = (keys: readonly Buffer[]): boolean => {
    let found = false;
    for (const key of keys) {
      const hmac = createHmac("sha256", key);
      for (const part of signed) hmac.update(part);
      const expected = hmac.digest();
      for (const signature of signatures) {
        if (signature.length === expected.length && timingSafeEqual(signature, expected)) found = true;
      }
    }
    return found;
  };
  return matches(await secrets.read(ctx)) || matches(await secrets.read(ctx, { again: true }));
}
