import { createBreather } from "../clock/breather.ts";
import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../observe/logger.ts";

export interface StreamReading<T> {
  /** Ends the reading; the stream is closed when `released` has resolved. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long the stream may take to close. */
  readonly graceMs: number;
  /** Resolves when the next value may be read; resolves on abort too. */
  ready(): Promise<void> | undefined;
  /** Takes a value over; resolves on abort too. */
  take(value: T): Promise<void> | undefined;
  /** Called after the abort: resolves when nothing that the stream has yielded needs it open any more. */
  released(): Promise<void>;
  /** Gets the value that came only after the abort. */
  late(value: T): void;
}

/**
 * Reads a stream until it ends or the signal aborts; rejects with what it throws. The stream is opened under a signal
 * of its own, which has aborted when this settles: after the abort nothing more is read, and the stream stays open
 * until it is released. An async generator's `return()` waits behind a pending `next()`, so its signal goes first, then
 * `return()`, and neither is awaited for longer than the grace.
 */
export async function readStream<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  reading: StreamReading<T>,
): Promise<void> {
  const { signal, clock, log, ready, take, late } = reading;
  const opening = new AbortController();
  const faulty = (error: unknown): void => {
    if (error !== signal.reason) log.warn("Source failed while it was closed", { error });
  };
  if (signal.aborted) return;
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const iterator = open(opening.signal)[Symbol.asyncIterator]();
    // A stream that always has a next value would let nothing else run, not even the abort that ends it. Far more values
    // in one go than a controller makes runs: those of one key that have arrived together share one run.
    const breathe = createBreather(clock, { pieces: 1_000 });
    /** Whether the stream has ended by itself. */
    const readOn = async (): Promise<boolean> => {
      while (!signal.aborted) {
        const turn = breathe();
        if (turn !== undefined) await turn;
        const room = ready();
        if (room !== undefined) await room;
        if (signal.aborted) return false;
        const result = await iterator.next();
        if (result.done) return true;
        if (signal.aborted) {
          late(result.value);
          return false;
        }
        try {
          const taken = take(result.value);
          if (taken !== undefined) await taken;
        } catch (error) {
          // A generator that nobody reads on would keep open for ever what it has opened.
          opening.abort(error);
          await closed(iterator, undefined, faulty, reading);
          throw error;
        }
      }
      return false;
    };
    const read = readOn();
    if (await Promise.race([read, aborted.promise])) return;
    const ended = Promise.withResolvers<void>();
    const last = read.then(
      (byItself) => (byItself ? ended.resolve() : undefined),
      (error: unknown) => {
        faulty(error);
        ended.resolve();
      },
    );
    // A stream that ends by itself has nothing left to be kept open for.
    await Promise.race([reading.released(), ended.promise]);
    opening.abort(signal.reason);
    await closed(iterator, last, faulty, reading);
  } finally {
    signal.removeEventListener("abort", onAbort);
    opening.abort(signal.reason);
  }
}

/** Waits for the stream to end after its signal has aborted, but no longer than the grace. */
async function closed<T>(
  iterator: AsyncIterator<T>,
  last: Promise<void> | undefined,
  faulty: (error: unknown) => void,
  { clock, log, graceMs }: StreamReading<T>,
): Promise<void> {
  const returned = (async (): Promise<void> => {
    await iterator.return?.();
  })().catch(faulty);
  await new Promise<void>((resolve) => {
    const timer = clock.schedule(graceMs, () => {
      log.warn("Source did not close within its grace: does its stream end when the signal aborts?", { graceMs });
      resolve();
    });
    Promise.all([last, returned])
      .catch(faulty)
      .finally(() => {
        timer[Symbol.dispose]();
        resolve();
      });
  });
}
