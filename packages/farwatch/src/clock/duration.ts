import { CodedError } from "../error/coded-error.ts";

/** A number and one unit: milliseconds, seconds, minutes or hours; `"90s"`, `"1.5h"`. */
export type DurationString = `${number}${"ms" | "s" | "m" | "h"}`;

/** A span of time: a DurationString, or a number of milliseconds. */
export type Duration = DurationString | number;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const pattern = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/**
 * The duration in milliseconds.
 *
 * @throws CodedError `InvalidDuration` when it is negative, not finite, or has no known unit.
 */
export function toMs(duration: Duration): number {
  const ms = typeof duration === "number" ? duration : parse(duration);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new CodedError(
    "InvalidDuration",
    `Cannot read duration ${typeof duration === "string" ? JSON.stringify(duration) : String(duration)}: use a number of milliseconds, or a number with ms, s, m or h, such as "30s"`,
  );
}

function parse(text: string): number {
  const [, amount, unit] = pattern.exec(text) ?? [];
  const factor = unit === undefined ? undefined : unitMs[unit];
  return amount === undefined || factor === undefined ? Number.NaN : Number(amount) * factor;
}
