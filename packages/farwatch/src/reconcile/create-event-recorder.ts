import type { Client } from "../client/client.ts";
import type { Clock } from "../clock/clock.ts";
import { formatMicroTime } from "../clock/instant.ts";
import { createChannel } from "../flow/channel.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { Event } from "../resource/kind/event.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import type { EventNote, EventRecorder } from "./event-recorder.ts";

/** Repeats within this time of the last one belong to one Event, as in client-go. */
const seriesMs = 600_000;
/** The count of a series is written no more often than this. */
const flushMs = 60_000;
/** Bytes of a note and characters of reason and action that the server takes. */
const noteBytes = 1_024;
const wordLength = 128;
/** Events that may wait to be written; beyond it they are dropped and counted: they are a courtesy, not a record. */
const capacity = 1_000;

export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** `reportingController`: a qualified name such as `farwatch.dev/storagebucket`. */
  readonly controller: string;
  /** `reportingInstance`: the pod, or the host. */
  readonly instance: string;
}

/** A recorder and the loop that writes what it was told. */
export interface RunningEventRecorder extends EventRecorder {
  /** Writes Events until the signal aborts and what was recorded by then is out. */
  run(signal: AbortSignal): Promise<void>;
}

/** One Event on the server and what has happened since it was written. */
interface Series {
  readonly object: KubeObject;
  readonly note: EventNote;
  readonly firstAt: string;
  /** As the server gave it; undefined until it is written. */
  written: KubeObject | undefined;
  count: number;
  writtenCount: number;
  lastAt: string;
  lastMs: number;
  flushedMs: number;
  timer: Disposable | undefined;
}

/** Records Events as events.k8s.io/v1 with series (KEP-383). */
export function createEventRecorder(options: EventRecorderOptions): RunningEventRecorder {
  const { client, clock, log, metrics } = options;
  const dropped = metrics.counter({
    name: "farwatch_events_dropped_total",
    help: "Kubernetes Events that were not written: too many at once, or refused by the server.",
    labelNames: ["reason"],
  });
  const pending = createChannel<Series>({ capacity });
  const known = new Map<string, Series>();

  const schedule = (series: Series, key: string, afterMs: number): void => {
    series.timer ??= clock.schedule(
      afterMs,
      () => {
        series.timer = undefined;
        if (series.count > series.writtenCount) submit(series);
        const idleMs = clock.elapsed() - series.lastMs;
        if (idleMs >= seriesMs) known.delete(key);
        else schedule(series, key, seriesMs - idleMs);
      },
      { unref: true },
    );
  };

  const submit = (series: Series): void => {
    if (pending.closed || !pending.trySend(series)) dropped.add({ reason: "full" });
  };

  const write = async (series: Series): Promise<void> => {
    const { object, note, count } = series;
    if (count === series.writtenCount) return;
    if (series.written === undefined) {
      const { name, namespace = "default", uid, resourceVersion } = object.metadata;
      series.written = await client.create(Event, {
        metadata: { namespace, name: `${name.slice(0, 200)}.${crypto.randomUUID().slice(0, 13)}` },
        eventTime: series.firstAt,
        type: note.type,
        reason: note.reason.slice(0, wordLength),
        action: note.action.slice(0, wordLength),
        note: cutToBytes(note.note, noteBytes),
        regarding: { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid, resourceVersion },
        reportingController: options.controller,
        reportingInstance: options.instance.slice(0, wordLength),
      });
    } else {
      series.written = await client.patch(
        series.written,
        { series: { count, lastObservedTime: series.lastAt } } as object,
        { unconditional: true },
      );
    }
    series.writtenCount = count;
    series.flushedMs = clock.elapsed();
  };

  return {
    record(object, note): void {
      const key = [object.metadata.uid, note.type, note.reason, note.action, note.note].join("\n");
      const nowMs = clock.elapsed();
      const at = formatMicroTime(clock.now());
      const series = known.get(key);
      if (series === undefined || nowMs - series.lastMs >= seriesMs) {
        series?.timer?.[Symbol.dispose]();
        const first: Series = {
          object,
          note,
          firstAt: at,
          written: undefined,
          count: 1,
          writtenCount: 0,
          lastAt: at,
          lastMs: nowMs,
          flushedMs: nowMs,
          timer: undefined,
        };
        known.set(key, first);
        submit(first);
        schedule(first, key, seriesMs);
        return;
      }
      series.count += 1;
      series.lastAt = at;
      series.lastMs = nowMs;
      series.timer?.[Symbol.dispose]();
      series.timer = undefined;
      schedule(series, key, Math.max(0, series.flushedMs + flushMs - nowMs));
    },
    async run(signal): Promise<void> {
      const close = (): void => {
        for (const series of known.values()) {
          series.timer?.[Symbol.dispose]();
          if (series.count > series.writtenCount) submit(series);
        }
        known.clear();
        pending.close();
      };
      if (signal.aborted) close();
      else signal.addEventListener("abort", close, { once: true });
      for await (const series of pending) {
        try {
          await write(series);
        } catch (error) {
          dropped.add({ reason: "refused" });
          log.warn("Cannot write Event", {
            object: formatKey(series.object.metadata),
            reason: series.note.reason,
            error,
          });
        }
      }
    },
  };
}

function cutToBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  // Three bytes for the ellipsis; a character cut in half decodes to U+FFFD, which goes.
  return `${bytes
    .subarray(0, most - 3)
    .toString("utf8")
    .replace(/\uFFFD+$/, "")}…`;
}
