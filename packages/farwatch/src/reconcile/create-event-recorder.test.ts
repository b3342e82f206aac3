import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { createScriptedCluster } from "../doubles/scripted-cluster.fixture.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { Event } from "../resource/kind/event.ts";
import type { KubeObject } from "../wire/object.ts";
import { createEventRecorder } from "./create-event-recorder.ts";
import type { EventNote } from "./event-recorder.ts";

const bucket: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Bucket",
  metadata: { namespace: "x", name: "b", uid: "u1", resourceVersion: "7" },
};
const lost: EventNote = { type: "Warning", reason: "Timeout", action: "Probe", note: "the bucket did not answer" };

function setUp() {
  const clock = createVirtualClock();
  const cluster = createScriptedCluster(clock);
  const client = createClient({ config: staticConfig({ server: "https://api" }), transport: cluster.transport, clock });
  const metrics = createMetrics();
  const recorder = createEventRecorder({
    client,
    clock,
    log: silentLogger,
    metrics,
    controller: "farwatch.dev/bucket",
    instance: "pod-1",
  });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  const events = (): readonly Event[] => cluster.list(Event) as readonly Event[];
  return { clock, cluster, recorder, stop, running, events, metrics };
}

test("eventRecorder writes an Event about the object in its namespace", async () => {
  const { clock, recorder, events, stop, running } = setUp();
  recorder.record(bucket, lost);
  await clock.settle();
  const [event] = events();
  assert.equal(event?.metadata.namespace, "x");
  assert.match(event?.metadata.name ?? "", /^b\.[0-9a-f-]{13}$/);
  assert.match(event?.eventTime ?? "", /\.\d{6}Z$/);
  assert.deepEqual(event?.regarding, {
    apiVersion: "example.com/v1",
    kind: "Bucket",
    name: "b",
    namespace: "x",
    uid: "u1",
    resourceVersion: "7",
  });
  assert.deepEqual(
    [event?.type, event?.reason, event?.action, event?.note],
    ["Warning", "Timeout", "Probe", "the bucket did not answer"],
  );
  assert.deepEqual([event?.reportingController, event?.reportingInstance], ["farwatch.dev/bucket", "pod-1"]);
  stop.abort();
  await running;
});

test("eventRecorder writes an Event about a cluster-scoped object where kubectl looks for it", async () => {
  const { clock, recorder, events, stop, running } = setUp();
  const { namespace: _, ...metadata } = bucket.metadata;
  recorder.record({ ...bucket, metadata }, lost);
  await clock.settle();
  const [event] = events();
  assert.equal(event?.metadata.namespace, "default");
  assert.equal(event?.regarding?.namespace, undefined, "the field selector of kubectl describe asks for none");
  stop.abort();
  await running;
});

test("eventRecorder gives an Event a name that the server takes, whatever the object's", async () => {
  const { clock, recorder, events } = setUp();
  const names = [
    `${"x".repeat(199)}-${"y".repeat(53)}`,
    `${"x".repeat(198)}.-${"y".repeat(53)}`,
    "system:node:a",
    "a.b-c",
  ];
  for (const name of names) recorder.record({ ...bucket, metadata: { ...bucket.metadata, name, uid: name } }, lost);
  await clock.settle();
  const [cut, dotted, colons, whole] = events().map(({ metadata }) => metadata.name);
  assert.match(cut ?? "", /^x{199}\.[0-9a-f]{8}-[0-9a-f]{4}$/);
  assert.match(dotted ?? "", /^x{198}\.[0-9a-f]{8}-[0-9a-f]{4}$/);
  assert.match(colons ?? "", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.match(whole ?? "", /^a\.b-c\.[0-9a-f]{8}-[0-9a-f]{4}$/);
});

test("eventRecorder cuts reason and action to the bytes that the server takes", async () => {
  const { clock, recorder, events } = setUp();
  recorder.record(bucket, { ...lost, reason: "Ä".repeat(100), action: "Probe".repeat(30) });
  await clock.settle();
  for (const word of [events()[0]?.reason, events()[0]?.action])
    assert.equal(Buffer.byteLength(word ?? "") <= 128, true);
});

test("eventRecorder remembers a bounded number of series, however many notes differ", async () => {
  const { clock, recorder, stop, running } = setUp();
  for (let i = 0; i < 6_000; i += 1) {
    recorder.record(bucket, { ...lost, note: `it took ${i} ms` });
    if (i % 500 === 0) await clock.settle();
  }
  assert.equal(clock.pendingTimers, 4_096, "a timer a series");
  stop.abort();
  await running;
});

test("eventRecorder counts what is recorded after it stopped, and keeps nothing of it", async () => {
  const { clock, recorder, events, stop, running, metrics } = setUp();
  stop.abort();
  await running;
  recorder.record(bucket, lost);
  await clock.settle();
  assert.deepEqual([events().length, clock.pendingTimers], [0, 0]);
  assert.equal(
    metrics
      .counter({ name: "farwatch_events_dropped_total", help: "", labelNames: ["reason"] })
      .read({ reason: "stopped" }),
    1,
  );
});

// B62
test("eventRecorder makes one Event with a count of what repeats within ten minutes", async () => {
  const { clock, cluster, recorder, events, stop, running } = setUp();
  for (let i = 0; i < 30; i += 1) {
    recorder.record(bucket, lost);
    await clock.advance("10s");
  }
  await clock.advance("1m");
  assert.equal(events().length, 1);
  assert.equal(events()[0]?.series?.count, 30);
  assert.ok(cluster.writes.length <= 8, `a write a minute at the most, ${cluster.writes.length} were made`);
  await clock.advance("10m");
  recorder.record(bucket, lost);
  await clock.settle();
  assert.equal(events().length, 2, "what comes ten minutes later is another Event");
  stop.abort();
  await running;
  await clock.advance("1h");
  assert.equal(clock.pendingTimers, 0);
});

test("eventRecorder keeps no more of a note than is written: what differs behind that repeats", async () => {
  const { recorder, events, stop, running } = setUp();
  for (const end of ["a", "b"]) recorder.record(bucket, { ...lost, note: "x".repeat(2_000) + end });
  stop.abort();
  await running;
  assert.equal(events().length, 1);
});

test("eventRecorder keeps Events apart that differ in anything that a person reads", async () => {
  const { clock, recorder, events, stop, running } = setUp();
  recorder.record(bucket, lost);
  recorder.record(bucket, { ...lost, type: "Normal" });
  recorder.record(bucket, { ...lost, note: "another" });
  recorder.record({ ...bucket, metadata: { ...bucket.metadata, uid: "u2" } }, lost);
  await clock.settle();
  assert.equal(events().length, 4);
  stop.abort();
  await running;
});

test("eventRecorder writes what was recorded before it stops, counts included", async () => {
  const { clock, recorder, events, stop, running } = setUp();
  recorder.record(bucket, lost);
  await clock.settle();
  recorder.record(bucket, lost);
  recorder.record(bucket, { ...lost, reason: "Available" });
  stop.abort();
  await running;
  assert.equal(events().length, 2);
  assert.equal(events()[0]?.series?.count, 2);
});

test("eventRecorder waits 5 s for its last Events and counts those that are left", async () => {
  const { clock, cluster, recorder, stop, running, metrics } = setUp();
  cluster.transport.on({ method: "POST" }, { silent: true });
  for (let i = 0; i < 20; i += 1) recorder.record(bucket, { ...lost, note: `note ${i}` });
  await clock.settle();
  stop.abort();
  await clock.advance("5s");
  await running;
  assert.match((await metrics.expose()).body, /farwatch_events_dropped_total\{reason="stopped"\} 20/);
  assert.equal(clock.pendingTimers, 0);
});

test("eventRecorder cuts a note to what the server takes, between characters", async () => {
  const { clock, recorder, events, stop, running } = setUp();
  recorder.record(bucket, { ...lost, note: "🪣".repeat(1_000) });
  await clock.settle();
  const note = events()[0]?.note ?? "";
  assert.ok(Buffer.byteLength(note) <= 1_024);
  assert.match(note, /^(🪣)+…$/u);
  stop.abort();
  await running;
});

test("eventRecorder goes on after an Event that the server refuses, and counts it", async () => {
  const { clock, cluster, recorder, events, stop, running, metrics } = setUp();
  let refusals = 1;
  cluster.transport.on({ method: "POST" }, (request) => {
    refusals -= 1;
    if (refusals >= 0) return { status: 403, body: { kind: "Status", code: 403, reason: "Forbidden", message: "no" } };
    return {
      status: 201,
      body: { ...(request.json as object), metadata: { name: "e", namespace: "x", uid: "u", resourceVersion: "1" } },
    };
  });
  recorder.record(bucket, lost);
  recorder.record(bucket, { ...lost, reason: "Available" });
  await clock.settle();
  assert.equal(cluster.transport.requests.length, 2);
  assert.equal(events().length, 0);
  assert.equal(
    metrics
      .counter({ name: "farwatch_events_dropped_total", help: "", labelNames: ["reason"] })
      .read({ reason: "refused" }),
    1,
  );
  stop.abort();
  await running;
});
