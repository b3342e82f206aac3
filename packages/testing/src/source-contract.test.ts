import assert from "node:assert/strict";
// biome-ignore lint/style/noRestrictedImports: what is read is somebody else's emitter.
import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, test } from "node:test";
import {
  type Acknowledgement,
  bucketEventSource,
  type Context,
  channelSource,
  createChannel,
  cronSource,
  debounce,
  defineBuiltin,
  eventsOf,
  fileSource,
  iterableSource,
  jsonBody,
  type KubeObject,
  kindSource,
  pollSource,
  requestSource,
  type Source,
  type SourceEvent,
  sseSource,
  tickerSource,
  timerSource,
  unguessablePath,
  type WebhookEvent,
  webhookSource,
} from "farwatch";
import { createScriptedStream, createScriptedTransport, type ScriptedStream } from "farwatch/doubles";
import { z } from "zod";
import { sourceContract } from "./source-contract.ts";
import type { SourceContractEnv, SourceUnderTest } from "./source-contract-stage.ts";

const Bucket = defineBuiltin({ group: "example.farwatch.dev", version: "v1", kind: "Bucket" });

function bucket(n: number): KubeObject {
  const metadata = { namespace: "ns", name: `b${n}`, uid: `uid-${n}`, resourceVersion: "1" };
  return { apiVersion: Bucket.apiVersion, kind: Bucket.kind, metadata };
}

const numberOfBucket = ({ object }: { readonly object: KubeObject }) => Number(object.metadata.name.slice(1));

sourceContract({
  name: "kindSource",
  test,
  create: ({ cache }) => ({
    source: kindSource(Bucket),
    emit: (n) => cache.put(Bucket, bucket(n)),
  }),
  numberOf: numberOfBucket,
});

sourceContract({
  name: "timerSource",
  test,
  create: ({ cache }) => ({
    source: timerSource(Bucket, { period: () => "10s" }),
    emit: (n) => cache.put(Bucket, bucket(n)),
    latency: "10s",
  }),
  numberOf: numberOfBucket,
});

sourceContract({
  name: "tickerSource",
  test,
  create: () => ({ source: tickerSource({ every: "1s" }), latency: "1s" }),
});

sourceContract({
  name: "tickerSource with jitter, immediate",
  test,
  create: () => ({ source: tickerSource({ every: "1s", jitter: 0.5, immediate: true }), latency: "1500ms" }),
});

for (const missed of ["skip", "once", "all"] as const) {
  sourceContract({
    name: `cronSource, ${missed}`,
    test,
    create: () => ({ source: cronSource({ pattern: "* * * * * *", missed }), latency: "1s" }),
  });
}

sourceContract({
  name: "channelSource",
  test,
  create() {
    const source = channelSource<number>();
    return { source, emit: (n) => source.send(n) };
  },
  numberOf: ({ object }) => object,
});

sourceContract({
  name: "requestSource",
  test,
  create() {
    const source = requestSource();
    return {
      source,
      emit: (n) => source.enqueue({ name: `b${n}` }),
    };
  },
  numberOf: ({ object }) => (object.type === "object" ? Number(object.key.name.slice(1)) : 0),
});

sourceContract({
  name: "requestSource that annotates",
  test,
  create() {
    const source = requestSource({ deliver: "annotate" });
    return { source, emit: (n) => source.enqueue({ name: `b${n}` }) };
  },
  numberOf: ({ object }) => (object.type === "object" ? Number(object.key.name.slice(1)) : 0),
});

sourceContract({
  name: "iterableSource",
  test,
  create() {
    const values = createChannel<number>();
    const source = iterableSource("numbers", async function* ({ signal }) {
      try {
        for (let next = await values.receive(signal); next !== undefined; next = await values.receive(signal))
          yield next;
      } catch (reason) {
        if (!signal.aborted) throw reason;
      }
    });
    return { source, emit: (n) => values.send(n) };
  },
  numberOf: ({ object }) => object,
});

sourceContract({
  name: "iterableSource of an emitter",
  test,
  create() {
    const emitter = new EventEmitter();
    return {
      source: iterableSource("emitter", (ctx) => eventsOf(emitter, "change", ctx), {
        event: ([n]) => ({ type: "generic", object: Number(n) }),
      }),
      emit(n) {
        emitter.emit("change", n);
      },
      open: () => emitter.listenerCount("change") + emitter.listenerCount("error"),
    };
  },
  numberOf: ({ object }) => object,
});

sourceContract({
  name: "iterableSource of an event target",
  test,
  create() {
    const target = new EventTarget();
    return {
      source: iterableSource("target", (ctx) => eventsOf(target, "change", ctx)),
      emit(n) {
        target.dispatchEvent(new CustomEvent("change", { detail: n }));
      },
    };
  },
  numberOf: ({ object }) => (object instanceof CustomEvent ? Number(object.detail) : 0),
});

sourceContract({
  name: "iterableSource of a Node stream",
  test,
  create() {
    const streams: PassThrough[] = [];
    return {
      source: iterableSource<number>("stream", () => {
        const stream = new PassThrough({ objectMode: true });
        streams.push(stream);
        return stream;
      }),
      emit(n) {
        streams.at(-1)?.write(n);
      },
      open: () => streams.filter((stream) => !stream.destroyed).length,
    };
  },
  numberOf: ({ object }) => object,
});

/** A sender that repeats what is not answered with 202, as those do that this runtime can promise anything to. */
function createSender({ clock, ingress }: SourceContractEnv, path: string, bodyOf: (n: number) => string = String) {
  const end = new AbortController();
  let unanswered = 0;
  const post = (n: number) =>
    ingress.answer({
      method: "POST",
      path,
      query: new URLSearchParams(),
      headers: new Map([["content-type", "application/json"]]),
      remoteAddress: "192.0.2.1",
      signal: end.signal,
      body: async () => Buffer.from(bodyOf(n)),
    });
  return {
    get unanswered() {
      return unanswered;
    },
    send(n: number): void {
      unanswered += 1;
      const repeat = async (): Promise<void> => {
        while ((await post(n)).status !== 202) await clock.sleep("1s");
        unanswered -= 1;
      };
      repeat().catch(() => {});
    },
  };
}

for (const deliver of ["annotate", "leader-only"] as const) {
  sourceContract({
    name: `webhookSource, ${deliver}`,
    test,
    create(env) {
      const path = "/hooks/pY3kQm9vT2sLw8ZrB5nXcA";
      const sender = createSender(env, path);
      return {
        source: webhookSource({ path, auth: unguessablePath(), body: jsonBody(z.int()), deliver }),
        emit: sender.send,
        latency: "2s",
        open: () => sender.unanswered,
      };
    },
    numberOf: ({ object }: SourceEvent<WebhookEvent<number>>) => object.body,
  });
}

sourceContract({
  name: "bucketEventSource by webhook",
  test,
  create(env) {
    const path = "/hooks/pY3kQm9vT2sLw8ZrB5nXcA";
    const sender = createSender(env, path, (n) => {
      const attributes = { bucketId: "photos", objectId: String(n), eventType: "OBJECT_FINALIZE" };
      return JSON.stringify({ message: { attributes, messageId: String(n), publishTime: "2030-01-01T00:00:00Z" } });
    });
    return {
      source: bucketEventSource({
        provider: "gcs",
        buckets: ["photos"],
        from: ({ body }) => webhookSource({ path, auth: unguessablePath(), body }),
      }),
      emit: sender.send,
      latency: "2s",
      open: () => sender.unanswered,
    };
  },
  numberOf: ({ object }) => Number(object.key),
});

const folders = mkdtempSync(join(tmpdir(), "farwatch-contract-"));
after(() => rmSync(folders, { recursive: true }));

sourceContract({
  name: "fileSource",
  test,
  create() {
    const path = mkdtempSync(join(folders, "mounted-"));
    return {
      source: fileSource({ path, poll: "1s" }),
      emit: (n) => writeFileSync(join(path, "settings.yaml"), String(n)),
      latency: "2s",
    };
  },
});

sourceContract({
  name: "pollSource of all things",
  test,
  create() {
    const things: number[] = [];
    return {
      source: pollSource({ every: "1s", list: () => things, key: String }),
      emit(n) {
        things.push(n);
      },
      latency: "1s",
    };
  },
  numberOf: ({ object }) => object,
});

sourceContract({
  name: "pollSource of each object",
  test,
  create: ({ cache }) => ({
    source: pollSource(Bucket, { period: () => "1s", fetch: (object) => numberOfBucket({ object }) }),
    emit: (n) => cache.put(Bucket, bucket(n)),
    latency: "1s",
  }),
  numberOf: ({ object }) => object.value,
});

/** A place that outlives the openings of a source. */
function createCheckpoint() {
  let kept: string | undefined;
  return {
    read: () => kept,
    write(place: string): void {
      kept = place;
    },
  };
}

for (const hasCheckpoint of [false, true]) {
  sourceContract({
    name: `sseSource ${hasCheckpoint ? "with" : "without"} a checkpoint`,
    test,
    create({ clock }) {
      const sent: number[] = [];
      const streams: ScriptedStream[] = [];
      const transport = createScriptedTransport(clock);
      const event = (n: number): string => `id: ${n}\ndata: ${n}\n\n`;
      transport.on({}, ({ headers }) => {
        const stream = createScriptedStream();
        streams.push(stream);
        // Who says no id gets what is still to come, or all that there is.
        const last = headers?.["last-event-id"] ?? (hasCheckpoint ? 0 : sent.at(-1));
        for (const n of sent) if (n > Number(last)) stream.write(event(n));
        return { headers: { "content-type": "text/event-stream" }, body: stream };
      });
      return {
        source: sseSource({
          url: "https://events.test/",
          transport,
          read: ({ data }) => Number(data),
          ...(hasCheckpoint ? { checkpoint: createCheckpoint() } : {}),
        }),
        emit(n) {
          sent.push(n);
          streams.at(-1)?.write(event(n));
        },
        latency: "1s",
        open: () => transport.open,
      };
    },
    numberOf: ({ object }) => object,
  });
}

sourceContract({
  name: "debounce of channelSource",
  test,
  create() {
    const source = channelSource<number>();
    return {
      source: debounce(source, { wait: "1s", key: String }),
      emit: (n) => source.send(n),
      latency: "1s",
    };
  },
  numberOf: ({ object }) => object,
});

/** An origin that delivers again what was not acknowledged, as a broker does. */
function createBroker() {
  const waiting: number[] = [];
  const unacknowledged = new Set<number>();
  let connections = 0;
  let wake = (): void => {};
  const publish = (n: number): void => {
    waiting.push(n);
    wake();
  };
  return {
    publish,
    get connections() {
      return connections;
    },
    async *consume({ signal }: Context): AsyncGenerator<{ readonly n: number; readonly ack: Acknowledgement }> {
      connections += 1;
      // A new consumer gets what the last one did not acknowledge.
      for (const n of unacknowledged) waiting.push(n);
      unacknowledged.clear();
      const onAbort = (): void => wake();
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        while (!signal.aborted) {
          const n = waiting.shift();
          if (n === undefined) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
            continue;
          }
          unacknowledged.add(n);
          const settle = (again: boolean) => (): void => {
            if (unacknowledged.delete(n) && again) publish(n);
          };
          yield { n, ack: { done: settle(false), retry: settle(true) } };
        }
      } finally {
        connections -= 1;
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}

function createOrigin(): SourceUnderTest<number> {
  const broker = createBroker();
  return {
    source: iterableSource("broker", (ctx) => broker.consume(ctx), {
      durability: "origin",
      event: ({ n, ack }) => ({ type: "generic", object: n, ack }),
    }),
    emit: broker.publish,
    open: () => broker.connections,
  };
}

sourceContract({
  name: "iterableSource of an origin",
  test,
  create: createOrigin,
  numberOf: ({ object }) => object,
});

sourceContract({
  name: "debounce of an origin",
  test,
  create() {
    const origin = createOrigin();
    return { ...origin, source: debounce(origin.source, { wait: "1s", key: String }), latency: "1s" };
  },
  numberOf: ({ object }) => object,
});

/** Runs the contract on a source that breaks it, and gives the names of the tests that failed. */
async function failures(create: () => SourceUnderTest<number>): Promise<string[]> {
  const runs: [string, () => Promise<void>][] = [];
  sourceContract({
    name: "it",
    create,
    numberOf: ({ object }) => object,
    test: (name, run) => runs.push([name, run]),
  });
  const failed: string[] = [];
  for (const [name, run] of runs) {
    try {
      await run();
    } catch {
      failed.push(name);
    }
  }
  return failed;
}

function numbers(change: Partial<Source<number>>, ownValues = createChannel<number>()): SourceUnderTest<number> {
  const source: Source<number> = {
    name: "numbers",
    delivery: "atLeastOnce",
    durability: "process",
    overflow: "wait",
    async *events({ signal }) {
      try {
        for (;;) yield { type: "generic", object: (await ownValues.receive(signal)) ?? 0 };
      } catch (reason) {
        if (!signal.aborted) throw reason;
      }
    },
    ...change,
  };
  return { source, emit: (n) => ownValues.send(n) };
}

test("source contract finds nothing wrong with a small source that keeps it", async () => {
  assert.deepEqual(await failures(() => numbers({})), []);
});

test("source contract finds a source that does not end when its signal aborts", async () => {
  const failed = await failures(() => {
    const values = createChannel<number>();
    return numbers(
      {
        async *events() {
          for await (const object of values) yield { type: "generic", object };
        },
      },
      values,
    );
  });
  assert.ok(
    failed.includes("it ends its stream when the signal aborts, whether or not somebody waits for the next event"),
  );
});

test("source contract finds a source that drops what happens while it is closed", async () => {
  const failed = await failures(() => {
    let values = createChannel<number>();
    const under = numbers({
      async *events({ signal }) {
        values = createChannel();
        const own = values;
        signal.addEventListener("abort", () => own.close(), { once: true });
        for await (const object of own) yield { type: "generic", object };
      },
    });
    return { ...under, emit: (n) => values.send(n).catch(() => {}) };
  });
  assert.deepEqual(
    failed.filter((name) => name.includes("loses nothing that happens")),
    ["it loses nothing that happens before it is open", "it loses nothing that happens while another replica leads"],
  );
});

test("source contract finds a source that leaves a timer", async () => {
  const failed = await failures(() => {
    const values = createChannel<number>();
    return numbers(
      {
        async *events({ clock, signal }) {
          clock.schedule("1h", () => {});
          try {
            for (;;) yield { type: "generic", object: (await values.receive(signal)) ?? 0 };
          } catch (reason) {
            if (!signal.aborted) throw reason;
          }
        },
      },
      values,
    );
  });
  assert.ok(failed.includes("it leaves nothing open when it is closed, and can be opened again"));
});

test("source contract finds a source that can be opened only once", async () => {
  const failed = await failures(() => {
    const values = createChannel<number>();
    const once = values[Symbol.asyncIterator]();
    return numbers(
      {
        async *events({ signal }) {
          signal.addEventListener("abort", () => values.close(), { once: true });
          for (let next = await once.next(); !next.done; next = await once.next()) {
            yield { type: "generic", object: next.value };
          }
        },
      },
      values,
    );
  });
  assert.ok(failed.includes("it is opened again after its stream threw"));
});

test("source contract finds values that no source can declare, and an origin without acknowledgements", async () => {
  assert.ok((await failures(() => numbers({ capacity: 0 }))).includes("it declares what a source can be"));
  assert.ok((await failures(() => numbers({ name: " " }))).includes("it declares what a source can be"));
  const origin = await failures(() => numbers({ durability: "origin" }));
  assert.deepEqual(origin, ["it has each event settled exactly once"]);
});

test("source contract finds a source that drops events of its own while it is not read", async () => {
  const failed = await failures(() => numbers({}, createChannel<number>({ capacity: 1, overflow: "dropOldest" })));
  assert.ok(failed.includes("it loses nothing while its watch is slow"));
  assert.ok(failed.includes("it keeps its buffers bounded while nobody reads"));
});

test("source contract finds an origin that does not deliver again what was given back", async () => {
  const failed = await failures(() => {
    const values = createChannel<number>();
    const under = numbers({ durability: "origin" }, values);
    const { events } = under.source;
    return {
      ...under,
      source: {
        ...under.source,
        async *events(ctx) {
          for await (const event of events(ctx)) yield { ...event, ack: { done() {}, retry() {} } };
        },
      },
    };
  });
  assert.deepEqual(failed, [
    "it loses nothing that waits, or is being worked on, when the lead is lost",
    "it delivers an event again that was given back",
  ]);
});

test("source contract finds an origin that is told of what is done with the next read alone", async () => {
  const failed = await failures(() => {
    const broker = createBroker();
    const done: (() => void)[] = [];
    return {
      source: iterableSource(
        "broker",
        async function* (ctx) {
          for await (const { n, ack } of broker.consume(ctx)) {
            for (const tell of done.splice(0)) tell();
            yield { n, ack: { done: () => done.push(ack.done), retry: ack.retry } };
          }
        },
        { durability: "origin", event: ({ n, ack }) => ({ type: "generic", object: n, ack }) },
      ),
      emit: broker.publish,
    };
  });
  assert.ok(
    failed.includes("it settles at its origin what is done while it is closed, so that it does not come again"),
  );
});
