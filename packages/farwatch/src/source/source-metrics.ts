import type { Labels, Metrics } from "../observe/metrics.ts";

/** What is counted of sources, kept when a source is no more; names are an API. */
export interface SourceMetrics {
  /** Begins what every source has at 0: from a counter that is absent until its first count no rate shows that one. */
  known(source: string): void;
  event(source: string): void;
  dropped(source: string, watch: string): void;
  coalesced(source: string, watch: string): void;
  failed(source: string): void;
  unsettled(source: string): void;
  deadLetter(source: string): void;
  released(source: string): void;
  polled(source: string): void;
  pollFailed(source: string): void;
}

export function createSourceMetrics(metrics: Metrics): SourceMetrics {
  const ofSource = ["source"];
  const ofWatch = ["source", "watch"];
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    metrics.counter({ name: `farwatch_source_${name}`, help, labelNames });

  const events = counter("events_total", "Events that a source yielded.", ofSource);
  const drops = counter("dropped_events_total", "Events dropped because the buffer of a watch was full.", ofWatch);
  const merges = counter("coalesced_events_total", "Events that became one with an event that waited.", ofWatch);
  const failures = counter("failures_total", "Times that a source threw, or ended though it should not.", ofSource);
  const unsettled = counter("acknowledgement_errors_total", "Acknowledgements that failed.", ofSource);
  const deadLetters = counter("dead_letters_total", "Messages of a broker that had no way through.", ofSource);
  const releases = counter("released_messages_total", "Messages held as long as their broker allows.", ofSource);
  const polls = counter("polls_total", "Polls that were begun.", ofSource);
  const failedPolls = counter("failed_polls_total", "Polls that failed, were refused or took too long.", ofSource);

  /** Of the source that was heard of last, in most cases the only one: known again by itself at each event. */
  let heard: Labels = Object.freeze({ source: "" });

  return {
    known(source): void {
      events.add({ source }, 0);
      failures.add({ source }, 0);
    },
    event(source): void {
      if (heard.source !== source) heard = Object.freeze({ source });
      events.add(heard);
    },
    dropped: (source, watch) => drops.add({ source, watch }),
    coalesced: (source, watch) => merges.add({ source, watch }),
    failed: (source) => failures.add({ source }),
    unsettled: (source) => unsettled.add({ source }),
    deadLetter: (source) => deadLetters.add({ source }),
    released: (source) => releases.add({ source }),
    polled: (source) => polls.add({ source }),
    pollFailed: (source) => failedPolls.add({ source }),
  };
}
