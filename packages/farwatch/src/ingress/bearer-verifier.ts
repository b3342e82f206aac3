import type { IngressRequest } from "./ingress.ts";
import type { Verified, Verifier, VerifierContext } from "./verifier.ts";

/**
 * A verifier by the token of `Authorization: Bearer …` (RFC 6750, 2.1); never one of the query or the body. Whoever
 * sends none is nobody. `verify`: as that of a verifier.
 */
export function bearerVerifier(
  verify: (token: string, ctx: VerifierContext) => Promise<Verified | undefined>,
): Verifier {
  return {
    covers: "request",
    challenge: "Bearer",
    async verify(request, ctx) {
      const token = bearerTokenOf(request);
      return token === undefined ? undefined : await verify(token, ctx);
    },
  };
}

function bearerTokenOf({ headers }: IngressRequest): string | undefined {
  return /^bearer +([\w.~+/-]+=*)$/i.exec(headers.get("authorization") ?? "")?.[1];
}
