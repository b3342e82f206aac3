import type { Client } from "../client/client.ts";
import type { Clock } from "../clock/clock.ts";
import { formatMicroTime } from "../clock/instant.ts";
import { CodedError } from "../error/coded-error.ts";
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
/** How long the last Events may take after the stop: who waits for them has a Lease to give up. */
const stopMs = 5_000;
/** What the server takes of a note, and of reason and action. */
const noteBytes = 1_024;
const wordBytes = 128;
/** Events that may wait to be written; beyond it they are dropped and counted: they are a courtesy, not a record. */
const capacity = 1_000;
/** Series that repeats are looked for in, as in client-go; beyond it the oldest is closed. */
const mostSeries = 4_096;

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
  /**
   * Writes Events until the signal aborts and what was recorded by then is out, or 5 s later: what is left is counted.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** One Event on the server and what has happened since it was written. */
interface Series {
  /** No more of the object than the server is told: it may be large, and a newer state may have taken its place. */
  readonly regarding: ReturnType<typeof referenceTo>;
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
    help: "Kubernetes Events that were not written: too many at once, refused by the server, or recorded after the stop.",
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
    if (!pending.trySend(series)) dropped.add({ reason: "full" });
  };

  /** No more repeats are counted in it; those that were are written. */
  const close = (series: Series, key: string): void => {
    series.timer?.[Symbol.dispose]();
    known.delete(key);
    if (series.count > series.writtenCount) submit(series);
  };

  const write = async (series: Series, signal: AbortSignal): Promise<void> => {
    const { regarding, note, count } = series;
    if (count === series.writtenCount) return;
    if (series.written === undefined) {
      series.written = await client.create(
        Event,
        {
          metadata: {
            namespace: regarding.namespace ?? "default",
            name: nameOfEvent(regarding.name, clock),
          },
          eventTime: series.firstAt,
          type: note.type,
          reason: note.reason,
          action: note.action,
          note: note.note,
          regarding,
          reportingController: options.controller,
          reportingInstance: options.instance.slice(0, wordBytes),
        },
        { signal },
      );
    } else {
      series.written = await client.patch(
        series.written,
        { series: { count, lastObservedTime: series.lastAt } } as object,
        { unconditional: true, signal },
      );
    }
    series.writtenCount = count;
    series.flushedMs = clock.elapsed();
  };

  /** Counts a series that is not written any more, once: it may wait twice. */
  const leave = (series: Series): void => {
    if (series.count === series.writtenCount) return;
    series.writtenCount = series.count;
    dropped.add({ reason: "stopped" });
  };

  return {
    record(object, given): void {
      if (pending.closed) {
        dropped.add({ reason: "stopped" });
        return;
      }
      const note = cut(given);
      const key = [object.metadata.uid, note.type, note.reason, note.action, note.note].join("\n");
      const nowMs = clock.elapsed();
      const at = formatMicroTime(clock.now());
      const series = known.get(key);
      if (series === undefined || nowMs - series.lastMs >= seriesMs) {
        if (series !== undefined) close(series, key);
        const [oldest] = known.size < mostSeries ? [] : known;
        if (oldest !== undefined) close(oldest[1], oldest[0]);
        const first: Series = {
          regarding: referenceTo(object),
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
      const late = new AbortController();
      let timer: Disposable | undefined;
      const stop = (): void => {
        for (const [key, series] of known) close(series, key);
        pending.close();
        timer = clock.schedule(stopMs, () =>
          late.abort(new CodedError("Timeout", `Cannot write Event: the recorder stopped ${stopMs} ms ago`)),
        );
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      using _timer = { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
      for await (const series of pending) {
        if (late.signal.aborted) {
          leave(series);
          continue;
        }
        try {
          await write(series, late.signal);
        } catch (error) {
          if (late.signal.aborted) leave(series);
          else dropped.add({ reason: "refused" });
          log.warn("Cannot write Event", {
            object: formatKey(series.regarding),
            reason: series.note.reason,
            error,
          });
        }
      }
    },
  };
}

/** Without a namespace for what has none: that is how `kubectl describe` asks for the Events of such an object. */
function referenceTo({ apiVersion, kind, metadata }: KubeObject) {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), uid, resourceVersion };
}

function cut({ type, reason, action, note }: EventNote): EventNote {
  return {
    type,
    reason: cutToBytes(reason, wordBytes),
    action: cutToBytes(action, wordBytes),
    note: cutToBytes(note, noteBytes),
  };
}

const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/**
 * The object's name, so that a person finds the Event, where that makes a DNS subdomain: RBAC's names have colons, a
 * cut one may end in a dot.
 */
function nameOfEvent(objectName: string, clock: Clock): string {
  // In the form of a UUID, which the name is where the object's is no part of one; two Events of one object meet in
  // 2^24.
  const digits = (count: number): string =>
    Array.from({ length: count }, () => Math.floor(clock.random() * 16).toString(16)).join("");
  const unique = [8, 4, 4, 4, 12].map(digits).join("-");
  const begin = objectName.slice(0, 200).replace(/[-.]+$/, "");
  return subdomain.test(begin) ? `${begin}.${unique.slice(0, 13)}` : unique;
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
