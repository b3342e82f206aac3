import type { IngressAnswer } from "./ingress.ts";

/** Senders are asked to come again after this, unless somebody knows better. */
export const retryAfterMs = 5_000;

/**
 * Asks a sender to come again (RFC 9110, 10.2.3: in whole seconds): 429 for one that sends too much, 503 while nothing
 * can be taken.
 */
export function tryAgain(status: 429 | 503, afterMs: number = retryAfterMs): IngressAnswer {
  return { status, headers: { "retry-after": String(Math.max(1, Math.ceil(afterMs / 1_000))) } };
}
