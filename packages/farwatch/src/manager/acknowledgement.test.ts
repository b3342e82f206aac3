import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineController } from "../controller/define-controller.ts";
import { watch } from "../controller/watch.ts";
import { createScriptedManager } from "../doubles/scripted-manager.fixture.ts";
import { type Channel, createChannel } from "../flow/channel.ts";
import { enqueueRequestsFromMapFunc } from "../handler/enqueue-requests-from-map-func.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { defineResource } from "../resource/define-resource.ts";
import { iterableSource } from "../source/iterable-source.ts";

const Bucket = defineResource({ group: "example.farwatch.dev", version: "v1", kind: "Bucket", spec: z.object({}) });

interface Message {
  readonly id: string;
  readonly names: readonly string[];
}

/** A broker that keeps each message until it is acknowledged, and delivers it again when it is given back. */
function broker(): {
  readonly queue: Channel<Message>;
  readonly log: string[];
  send(id: string, ...names: readonly string[]): void;
} {
  const queue = createChannel<Message>();
  return { queue, log: [], send: (id, ...names) => queue.trySend({ id, names }) };
}

function setUp(
  reconcile: Reconciler,
  { maxUnacknowledged, http = false }: { readonly maxUnacknowledged?: number; readonly http?: boolean } = {},
) {
  const env = createScriptedManager(http ? { http: { host: "127.0.0.1", port: 0 } } : {});
  const origin = broker();
  async function* read(signal: AbortSignal): AsyncGenerator<Message> {
    try {
      for (;;) {
        const message = await origin.queue.receive(signal);
        if (message === undefined) return;
        yield message;
      }
    } catch (reason) {
      if (!signal.aborted) throw reason;
    } finally {
      origin.log.push("closed");
    }
  }
  const source = iterableSource("broker", ({ signal }) => read(signal), {
    durability: "origin",
    ...(maxUnacknowledged === undefined ? {} : { maxUnacknowledged }),
    event: (message: Message) => ({
      type: "generic",
      object: message,
      ack: {
        done: () => origin.log.push(`${message.id} done`),
        retry: () => {
          origin.log.push(`${message.id} back`);
        },
      },
    }),
  });
  env.manager.add(
    defineController({
      for: Bucket,
      concurrency: 2,
      watches: [
        watch(
          source,
          enqueueRequestsFromMapFunc(({ names }) => names.map((name) => ({ name }))),
        ),
      ],
      reconcile,
    }),
  );
  return { ...env, origin };
}

// Promise 4
test("event is acknowledged when each request that it caused has been worked on, and not before", async () => {
  const { clock, origin, start, stopped } = setUp(async ({ name }, ctx) => {
    await ctx.clock.sleep(name === "slow" ? "10s" : "1s");
  });
  await start();
  origin.send("m1", "quick", "slow");
  await clock.advance("9s");
  assert.deepEqual(origin.log, []);
  await clock.advance("1s");
  assert.deepEqual(origin.log, ["m1 done"]);
  await stopped();
});

// Promise 4
test("event waits for a failing reconcile, and a retry does not count as returned", async () => {
  let failures = 3;
  const { clock, origin, start, stopped } = setUp(async () => {
    failures -= 1;
    if (failures >= 0) throw new Error("not yet");
  });
  await start();
  origin.send("m1", "a");
  await clock.advance("300ms");
  assert.deepEqual(origin.log, []);
  await clock.advance("10s");
  assert.deepEqual(origin.log, ["m1 done"], "no dead letter either: only handlers make these");
  await stopped();
});

// Promise 4
test("event that comes during a run waits for the next run of its key", async () => {
  const started: number[] = [];
  const { clock, origin, start, stopped } = setUp(async (_request, ctx) => {
    started.push(ctx.clock.elapsed());
    await ctx.clock.sleep("10s");
  });
  await start();
  origin.send("m1", "a");
  await clock.advance("5s");
  origin.send("m2", "a");
  await clock.advance("5s");
  assert.deepEqual(origin.log, ["m1 done"]);
  await clock.advance("10s");
  assert.deepEqual(origin.log, ["m1 done", "m2 done"]);
  assert.deepEqual(started, [0, 10_000]);
  await stopped();
});

// Promise 4
test("several events for one key share one run, and each is acknowledged", async () => {
  const { clock, origin, start, stopped } = setUp(async (_request, ctx) => {
    await ctx.clock.sleep("1s");
  });
  await start();
  origin.send("m1", "a");
  await clock.settle();
  for (const id of ["m2", "m3", "m4"]) origin.send(id, "a");
  await clock.advance("2s");
  assert.deepEqual(origin.log.toSorted(), ["m1 done", "m2 done", "m3 done", "m4 done"]);
  await stopped();
});

// Promise 1
test("events that were not worked on when the process stops are given back to their origin", async () => {
  const { clock, origin, start, stopped } = setUp((_request, { signal }) => {
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  await start();
  for (const id of ["m1", "m2", "m3"]) origin.send(id, id);
  await clock.advance("1s");
  assert.deepEqual(origin.log, []);
  await stopped();
  assert.deepEqual(origin.log.toSorted(), ["closed", "m1 back", "m2 back", "m3 back"]);
  assert.equal(origin.log.at(-1), "closed");
});

// Promise 4
test("events of a key that fails are acknowledged but for the youngest, which comes again after a crash", async () => {
  const { clock, origin, start, stopped } = setUp(async () => {
    throw new Error("not yet");
  });
  await start();
  for (let n = 1; n <= 100; n += 1) {
    origin.send(`m${n}`, "a", n % 10 === 0 ? "b" : "a");
    await clock.advance("1s");
  }
  const open = Array.from({ length: 100 }, (_, index) => `m${index + 1}`).filter(
    (id) => !origin.log.includes(`${id} done`),
  );
  assert.deepEqual(open, ["m100"]);
  origin.send("m101", "a");
  await clock.advance("1m");
  assert.equal(origin.log.filter((line) => line.endsWith("done")).length, 99, "nothing younger waits for b");
  await stopped();
  assert.deepEqual(origin.log.filter((line) => line.endsWith("back")).toSorted(), ["m100 back", "m101 back"]);
});

// Promise 4
test("source that requests which fail have brought to its bound says that it is held, and by which", async () => {
  let failing = true;
  const { clock, manager, origin, start, stopped } = setUp(
    async () => {
      if (failing) throw new Error("not yet");
    },
    { maxUnacknowledged: 3, http: true },
  );
  await start();
  const detail = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${manager.address?.port}/readyz?verbose`)).text();
  for (const name of ["a", "b", "c", "d"]) origin.send(name, name);
  await clock.advance("1s");
  assert.match(
    await clock.outside(detail()),
    /^\[!\]source\/broker degraded: Held: 3 events wait, most of them for requests that fail, a among them$/m,
  );
  failing = false;
  await clock.advance("5m");
  assert.match(await clock.outside(detail()), /^\[\+\]source\/broker ok$/m);
  assert.deepEqual(origin.log.toSorted(), ["a done", "b done", "c done", "d done"]);
  await stopped();
});

// Promise 4
test("event whose run ends after the stop is acknowledged while its stream is open, and comes no second time", async () => {
  const { clock, origin, start, stopped } = setUp(async ({ name }, ctx) => {
    await ctx.clock.sleep(name === "slow" ? "20s" : "5s");
  });
  await start();
  origin.send("m1", "quick");
  origin.send("m2", "slow");
  origin.send("m3", "waits for a worker");
  await clock.advance("1s");
  await stopped();
  assert.deepEqual(origin.log, ["m3 back", "m1 done", "m2 done", "closed"]);
});

// Promise 3
test("event whose handler always fails is handed over as a dead letter and acknowledged, while later ones go on", async () => {
  const env = createScriptedManager();
  const origin = broker();
  const letters: unknown[] = [];
  const source = iterableSource("broker", () => origin.queue, {
    durability: "origin",
    event: (message: Message) => ({
      type: "generic",
      object: message,
      ack: { done: () => origin.log.push(`${message.id} done`), retry: () => origin.log.push(`${message.id} back`) },
    }),
  });
  env.manager.add(
    defineController({
      for: Bucket,
      onDeadLetter: ({ event }) => {
        letters.push((event.object as Message).id);
      },
      watches: [
        watch(
          source,
          enqueueRequestsFromMapFunc(({ id, names }) => {
            if (id === "poison") throw new Error("unreadable");
            return names.map((name) => ({ name }));
          }),
        ),
      ],
      async reconcile() {},
    }),
  );
  await env.start();
  origin.send("poison");
  origin.send("m2", "a");
  await env.clock.advance("1ms");
  assert.deepEqual(origin.log, ["m2 done"]);
  await env.clock.advance("1m");
  assert.deepEqual(letters, ["poison"]);
  assert.deepEqual(origin.log, ["m2 done", "poison done"]);
  origin.queue.close();
  await env.stopped();
});
