import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { createChannel } from "../flow/channel.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import type { Context, Source } from "./source.ts";
import type { Subscription } from "./source-hub.ts";

export function setUp() {
  const clock = createVirtualClock();
  const cache = createScriptedCache();
  const metrics = createMetrics();
  const log = createRecordingLogger();
  const hub = createScriptedHub({ clock, cache, metrics, log });
  return { clock, cache, metrics, log, hub };
}

/** A scope of the hub, opened now; `close` is how a lost lead or the end of the process looks. */
export function opened({ hub }: Pick<ReturnType<typeof setUp>, "hub">, scope: "everyone" | "leader" = "leader") {
  const controller = new AbortController();
  const closed = hub.open(scope, controller.signal);
  return {
    async close(): Promise<void> {
      controller.abort(new Error("lost"));
      await closed;
    },
  };
}

export type Settled = readonly [outcome: "done" | "retry", value: unknown];

/** A source that yields what the test pushes; `fail` throws out of the stream that is open. */
export function pushed(options: Partial<Source<string>> & { readonly acks?: Settled[] } = {}) {
  const values = createChannel<() => string>({ capacity: 100_000 });
  const openings: AbortSignal[] = [];
  const read: string[] = [];
  const { acks, ...rest } = options;
  const eventOf = (object: string): SourceEvent<string> => {
    if (acks === undefined) return { type: "generic", object };
    const note = (outcome: Settled[0]) => (): void => {
      acks.push([outcome, object]);
    };
    return { type: "generic", object, ack: { done: note("done"), retry: note("retry") } };
  };
  const source: Source<string> = {
    name: "pushed",
    delivery: "atLeastOnce",
    durability: acks === undefined ? "process" : "origin",
    overflow: "wait",
    async *events({ signal }: Context) {
      openings.push(signal);
      try {
        for (;;) {
          const value = await values.receive(signal);
          if (value === undefined) return;
          const object = value();
          read.push(object);
          yield eventOf(object);
        }
      } catch (reason) {
        if (reason !== signal.reason) throw reason;
      }
    },
    ...rest,
  };
  return {
    source,
    openings,
    read,
    push(...objects: string[]): void {
      for (const object of objects) values.trySend(() => object);
    },
    fail: (message: string) =>
      values.trySend(() => {
        throw new Error(message);
      }),
    end: () => values.close(),
  };
}

/** Reads a watch as events come, and is done with each; `told` has what `describe` makes of them. */
export function readAll<T, D>(watch: Subscription<T>, describe: (event: SourceEvent<T>) => D) {
  const told: D[] = [];
  const reading = (async () => {
    for (let next = await watch.receive(); next !== undefined; next = await watch.receive()) {
      told.push(describe(next.event));
      next.hold.done();
    }
  })();
  return {
    told,
    async leave(): Promise<void> {
      await watch[Symbol.asyncDispose]();
      await reading;
    },
  };
}

/** What waits for a watch now; each hold is released with `settle`. */
export async function take<T>(
  subscription: Subscription<T>,
  count: number,
  settle: "done" | "giveBack" = "done",
): Promise<T[]> {
  const objects: T[] = [];
  for (let index = 0; index < count; index += 1) {
    const received = await subscription.receive();
    if (received === undefined) throw new Error("The subscription was left");
    objects.push(received.event.object);
    received.hold[settle]();
  }
  return objects;
}

export async function isEmpty<T>(subscription: Subscription<T>): Promise<boolean> {
  const controller = new AbortController();
  const next = subscription.receive(controller.signal).then(
    () => false,
    () => true,
  );
  controller.abort();
  return next;
}
