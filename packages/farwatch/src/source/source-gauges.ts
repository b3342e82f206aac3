import type { Metrics } from "../observe/metrics.ts";
import { type SourceState, sourcePhases } from "./source-state.ts";
import type { WatchBuffer } from "./watch-buffer.ts";

/** The gauges of one source; their labels are its name and the names of its watches. */
export interface SourceGauges {
  /** Set at once; the others are when they are sampled. */
  failing(now: boolean): void;
  sample(state: SourceState, buffers: readonly Pick<WatchBuffer<unknown>, "watch" | "size">[]): void;
  /** Takes them away. */
  remove(): void;
}

export function createSourceGauges(metrics: Metrics, source: string): SourceGauges {
  const gauge = (name: string, help: string, labelNames: readonly string[] = ["source"]) =>
    metrics.gauge({ name: `farwatch_source_${name}`, help, labelNames });
  const labels = { source };
  const failing = gauge("failing", "1 while a source fails, else 0.");
  const held = gauge(
    "held",
    "1 while a source is not read since most of its events wait for failing requests, else 0.",
  );
  const unacknowledged = gauge("unacknowledged_events", "Events that are not acknowledged yet.");
  const kept = gauge("kept_events", "Events that were given back and wait in this process for the next opening.");
  const lag = gauge("lag_seconds", "How long before it was read the last event happened, by its origin's clock.");
  const last = gauge("last_event_timestamp_seconds", "When the last event was read, in seconds since 1970.");
  const buffered = gauge("buffered_events", "Events that wait in the buffer of a watch.", ["source", "watch"]);
  const phases = gauge("phase", "1 for the phase that a source is in, else 0.", ["source", "phase"]);
  /** The watches that `buffered` has values of. */
  let watches: ReadonlySet<string> = new Set();

  return {
    failing: (now) => failing.set(now ? 1 : 0, labels),
    sample({ phase, reason, lagMs, lastEventAt, ...state }, buffers): void {
      failing.set(phase === "failing" ? 1 : 0, labels);
      for (const one of sourcePhases) phases.set(one === phase ? 1 : 0, { source, phase: one });
      held.set(reason === undefined ? 0 : 1, labels);
      unacknowledged.set(state.unacknowledged, labels);
      kept.set(state.kept, labels);
      if (lagMs !== undefined) lag.set(lagMs / 1_000, labels);
      if (lastEventAt !== undefined) last.set(lastEventAt.getTime() / 1_000, labels);
      // A controller may watch a source twice.
      const depths = Map.groupBy(buffers, ({ watch }) => watch);
      for (const watch of watches) if (!depths.has(watch)) buffered.remove({ source, watch });
      for (const [watch, own] of depths) buffered.set(Math.max(...own.map(({ size }) => size)), { source, watch });
      watches = new Set(depths.keys());
    },
    remove(): void {
      for (const one of [failing, held, unacknowledged, kept, lag, last]) one.remove(labels);
      for (const watch of watches) buffered.remove({ source, watch });
      for (const phase of sourcePhases) phases.remove({ source, phase });
    },
  };
}
