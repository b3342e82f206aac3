import type { IngressRequest } from "./ingress.ts";

/** The token of `Authorization: Bearer …` (RFC 6750, 2.1); undefined when there is none. Never one of the query or the body. */
export function bearerTokenOf({ headers }: IngressRequest): string | undefined {
  return /^bearer +([\w.~+/-]+=*)$/i.exec(headers.get("authorization") ?? "")?.[1];
}
