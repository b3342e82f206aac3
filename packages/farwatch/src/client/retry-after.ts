import { type Instant, parseTime } from "../clock/instant.ts";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const httpDate = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/;

/** The milliseconds that a `Retry-After` header asks to wait: seconds, or an HTTP date (RFC 9110, 10.2.3). Undefined for anything else. */
export function parseRetryAfter(header: string | undefined, now: Instant): number | undefined {
  const text = header?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const [, day, month = "", year, time] = httpDate.exec(text) ?? [];
  const monthNumber = months.indexOf(month) + 1;
  if (monthNumber === 0) return undefined;
  const at = parseTime(`${year}-${String(monthNumber).padStart(2, "0")}-${day}T${time}Z`);
  return at === undefined ? undefined : Math.max(0, at.getTime() - now.getTime());
}
