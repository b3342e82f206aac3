import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import type { Instant } from "../clock/instant.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { checkFlags, refuseSource } from "./refuse-source.ts";
import type { Context, Source } from "./source.ts";
import { checkOptions, declaredBy } from "./source-options.ts";

/** What a ticker's events carry. */
export interface Tick {
  /** The time on the wall clock at which it ticked. */
  readonly at: Instant;
}

export interface TickerSourceOptions {
  /** Start to start: how long the work takes does not shift later ticks. */
  readonly every: Duration;
  /**
   * Each tick comes up to this part of the interval late, at random; in [0, 1); default 0. The grid itself does not
   * move.
   */
  readonly jitter?: number;
  /** Ticks once when it is opened, too. */
  readonly immediate?: boolean;
  /** Default: `ticker-<every>`. */
  readonly name?: string;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean;
}

/**
 * Ticks at start + n · every, without drift, where start is when it was opened. A tick that comes while the one before
 * still waits for a watch replaces it, counted in `farwatch_source_coalesced_events_total`: however slow the work, one
 * tick waits at the most. Nothing ticks while the source is closed, and ticks are not made up for.
 *
 * @throws CodedError `InvalidDuration`, `InvalidOption`.
 * @example
 * watch(tickerSource({ every: "10m" }), enqueueAll(StorageBucket, { spread: "10m" }))
 */
export function tickerSource(options: TickerSourceOptions): Source<Tick> {
  checkOptions("ticker", options);
  const { every, jitter = 0, immediate = false } = options;
  const everyMs = givenMs(every, { doing: "make source ticker", what: "every" });
  const declared = declaredBy(options, `ticker-${typeof every === "number" ? `${every}ms` : every}`);
  checkFlags(declared.name, { immediate });
  if (!(typeof jitter === "number" && jitter >= 0 && jitter < 1))
    refuseSource(declared.name, "jitter is none, give a part of the interval, from 0 to below 1");
  return {
    ...declared,
    delivery: "atMostOnce",
    durability: "process",
    overflow: { coalesce: () => "tick" },
    restates: true,
    async *events({ clock, signal }: Context): AsyncGenerator<GenericEvent<Tick>, void, undefined> {
      const ticks = clock.ticks(every, signal);
      if (immediate) yield { type: "generic", object: { at: clock.now() } };
      for await (const at of ticks) {
        if (jitter === 0) {
          yield { type: "generic", object: { at } };
          continue;
        }
        try {
          await clock.sleep(clock.random() * jitter * everyMs, signal);
        } catch (reason) {
          if (signal.aborted) return;
          throw reason;
        }
        yield { type: "generic", object: { at: clock.now() } };
      }
    },
  };
}
