import type { GenericEvent } from "../event/source-event.ts";
import { createChannel } from "../flow/channel.ts";
import { createDoorbell } from "../flow/doorbell.ts";
import type { LogFields } from "../observe/logger.ts";
import { readProblem } from "../source/read-problem.ts";
import { checkBounds, checkFunctions } from "../source/refuse-source.ts";
import type { Source, SourceContext } from "../source/source.ts";
import { createSourceMetrics } from "../source/source-metrics.ts";
import { declaredBy, type SourceOptions } from "../source/source-options.ts";
import type { Readable } from "./broker-source.ts";

/** What every source has in common that only listens. */
export interface HeardSourceOptions extends SourceOptions {
  /** Messages that may wait to be read; beyond them the oldest is dropped and counted; default 1,024. */
  readonly capacity?: number | undefined;
}

/** Is told what an open connection hears. */
export interface Listener<M> {
  heard(message: M): void;
  /** The stream ends with it when all that was heard before is read. */
  lost(error: unknown): void;
}

export interface HeardStream<M, T> {
  /** When the options do not name the source. */
  readonly name: string;
  /** What the event carries; what throws is logged and dropped. */
  read(message: M): T;
  /** Says in the log which message was dropped. */
  describe(message: M): LogFields;
  /** Listens until disposal. */
  open(ctx: SourceContext, listening: Listener<M> & { readonly source: string }): Promise<AsyncDisposable>;
}

/**
 * The source of a broker that keeps nothing: at most once, and the oldest is dropped when too many wait, since a
 * listener that does not read would be disconnected, or hold up everybody. What was heard and not read outlives the
 * stream, and no process.
 *
 * @throws CodedError `InvalidOption` for a capacity that is no whole number of at least 1, a name that is none, and
 * what is no function.
 */
export function heardSource<M, T>(
  options: HeardSourceOptions & Readable,
  { name: ownName, read, describe, open }: HeardStream<M, T>,
): Source<T> {
  const { capacity = 1_024 } = options;
  const declared = declaredBy(options, ownName);
  checkBounds(declared.name, { capacity });
  checkFunctions(declared.name, { read: options.read });
  /** Counts in the metrics of the opening. */
  let drop = (): void => {};
  /** What has come and was not read yet, also while the source is closed. */
  const messages = createChannel<M>({ capacity, overflow: "dropOldest", onDrop: () => drop() });
  return {
    ...declared,
    delivery: "atMostOnce",
    durability: "process",
    overflow: "dropOldest",
    capacity,
    connects: true,
    async *events(ctx): AsyncGenerator<GenericEvent<T>, void, undefined> {
      const { name: source, clock, health, log, metrics, signal } = ctx;
      const counted = createSourceMetrics(metrics);
      drop = () => counted.dropped(source, "*");
      const bell = createDoorbell(clock);
      let failure: { readonly error: unknown } | undefined;
      await using _open = await open(ctx, {
        source,
        heard(message): void {
          messages.trySend(message);
          bell.ring();
        },
        lost(error): void {
          failure ??= { error };
          bell.ring();
        },
      });
      health.serving();
      while (!signal.aborted) {
        const message = messages.tryReceive();
        if (message === undefined) {
          if (failure !== undefined) throw failure.error;
          await bell.wait(Number.POSITIVE_INFINITY, signal);
          continue;
        }
        let object: T;
        try {
          object = read(message);
        } catch (error) {
          log.error("Cannot read a message: it is dropped", { ...describe(message), problem: readProblem(error) });
          continue;
        }
        yield { type: "generic", object };
      }
    },
  };
}
