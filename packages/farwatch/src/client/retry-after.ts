import { type Instant, parseHttpDate } from "../clock/instant.ts";

/**
 * The milliseconds that a `Retry-After` header asks to wait: seconds, or an HTTP date (RFC 9110, 10.2.3). Undefined for
 * anything else.
 */
export function parseRetryAfter(header: string | undefined, now: Instant): number | undefined {
  const text = header?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = parseHttpDate(text);
  return at === undefined ? undefined : Math.max(0, at.getTime() - now.getTime());
}
