import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import {
  createScriptedStream,
  createScriptedTransport,
  type ScriptedAnswer,
  type ScriptedStream,
} from "../doubles/scripted-transport.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { type SseSourceOptions, sseSource } from "./sse-source.ts";
import type { SseMessage } from "./sse-stream.ts";
import type { Received } from "./watch-buffer.ts";

/** A source of a server whose answers a test gives and whose streams it writes. */
function setUp<T = SseMessage>(options: Partial<SseSourceOptions<T>> = {}) {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const metrics = createMetrics();
  const log = createRecordingLogger();
  const hub = createScriptedHub({ clock, metrics, log });
  const streams: ScriptedStream[] = [];
  const answer = (more: Partial<ScriptedAnswer> = {}): ScriptedAnswer => {
    const stream = createScriptedStream();
    streams.push(stream);
    return { headers: { "content-type": "text/event-stream" }, body: stream, ...more };
  };
  transport.on({}, () => answer());
  const source = sseSource<T>({ url: "https://flags.test/stream?key=hunter2", transport, ...options });
  const watch = hub.subscribe(source, { name: "w" });
  let term = new AbortController();
  let closed = Promise.resolve();
  return {
    clock,
    transport,
    metrics,
    log,
    source,
    watch,
    streams,
    state: () => hub.states[0],
    lastIds: () => transport.requests.map(({ headers }) => headers?.["last-event-id"]),
    count: (name: string): number =>
      metrics
        .counter({ name: `farwatch_source_${name}_total`, help: "", labelNames: ["source"] })
        .read({ source: source.name }),
    write(text: string): Promise<void> {
      streams.at(-1)?.write(text);
      return clock.settle();
    },
    async open(): Promise<void> {
      term = new AbortController();
      closed = hub.open("leader", term.signal);
      await clock.settle();
    },
    async receive(): Promise<Received<T> | undefined> {
      const controller = new AbortController();
      const receiving = watch.receive(controller.signal).catch(() => undefined);
      await clock.settle();
      controller.abort();
      return await receiving;
    },
    /** What has come, done with. */
    async take(): Promise<unknown[]> {
      const all: unknown[] = [];
      for (let next = await this.receive(); next !== undefined; next = await this.receive()) {
        all.push(next.event.object);
        next.hold.done();
      }
      return all;
    },
    async close(): Promise<void> {
      term.abort();
      await clock.advance("10s");
      await closed;
      assert.equal(clock.pendingTimers, 0, "a timer is left");
      assert.equal(transport.open, 0, "a request is left");
    },
  };
}

const data = ({ data }: SseMessage): string => data;

test("sseSource gives each event with its type, its data and the last id", async () => {
  const env = setUp();
  await env.open();
  assert.equal(env.state()?.phase, "serving", "the server has answered");
  await env.write(
    ': hello\n\ndata: one\n\nid: 7\nevent: change\ndata: {"a":1}\ndata: {}\n\nid\n\ndata:three\n\nevent: nothing\n\ndata: cut of',
  );
  assert.deepEqual(await env.take(), [
    { id: "", event: "message", data: "one" },
    { id: "7", event: "change", data: '{"a":1}\n{}' },
    { id: "", event: "message", data: "three" },
  ]);
  const [request] = env.transport.requests;
  assert.deepEqual(request?.headers, {
    "accept-encoding": "identity",
    accept: "text/event-stream",
    "cache-control": "no-cache",
  });
  assert.equal(request?.streaming, true);
  await env.close();
});

test("sseSource reads characters and line ends that are split over chunks", async () => {
  const env = setUp({ read: data });
  await env.open();
  for (const byte of Buffer.from("\ufeffdata: zwölf €\r\ndata: 🦊\r\n\r\ndata: x\r\r"))
    env.streams[0]?.write(Buffer.of(byte));
  await env.clock.settle();
  assert.deepEqual(await env.take(), ["zwölf €\n🦊", "x"]);
  await env.close();
});

test("sseSource connects again when the server ends the stream, as late as that says, and goes on behind the last id", async () => {
  const env = setUp({ read: data });
  await env.open();
  await env.write("id: 1\ndata: a\n\nid: 2\n\n");
  env.streams[0]?.end();
  await env.clock.advance("2999ms");
  assert.equal(env.transport.requests.length, 1);
  await env.clock.advance("1ms");
  assert.equal(env.transport.requests.length, 2);
  for (const [retry, ms] of [
    ["10", 1_000],
    ["20000", 20_000],
    ["999999999999999999999", 300_000],
    ["soon", 300_000],
  ] as const) {
    const before: number = env.transport.requests.length;
    await env.write(`retry: ${retry}\nid: ${retry}\n\n`);
    env.streams.at(-1)?.end();
    await env.clock.advance(ms - 1);
    assert.equal(env.transport.requests.length, before, `retry: ${retry}`);
    await env.clock.advance(1);
    assert.equal(env.transport.requests.length, before + 1, `retry: ${retry}`);
  }
  assert.deepEqual(env.lastIds(), [undefined, "2", "10", "20000", "999999999999999999999", "soon"]);
  assert.equal(env.state()?.phase, "serving");
  assert.equal(env.state()?.restarts, 0);
  assert.deepEqual(await env.take(), ["a"]);
  await env.close();
});

test("sseSource is failing from a cut connection until the server answers", async () => {
  const env = setUp({ read: data });
  await env.open();
  env.streams[0]?.end(new Error("connection reset"));
  await env.clock.settle();
  assert.equal(env.state()?.phase, "failing");
  assert.equal(env.state()?.lastError, "connection reset");
  await env.clock.advance("3s");
  assert.equal(env.state()?.phase, "serving");
  await env.close();
});

test("sseSource takes a connection for dead on which not even a comment comes, but none whose events are not taken", async () => {
  const env = setUp({ read: data, idle: "1m", maxUnacknowledged: 1 });
  await env.open();
  for (let minute = 0; minute < 3; minute += 1) {
    await env.clock.advance("59s");
    await env.write(":\n\n");
  }
  assert.equal(env.transport.requests.length, 1);
  await env.write("data: a\n\ndata: b\n\ndata: c\n\n");
  await env.clock.advance("10m");
  assert.equal(env.transport.requests.length, 1, "nobody reads");
  assert.deepEqual(await env.take(), ["a", "b", "c"]);
  await env.clock.advance("1m");
  assert.equal(env.state()?.phase, "failing");
  assert.match(String(env.state()?.lastError), /nothing has come for 60000 ms/);
  await env.clock.advance("3s");
  assert.equal(env.transport.requests.length, 2);
  assert.equal(env.transport.open, 1);
  await env.close();
});

test("sseSource fails when the server cannot be read, is opened again with backoff, and recovers when it answers", async () => {
  const env = setUp({ read: data });
  env.transport.on(
    {},
    { status: 503 },
    { status: 401 },
    { headers: { "content-type": "text/html; charset=utf-8" }, body: "<html>" },
    { error: new Error("connect ECONNREFUSED") },
    { silent: true },
  );
  await env.open();
  const errors: unknown[] = [];
  for (let failures = 1; failures <= 4; failures += 1) {
    errors.push(env.state()?.lastError);
    assert.equal(env.state()?.phase, "failing");
    assert.equal(env.count("failures"), failures);
    while (env.transport.requests.length === failures) await env.clock.advance("100ms");
  }
  assert.deepEqual(errors, [
    "Cannot read source sse-flags.test: flags.test answered 503",
    "Cannot read source sse-flags.test: flags.test answered 401",
    'Cannot read source sse-flags.test: flags.test answers "text/html; charset=utf-8", not text/event-stream',
    "connect ECONNREFUSED",
  ]);
  await env.clock.advance("1m");
  assert.equal(env.state()?.phase, "failing", "it has not answered yet");
  env.transport.on({}, { headers: { "content-type": "text/event-stream" }, body: createScriptedStream() });
  await env.clock.advance("10m");
  assert.equal(env.state()?.phase, "serving");
  await env.close();
});

test("sseSource ends for good when the server answers 204", async () => {
  const env = setUp({ read: data });
  await env.open();
  await env.write("data: a\n\n");
  env.transport.on({}, { status: 204 });
  env.streams[0]?.end();
  await env.clock.advance("1h");
  assert.equal(env.state()?.phase, "ended");
  assert.equal(env.transport.requests.length, 2);
  assert.deepEqual(await env.take(), ["a"]);
  await env.close();
});

test("sseSource fails with an event that is larger than it reads, whole or in parts, and says so", async () => {
  for (const parts of [1, 10]) {
    const env = setUp({ read: data, maxEventBytes: 1_000 });
    await env.open();
    await env.write(`data: ${"x".repeat(1_000)}\n\n`);
    assert.deepEqual(await env.take(), ["x".repeat(1_000)]);
    const large = `data: ${"€".repeat(334)}\n\ndata: more\n\n`;
    const size = Math.ceil(large.length / parts);
    for (let at = 0; at < large.length; at += size) env.streams[0]?.write(large.slice(at, at + size));
    await env.clock.settle();
    assert.equal(env.state()?.phase, "failing");
    assert.match(String(env.state()?.lastError), /an event is larger than the 1000 bytes/);
    assert.deepEqual(await env.take(), []);
    await env.close();
  }
});

test("sseSource keeps no more of an event that never ends than it reads at most", async () => {
  const env = setUp({ read: data, maxEventBytes: 10_000 });
  await env.open();
  for (let lines = 0; lines < 30; lines += 1) await env.write(`data: ${"x".repeat(1_000)}\n`);
  assert.equal(env.state()?.phase, "failing");
  await env.close();
});

test("sseSource reads its headers for each connection, and is redirected under its policy, without them to another origin", async () => {
  let asked = 0;
  const connectPolicy = (): void => {};
  const env = setUp({
    connectPolicy,
    headers: async () => {
      asked += 1;
      return { Authorization: `Bearer ${asked}` };
    },
  });
  await env.open();
  env.transport.on({ path: "/stream" }, { status: 307, headers: { location: "https://other.test/events" } });
  await env.write("id: 5\n\n");
  env.streams[0]?.end();
  await env.clock.advance("3s");
  const [first, second, third] = env.transport.requests;
  assert.equal(first?.headers?.authorization, "Bearer 1");
  assert.equal(second?.headers?.authorization, "Bearer 2");
  assert.equal(third?.url, "https://other.test/events");
  assert.equal(third.headers?.authorization, undefined);
  assert.equal(third.headers?.["last-event-id"], "5");
  assert.ok(env.transport.requests.every((request) => request.connectPolicy === connectPolicy));
  await env.close();
});

test("sseSource fails with a stream that is compressed, in which it would find no event", async () => {
  const env = setUp();
  env.transport.on(
    {},
    { headers: { "content-type": "text/event-stream", "content-encoding": "gzip" }, body: "\u001f" },
  );
  await env.open();
  assert.equal(env.state()?.phase, "failing");
  assert.match(env.state()?.lastError ?? "", /flags\.test answers in the coding "gzip"/);
  await env.close();
});

test("sseSource leaves out what is no event of ours, and counts what cannot be read", async () => {
  const env = setUp<number>({
    read: ({ event, data }) => (event === "number" ? (JSON.parse(data) as number) : undefined),
  });
  await env.open();
  await env.write("event: number\ndata: 1\n\ndata: 2\n\nevent: number\ndata: {\n\nevent: number\ndata: 4\n\n");
  assert.deepEqual(await env.take(), [1, 4]);
  assert.equal(env.count("dead_letters"), 1);
  await env.close();
});

test("sseSource sends an id as UTF-8, and keeps none that no header can hold", async () => {
  const env = setUp({ read: data });
  await env.open();
  const ids = ["größe €", "tab\tin", "\u0001", "bell\u0007", "x".repeat(5_000)];
  for (const id of ids) {
    await env.write(`id: ${id}\ndata: ${id.length}\n\n`);
    env.streams.at(-1)?.end();
    await env.clock.advance("3s");
  }
  const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
  assert.deepEqual(env.lastIds(), [undefined, utf8("größe €"), "tab\tin", "tab\tin", "tab\tin", "tab\tin"]);
  assert.equal((await env.take()).length, 5);
  await env.close();
});

test("sseSource that is opened again goes on behind what was read, though it has not been worked on", async () => {
  const env = setUp({ read: data });
  await env.open();
  await env.write("id: 1\ndata: a\n\nid: 2\ndata: b\n\n");
  const held = await env.receive();
  await env.close();
  held?.hold.giveBack();
  await env.open();
  assert.deepEqual(env.lastIds(), [undefined, "2"]);
  assert.deepEqual(await env.take(), ["a", "b"], "this process has kept them");
  await env.close();
});

/** A store in memory; `fail` makes its next writes fail. */
function memoryStore(place?: string) {
  const writes: string[] = [];
  let failures = 0;
  return {
    writes,
    place,
    fail(times: number): void {
      failures = times;
    },
    read(): string | undefined {
      return this.place;
    },
    async write(next: string): Promise<void> {
      failures -= 1;
      if (failures >= 0) throw new Error("the store is away");
      this.place = next;
      writes.push(next);
    },
  };
}

test("sseSource with a checkpoint begins behind it, and writes the id before which all is worked on", async () => {
  const checkpoint = memoryStore("40");
  const env = setUp({ read: data, checkpoint });
  await env.open();
  assert.deepEqual(env.lastIds(), ["40"]);
  await env.write("id: 41\ndata: a\n\nid: 42\ndata: b\n\ndata: c\n\nid: 43\n\nid: 44\ndata: d\n\n");
  const [a, b, c, d] = [await env.receive(), await env.receive(), await env.receive(), await env.receive()];
  b?.hold.done();
  await env.clock.advance("5s");
  assert.deepEqual(checkpoint.writes, [], "a is not done");
  a?.hold.done();
  await env.clock.advance("5s");
  assert.deepEqual(checkpoint.writes, ["42"]);
  c?.hold.done();
  await env.clock.advance("5s");
  assert.deepEqual(checkpoint.writes, ["42", "43"]);
  const closing = env.close();
  d?.hold.done();
  await closing;
  assert.deepEqual(checkpoint.writes, ["42", "43", "44"], "what is done while it closes is written too");
  await env.open();
  assert.deepEqual(env.lastIds(), ["40", "44"]);
  await env.close();
});

test("sseSource with a checkpoint delivers an event again that was given back, and is asked for it again by the next process", async () => {
  const checkpoint = memoryStore();
  const env = setUp({ read: data, checkpoint });
  await env.open();
  await env.write("id: 1\ndata: a\n\nid: 2\ndata: b\n\n");
  const a = await env.receive();
  (await env.receive())?.hold.done();
  a?.hold.giveBack("30s");
  await env.clock.advance("29s");
  assert.equal(await env.receive(), undefined);
  await env.clock.advance("1s");
  const again = await env.receive();
  assert.equal(again?.event.object, "a");
  assert.deepEqual(checkpoint.writes, []);
  again?.hold.giveBack();
  await env.close();
  assert.deepEqual(checkpoint.writes, []);
  await env.open();
  assert.deepEqual(env.lastIds(), [undefined, undefined]);
  await env.close();
});

test("sseSource writes its checkpoint at most once a second, and again when that failed", async () => {
  const checkpoint = memoryStore();
  const env = setUp({ read: data, checkpoint });
  await env.open();
  for (let n = 1; n <= 50; n += 1) {
    await env.write(`id: ${n}\ndata: ${n}\n\n`);
    await env.take();
    await env.clock.advance("100ms");
  }
  assert.ok(checkpoint.writes.length >= 5 && checkpoint.writes.length <= 6, `${checkpoint.writes.length} writes`);
  checkpoint.fail(3);
  await env.clock.advance("1s");
  await env.write("id: last\ndata: last\n\n");
  await env.take();
  await env.clock.advance("10s");
  assert.equal(checkpoint.place, "last");
  assert.equal(env.count("acknowledgement_errors"), 3);
  await env.close();
});

test("sseSource with a checkpoint that the server ends waits until all is worked on", async () => {
  const checkpoint = memoryStore();
  const env = setUp({ read: data, checkpoint });
  await env.open();
  await env.write("id: 1\ndata: a\n\n");
  const held = await env.receive();
  env.transport.on({}, { status: 204 });
  env.streams[0]?.end();
  await env.clock.advance("1m");
  held?.hold.giveBack();
  const again = await env.receive();
  assert.equal(again?.event.object, "a");
  assert.notEqual(env.state()?.phase, "ended");
  again?.hold.done();
  await env.clock.settle();
  assert.equal(env.state()?.phase, "ended");
  assert.deepEqual(checkpoint.writes, ["1"]);
  await env.close();
});

test("sseSource refuses options that it cannot keep", () => {
  for (const options of [
    { url: "ftp://a.test" },
    { url: "/stream" },
    { url: "https://me:hunter2@a.test" },
    { url: "https://a.test", idle: 0 },
    { url: "https://a.test", maxEventBytes: 0 },
  ] as const) {
    assert.throws(
      () => sseSource(options),
      (error) => isCodedError(error, "InvalidOption") && !error.message.includes("hunter2"),
    );
  }
});

test("sseSource waits for headers that do not come no longer than for its server, nor longer than it is open", async () => {
  let asked = 0;
  const env = setUp({
    headers() {
      asked += 1;
      return new Promise(() => {});
    },
  });
  await env.open();
  await env.clock.advance("5m");
  assert.equal(env.state()?.phase, "failing");
  assert.match(env.state()?.lastError ?? "", /nothing has come for 300000 ms/);
  await env.clock.advance("5s");
  assert.equal(asked, 2);
  await env.close();
  assert.ok(!env.log.lines.some(({ message }) => message.includes("did not close")));
});
