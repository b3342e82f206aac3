import { createChannel } from "./channel.ts";

/** As much of an EventEmitter as is needed. */
export interface Emitter {
  on(type: string | symbol, listener: (...event: readonly unknown[]) => void): unknown;
  off(type: string | symbol, listener: (...event: readonly unknown[]) => void): unknown;
}

export interface EventsOfOptions {
  /** Ends the iteration, without error. */
  readonly signal: AbortSignal;
  /** Events that may wait to be read; of more the oldest go. Default 1,024. */
  readonly capacity?: number;
  /** Called for each event that goes so: an emitter cannot be made to wait. */
  readonly dropped?: () => void;
}

/**
 * The events of one type as they are dispatched, from this call on: of an EventEmitter the arguments of each, of an
 * EventTarget the Event. Beside it an EventEmitter's `error` is listened to: it ends the iteration and is what it
 * throws. Whoever leaves the iteration, or aborts its signal, leaves no listener behind. For one reader.
 *
 * @throws CodedError `InvalidOption` for a capacity that is none.
 * @example
 * for await (const [path] of eventsOf(watcher, "change", { signal })) await reload(path);
 */
export function eventsOf(
  target: Emitter,
  type: string | symbol,
  options: EventsOfOptions,
): AsyncIterable<readonly unknown[]>;
export function eventsOf(target: EventTarget, type: string, options: EventsOfOptions): AsyncIterable<Event>;
export function eventsOf(
  target: Emitter | EventTarget,
  type: string | symbol,
  { signal, capacity = 1_024, dropped = () => {} }: EventsOfOptions,
): AsyncIterable<unknown> {
  const waiting = createChannel<{ readonly event: unknown }>({ capacity, overflow: "dropOldest", onDrop: dropped });
  let failure: { readonly error: unknown } | undefined;

  const put = (event: unknown): void => {
    if (!waiting.closed) waiting.trySend({ event });
  };
  const putArguments = (...event: readonly unknown[]): void => put(event);
  const fail = (error: unknown): void => {
    failure ??= { error };
    stop();
  };
  const stop = (): void => {
    signal.removeEventListener("abort", stop);
    waiting.close();
    if (target instanceof EventTarget) {
      target.removeEventListener(String(type), put);
    } else {
      target.off(type, putArguments);
      if (type !== "error") target.off("error", fail);
    }
  };

  if (target instanceof EventTarget) {
    target.addEventListener(String(type), put);
  } else {
    target.on(type, putArguments);
    if (type !== "error") target.on("error", fail);
  }
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();

  // No generator: its `return()` would wait behind a pending `next()`.
  return {
    [Symbol.asyncIterator]: () => ({
      async next(): Promise<IteratorResult<unknown>> {
        const next = signal.aborted ? undefined : await waiting.receive();
        if (next !== undefined) return { done: false, value: next.event };
        if (failure !== undefined && !signal.aborted) throw failure.error;
        return { done: true, value: undefined };
      },
      async return(): Promise<IteratorResult<unknown>> {
        stop();
        return { done: true, value: undefined };
      },
    }),
  };
}
