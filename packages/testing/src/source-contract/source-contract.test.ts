// biome-ignore lint/style/noRestrictedImports: what is read is somebody else's emitter.
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, test } from "node:test";
import {
  bucketEventSource,
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
import { createBroker } from "./broker.fixture.ts";
import { sourceContract } from "./source-contract.ts";
import type { SourceContractEnv, SourceUnderTest } from "./source-stage.ts";

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
    const source = channelSource<number>({ capacity: 100 });
    let taken = 0;
    const emit = async (n: number): Promise<void> => {
      await source.send(n);
      taken += 1;
    };
    return { source, emit, taken: () => taken };
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
    let sent = 0;
    const emit = async (n: number): Promise<void> => {
      await values.send(n);
      sent += 1;
    };
    return { source, emit, taken: () => sent - values.size };
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
    let taken = 0;
    return {
      source: iterableSource<number>("stream", () => {
        const stream = new PassThrough({ objectMode: true });
        streams.push(stream);
        return stream;
      }),
      async emit(n): Promise<void> {
        const stream = streams.at(-1);
        // Whoever writes to a stream waits while it is full.
        if (stream === undefined || stream.destroyed) return;
        if (!stream.write(n)) await once(stream, "drain");
        taken += 1;
      },
      open: () => streams.filter((stream) => !stream.destroyed).length,
      taken: () => taken,
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
        // 422 says that it need not come again.
        for (let { status } = await post(n); status !== 202 && status !== 422; { status } = await post(n))
          await clock.sleep("1s");
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
      // Long, so that few of them are more than a transport keeps for a slow reader.
      const event = (n: number): string => `: ${" ".repeat(16_384)}\nid: ${n}\ndata: ${n}\n\n`;
      let taken = 0;
      const counted = async function* (stream: ScriptedStream): AsyncGenerator<Uint8Array> {
        for await (const part of stream) {
          taken += 1;
          yield part;
        }
      };
      transport.on({}, ({ headers }) => {
        const stream = createScriptedStream();
        streams.push(stream);
        // Who says no id gets what is still to come, or all that there is.
        const last = headers?.["last-event-id"] ?? (hasCheckpoint ? 0 : sent.at(-1));
        for (const n of sent) if (n > Number(last)) stream.write(event(n));
        return { headers: { "content-type": "text/event-stream" }, body: counted(stream) };
      });
      return {
        source: sseSource({
          url: "https://events.test/",
          transport,
          read: ({ data }) => Number(data),
          maxUnacknowledged: 50,
          ...(hasCheckpoint ? { checkpoint: createCheckpoint() } : {}),
        }),
        emit(n) {
          sent.push(n);
          streams.at(-1)?.write(event(n));
        },
        latency: "1s",
        open: () => transport.open,
        taken: () => taken,
      };
    },
    numberOf: ({ object }) => object,
  });
}

sourceContract({
  name: "debounce of channelSource",
  test,
  create() {
    const source = channelSource<number>({ capacity: 100 });
    let taken = 0;
    return {
      source: debounce(source, { wait: "1s", key: String, capacity: 100 }),
      async emit(n): Promise<void> {
        await source.send(n);
        taken += 1;
      },
      latency: "1s",
      taken: () => taken,
    };
  },
  numberOf: ({ object }) => object,
});

function createOrigin(): SourceUnderTest<number> {
  const broker = createBroker();
  return {
    source: iterableSource("broker", (ctx) => broker.consume(ctx), {
      durability: "origin",
      event: ({ n, ack }) => ({ type: "generic", object: n, ack }),
    }),
    emit: broker.publish,
    open: () => broker.connections,
    taken: () => broker.unacknowledged,
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
