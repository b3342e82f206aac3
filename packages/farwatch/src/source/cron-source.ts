import { type Instant, instantOf } from "../clock/instant.ts";
import { CodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { answerWithin } from "../flow/answer-within.ts";
import { parseCronPattern } from "./cron-pattern.ts";
import { checkBounds, checkChoices, checkFunctions } from "./refuse-source.ts";
import type { Source, SourceContext } from "./source.ts";
import { checkOptions, declaredBy } from "./source-options.ts";

/** What a cron source's events carry. */
export interface CronRun {
  /** The time that the pattern names. */
  readonly at: Instant;
  /** It was told more than a minute after that. */
  readonly missed: boolean;
}

export interface CronSourceOptions {
  /**
   * Five fields (minute, hour, day, month, weekday), six with seconds before them, seven with years behind; or `@daily`
   * and its like.
   */
  readonly pattern: string;
  /** IANA name; default `UTC`. */
  readonly timeZone?: string;
  /** What becomes of runs that passed and were not told; default `skip`. */
  readonly missed?: "skip" | "once" | "all";
  /** Of more missed runs than this only the latest are told, with a warning; default 100, as for a CronJob. */
  readonly missedLimit?: number;
  /**
   * Asked at each opening: the last run that was worked on, from where the program keeps that, such as a status. Later
   * runs are missed then; undefined: it has never run, and none is.
   */
  readonly since?: (ctx: SourceContext) => Instant | undefined | Promise<Instant | undefined>;
  /** Default: `cron <pattern>`. */
  readonly name?: string;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean;
}

/**
 * The resolution of cron: what is less than this late is on time, and a clock that is set back by less does not repeat
 * runs.
 */
const minuteMs = 60_000;
/** Until `since` has answered no run is told, and nothing else would say so. */
const sinceMs = 30_000;
/** The wall clock is looked at again at least this often, so that a step of it, or a suspended machine, is noticed. */
const longestSleepMs = 30_000;

/**
 * An event at each time that a cron pattern names in its time zone. Where the clocks change, `30 2 * * *` comes once a
 * day, and patterns with wildcards go on with real time (Vixie cron's rule).
 *
 * A run is missed when it was not told within a minute: the process hung, the wall clock was set across it, or the
 * source was closed. The last run that counts as told is what `since` answers or, when that is later, the last that
 * this process told; without either nothing before the first opening counts. So it is `since` that finds what was
 * missed before this process started or while another replica led: a CronJob's `status.lastScheduleTime` plays that
 * part. `missed` decides: `skip` goes on with the next run; `once` tells the latest missed one, as a CronJob does;
 * `all` tells each, oldest first, up to `missedLimit`. A wall clock that is set back names times again: a run is
 * repeated when it was set back by a minute or more.
 *
 * Under `skip` and `once` a run replaces the one before that still waits; `skip` delivers at most once, since a run
 * that waits when the lead is lost is dropped; the others at least once, and such runs stay with this process. Under
 * `all` the source tells no more while `maxUnacknowledged` runs are not worked on, and makes up for them afterwards.
 *
 * @throws CodedError `InvalidOption` for a pattern, time zone, limit, `missed` or `since` that is none. What `since` rejects with fails
 * the source, as a Date that is no time does, and 30 s without an answer.
 * @example
 * watch(
 *   cronSource({ pattern: "30 2 * * *", timeZone: "Europe/Berlin", missed: "once", since: lastBackup }),
 *   enqueueAll(Backup),
 * )
 */
export function cronSource(options: CronSourceOptions): Source<CronRun> {
  checkOptions("cron", options);
  const { missed = "skip", missedLimit = 100, since } = options;
  const pattern = parseCronPattern(options.pattern, options.timeZone ?? "UTC");
  const declared = declaredBy(options, `cron ${options.pattern}`);
  const { name } = declared;
  checkChoices(name, { missed: { given: missed, of: ["skip", "once", "all"] } });
  checkBounds(name, { missedLimit });
  checkFunctions(name, { since });
  /** Runs up to here were told, here or elsewhere, or are not to be. Kept from opening to opening. */
  let toldMs: number | undefined;

  /** The runs to tell of those that have passed until now. */
  const due = (fromMs: number, nowMs: number, { log }: SourceContext): readonly number[] => {
    if (missed !== "all") {
      const latest = pattern.passed(fromMs, nowMs, 1);
      return missed === "once" ? latest : latest.filter((at) => nowMs - at < minuteMs);
    }
    const passed = pattern.passed(fromMs, nowMs, missedLimit + 1);
    if (passed.length <= missedLimit) return passed;
    log.warn("Too many runs were missed, only the latest are told", { since: instantOf(fromMs), missedLimit });
    return passed.slice(1);
  };

  async function* events(ctx: SourceContext): AsyncGenerator<GenericEvent<CronRun>, void, undefined> {
    const { clock, signal } = ctx;
    let answered: number | undefined;
    try {
      const how = { clock, signal, withinMs: sinceMs, of: "since" };
      const last = since && (await answerWithin((asking) => since({ ...ctx, signal: asking }), how));
      answered = last?.getTime();
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    // Kept, it would be what every later answer is compared with.
    if (Number.isNaN(answered)) throw noTime(options.pattern);
    if (since !== undefined) ctx.health.serving();
    if (answered !== undefined) toldMs = Math.max(answered, toldMs ?? answered);
    while (!signal.aborted) {
      const nowMs = clock.now().getTime();
      const fromMs: number = toldMs === undefined || toldMs - nowMs >= minuteMs ? nowMs : toldMs;
      for (const at of due(fromMs, nowMs, ctx)) {
        toldMs = at;
        const run: CronRun = { at: instantOf(at), missed: nowMs - at >= minuteMs };
        yield { type: "generic", object: run, occurredAt: run.at };
        if (signal.aborted) return;
      }
      toldMs = Math.max(fromMs, nowMs);
      const next = pattern.next(toldMs) ?? Number.POSITIVE_INFINITY;
      // Who reads may have taken its time.
      const leftMs = Math.max(0, next - clock.now().getTime());
      try {
        await clock.sleep(Math.min(leftMs, longestSleepMs), signal);
      } catch (reason) {
        if (signal.aborted) return;
        throw reason;
      }
    }
  }

  return {
    ...declared,
    delivery: missed === "skip" ? "atMostOnce" : "atLeastOnce",
    durability: "process",
    overflow: missed === "all" ? "wait" : { coalesce: () => "run" },
    restates: missed === "skip",
    connects: since !== undefined,
    events,
  };
}

function noTime(pattern: string): CodedError {
  return new CodedError(
    "InvalidOption",
    `Cannot tell the missed runs of ${JSON.stringify(pattern)}: since answered a Date that is no time, give that of the last run, or undefined where there was none`,
  );
}
