import { CodedError } from "../error/coded-error.ts";
import type { GivenOption } from "../error/given-text.ts";
import { type Duration, toMs } from "./duration.ts";

export interface GivenDuration extends GivenOption {
  /** Default: 1 ms, since most that takes no time is done without end, or never. */
  readonly least?: Duration | undefined;
  /** Default: any. */
  readonly most?: Duration | undefined;
}

const give = 'a number of milliseconds, or a number with ms, s, m or h, such as "30s"';

/**
 * The milliseconds of an option that is a duration.
 *
 * @throws CodedError `InvalidDuration` for what is none, `InvalidOption` when it is missing, too short or too long; each
 *   names the option.
 */
export function givenMs(given: unknown, { doing, what, least = "1ms", most }: GivenDuration): number {
  if (given === undefined || given === null)
    throw new CodedError("InvalidOption", `Cannot ${doing}: ${what} is missing, give ${give}`);
  const ms = typeof given === "string" || typeof given === "number" ? readMs(given) : undefined;
  const shown = typeof given === "string" ? JSON.stringify(given) : typeof given === "number" ? String(given) : "none";
  if (ms === undefined) throw new CodedError("InvalidDuration", `Cannot ${doing}: ${what} is ${shown}, give ${give}`);
  if (ms < toMs(least))
    throw new CodedError("InvalidOption", `Cannot ${doing}: ${what} is ${shown}, give at least ${least}`);
  if (most !== undefined && ms > toMs(most))
    throw new CodedError("InvalidOption", `Cannot ${doing}: ${what} is ${shown}, give at most ${most}`);
  return ms;
}

function readMs(given: string | number): number | undefined {
  try {
    // What it is no duration for, it says itself.
    return toMs(given as Duration);
  } catch {
    return undefined;
  }
}
