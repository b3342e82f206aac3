import {
  createMetrics,
  type Duration,
  type LogFields,
  type Logger,
  type Metrics,
  type Source,
  systemClock,
} from "farwatch";
import { createScriptedHub, type Received, type SourceState } from "farwatch/doubles";
import { eventually } from "../eventually.ts";

/** A source that is open in real time, as a manager has it. Disposal gives back what waits, and closes it. */
export interface OpenedSource<T> extends AsyncDisposable {
  /** The next event; rejects after 60 s without one, and when the signal aborts. */
  next(signal?: AbortSignal): Promise<Received<T>>;
  /** So many events, in the order in which they came. */
  take(count: number): Promise<readonly Received<T>[]>;
  readonly state: SourceState;
  readonly metrics: Metrics;
  /** What was logged from level warn. */
  readonly warnings: readonly { readonly message: string; readonly fields: LogFields }[];
  /** Resolves when it fails. */
  failing(): Promise<SourceState>;
}

/** `acknowledgeGrace`: how long closing waits for events that the test has not settled; default 200 ms. */
export function openSource<T>(
  source: Source<T>,
  { acknowledgeGrace = "200ms" }: { readonly acknowledgeGrace?: Duration } = {},
): OpenedSource<T> {
  const metrics = createMetrics();
  const warnings: { readonly message: string; readonly fields: LogFields }[] = [];
  const logger = (bound: LogFields): Logger => {
    const warn = (message: string, fields: LogFields = {}): void => {
      warnings.push({ message, fields: { ...bound, ...fields } });
    };
    return { debug() {}, info() {}, warn, error: warn, child: (fields) => logger({ ...bound, ...fields }) };
  };
  // A manager gives a stream 5 s to close; a machine that is busy with other suites is slower than what is tested here.
  const hub = createScriptedHub({ clock: systemClock, metrics, log: logger({}), acknowledgeGrace, closeGrace: "20s" });
  const watch = hub.subscribe(source, { name: "test" });
  const controller = new AbortController();
  const closed = hub.open("leader", controller.signal);
  const stateNow = (): SourceState => {
    const [state] = hub.states;
    if (state === undefined) throw new Error("the source is closed");
    return state;
  };
  const next = async (signal?: AbortSignal): Promise<Received<T>> => {
    using overdue = systemClock.timeout("60s", signal);
    const received = await watch.receive(overdue);
    if (received === undefined) throw new Error("the source is closed");
    return received;
  };
  return {
    next,
    async take(count): Promise<readonly Received<T>[]> {
      const all: Received<T>[] = [];
      while (all.length < count) all.push(await next());
      return all;
    },
    get state() {
      return stateNow();
    },
    metrics,
    warnings,
    failing: () => eventually("the source fails", () => stateNow().phase === "failing" && stateNow()),
    async [Symbol.asyncDispose](): Promise<void> {
      controller.abort(new Error("this replica leads no more"));
      await closed;
      await watch[Symbol.asyncDispose]();
    },
  };
}

/** Works on what comes until each of these came; others may come again, since the broker may not know that they are done. */
export async function workOn(source: OpenedSource<number>, numbers: readonly number[]): Promise<void> {
  for (const missing = new Set(numbers); missing.size > 0; ) {
    const { event, hold } = await source.next();
    hold.done();
    missing.delete(event.object);
  }
}
