import type { Metrics } from "../observe/metrics.ts";
import { groupResource } from "../resource/resource.ts";
import type { Selection } from "./selection.ts";

/** What one informer counts. Names are client-go's where it has them. */
export interface InformerMetrics {
  listed(): void;
  watched(): void;
  changed(type: string): void;
  /** After each chunk of a watch and each list. */
  reached(now: { readonly objects: number; readonly synced: boolean }): void;
  /** Attempts that failed in a row. */
  failing(attempts: number): void;
  stopped(): void;
}

const labelNames: readonly string[] = ["resource", "selector"];

export function informerMetrics(metrics: Metrics, selection: Selection): InformerMetrics {
  const labels = { resource: groupResource(selection.resource), selector: selection.text };
  const lists = metrics.counter({
    name: "reflector_lists_total",
    help: "Lists begun, the first one included.",
    labelNames,
  });
  const watches = metrics.counter({ name: "reflector_watches_total", help: "Watches opened.", labelNames });
  const changes = metrics.counter({
    name: "farwatch_informer_events_total",
    help: "Changes that the server told of, by type.",
    labelNames: [...labelNames, "type"],
  });
  const objects = metrics.gauge({ name: "farwatch_informer_objects", help: "Objects held.", labelNames });
  const synced = metrics.gauge({ name: "farwatch_informer_synced", help: "1 once a whole list was seen.", labelNames });
  const failures = metrics.gauge({
    name: "farwatch_informer_failed_attempts",
    help: "Attempts to list or watch that failed in a row; 0 while a watch is open.",
    labelNames,
  });
  /** Counted here and handed on by the chunk: looking labels up costs more than a change does. */
  const pending = new Map<string, number>();
  synced.set(0, labels);
  let last: { readonly objects: number; readonly synced: boolean } | undefined;
  return {
    listed: () => lists.add(labels),
    watched(): void {
      watches.add(labels);
      failures.set(0, labels);
    },
    changed(type): void {
      pending.set(type, (pending.get(type) ?? 0) + 1);
    },
    reached(now): void {
      for (const [type, count] of pending) changes.add({ ...labels, type }, count);
      pending.clear();
      // Most chunks are one change of an object that is held already.
      if (last?.objects === now.objects && last.synced === now.synced) return;
      last = now;
      objects.set(now.objects, labels);
      synced.set(now.synced ? 1 : 0, labels);
    },
    failing: (attempts) => failures.set(attempts, labels),
    stopped(): void {
      last = undefined;
      for (const gauge of [objects, synced, failures]) gauge.remove(labels);
    },
  };
}
