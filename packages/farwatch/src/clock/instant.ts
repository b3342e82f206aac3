/** A point in time on the wall clock. */
export type Instant = Date;

/** The instant so many milliseconds after the Unix epoch. */
export function instantOf(epochMs: number): Instant {
  return new Date(epochMs);
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads an RFC 3339 time of any precision; undefined when the text is none. Digits past the millisecond are dropped.
 */
export function parseTime(text: string): Instant | undefined {
  const [, year, month, day] = rfc3339.exec(text) ?? [];
  if (day === undefined) return undefined;
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return undefined;
  // Date turns the 30th of February into the 2nd of March.
  return Number(day) <= 28 || Number(day) <= lastDayOf(Number(year), Number(month)) ? at : undefined;
}

function lastDayOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** RFC 3339 in UTC with whole seconds, the form of metav1.Time: `2030-01-01T00:00:00Z`. */
export function formatTime(at: Instant): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

/** RFC 3339 in UTC with exactly six fraction digits, the only form that metav1.MicroTime is read in. */
export function formatMicroTime(at: Instant): string {
  return `${at.toISOString().slice(0, 23)}000Z`;
}

/**
 * Reads the date of an HTTP header (RFC 9110 IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`); undefined when it is none.
 */
export function parseHttpDate(text: string): Instant | undefined {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
