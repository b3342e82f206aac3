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
  if (typeof duration === "number") {
    if (Number.isFinite(duration) && duration >= 0) return duration;
  } else {
    const [, amount, unit] = pattern.exec(duration) ?? [];
    const factor = unit === undefined ? undefined : unitMs[unit];
    if (amount !== undefined && factor !== undefined) return Number(amount) * factor;
  }
  throw new CodedError(
    "InvalidDuration",
    `Cannot read duration ${JSON.stringify(duration)}: use a number of milliseconds, or a number with ms, s, m or h, such as "30s"`,
  );
}
