import { createRequire } from "node:module";
import { type Instant, instantOf } from "../clock/instant.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { checkText } from "../error/given-text.ts";

/** The times that a cron pattern names in its time zone; all in milliseconds since the Unix epoch, whole seconds. */
export interface CronPattern {
  /** The first time later than this; undefined when no more comes. */
  next(afterMs: number): number | undefined;
  /** The times in (afterMs, untilMs], oldest first; of more than `most` the latest. */
  passed(afterMs: number, untilMs: number, most: number): readonly number[];
}

const give =
  "five fields (minute, hour, day, month, weekday), six with seconds before them, seven with years behind, or @daily and its like";

/**
 * Loads croner when called. Where the clocks change it keeps to Vixie cron: a pattern that names its times
 * (`30 2 * * *`, `0 2,14 * * *`) has each of them once a day, the first of two, and the first moment after the gap for
 * one that does not exist; a pattern with a wildcard or a step in seconds, minutes or hours goes on through both, as
 * time does.
 *
 * @throws CodedError `InvalidOption` for a text that is no pattern or names no time, and for a time zone that is none.
 */
export function parseCronPattern(text: string, timeZone: string): CronPattern {
  const { Cron } = createRequire(import.meta.url)("croner") as typeof import("croner");
  const refuse = (what: string, cause?: unknown): CodedError =>
    new CodedError("InvalidOption", `Cannot read cron pattern ${JSON.stringify(text)}: ${what}`, { cause });
  checkText(text, { doing: "make source cron", what: "pattern", give });
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch (cause) {
    throw refuse(
      `timeZone is ${JSON.stringify(timeZone)}, no time zone, give an IANA name such as "Europe/Berlin"`,
      cause,
    );
  }
  let cron: InstanceType<typeof Cron>;
  let first: Instant | null;
  try {
    cron = new Cron(text, { timezone: timeZone, fixedTimeRule: "no-wildcard" });
    first = cron.nextRun(instantOf(0));
  } catch (cause) {
    throw refuse(`${saidOf(cause)}; give ${give}`, cause);
  }
  if (cron.getOnce() !== null) throw refuse(`it is a single time, give ${give}`);
  if (first === null) throw refuse(`it names no time, such as the 30th of February, give ${give}`);

  const next = (afterMs: number): number | undefined => cron.nextRun(instantOf(afterMs))?.getTime();
  return {
    next,
    passed(afterMs, untilMs, most): readonly number[] {
      const found: number[] = [];
      for (let at = next(afterMs); at !== undefined && at <= untilMs; at = next(at)) {
        // From here on it is shorter to come from the other end.
        if (found.length === most) {
          const latest = cron.previousRuns(most, instantOf(untilMs + 1));
          return latest.map((each) => each.getTime()).reverse();
        }
        found.push(at);
      }
      return found;
    },
  };
}

/** What croner says, without the name of its class and the stop at the end. */
function saidOf(error: unknown): string {
  const said = messageOf(error).replace(/^\w+: /, "");
  return `${said.charAt(0).toLowerCase()}${said.slice(1).replace(/\.$/, "")}`;
}
