import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { createScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { createDelivery, type Hold } from "../event/delivery.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import { createRequestAnnotator } from "./request-annotator.ts";

const Lamp = defineBuiltin({ group: "example.farwatch.dev", version: "v1", kind: "Lamp" });
const lamps = /^\/apis\/example.farwatch.dev\/v1\/namespaces\/ns\/lamps\//;
const stored = {
  body: { apiVersion: Lamp.apiVersion, kind: Lamp.kind, metadata: { name: "x", resourceVersion: "2" } },
};

function setUp() {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const config = staticConfig({ server: "https://api.test" });
  const client = createClient({ transport, clock, config, resources: [Lamp] });
  const annotator = createRequestAnnotator({
    resource: Lamp,
    client,
    clock,
    log: silentLogger,
    metrics: createMetrics(),
  });
  const stop = new AbortController();
  const running = annotator.run(stop.signal);
  const outcomes: (string | undefined)[] = [];
  const event = (...names: readonly string[]): void => {
    const index = outcomes.push(undefined) - 1;
    const settle = (outcome: string) => (): void => {
      outcomes[index] = `${outcome} at ${clock.elapsed()}`;
    };
    const hold: Hold = createDelivery({ done: settle("done"), retry: settle("retry") }).hold();
    for (const name of names) annotator.add({ namespace: "ns", name }, { cause: hold.split() });
    hold.done();
  };
  const times = (): readonly number[] => transport.requests.map(({ at }) => at);
  return { clock, transport, annotator, stop, running, outcomes, event, times };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `l${n}`);

test("request annotator writes a token of time and chance, and the event is done when that is stored", async () => {
  const { clock, transport, outcomes, event } = setUp();
  transport.on({ method: "PATCH", path: lamps }, { ...stored, after: "100ms" });
  event("desk");
  await clock.settle();
  assert.deepEqual(outcomes, [undefined]);
  await clock.advance("100ms");
  assert.deepEqual(outcomes, ["done at 100"]);
  const [sent] = transport.requests;
  assert.ok(sent);
  assert.equal(sent.path, "/apis/example.farwatch.dev/v1/namespaces/ns/lamps/desk");
  assert.equal(sent.headers?.["content-type"], "application/merge-patch+json");
  const { metadata } = sent.json as { readonly metadata: { readonly annotations: Readonly<Record<string, string>> } };
  assert.deepEqual(Object.keys(metadata), ["annotations"]);
  assert.match(metadata.annotations["farwatch.dev/requested-at"] ?? "", /^2030-01-01T00:00:00\.000Z\/[\w-]{8}$/);
});

test("request annotator takes an object that is gone for done", async () => {
  const { clock, transport, outcomes, event } = setUp();
  const gone = { status: 404, body: { kind: "Status", status: "Failure", code: 404, reason: "NotFound" } };
  transport.on({ path: lamps }, gone);
  event("desk");
  await clock.settle();
  assert.deepEqual(outcomes, ["done at 0"]);
});

test("request annotator rejects an object that there can be none of, and sends nothing for it", async () => {
  const { clock, transport, annotator } = setUp();
  const reasons: unknown[] = [];
  const ack = {
    done: () => assert.fail("done"),
    retry: () => assert.fail("retry"),
    reject: reasons.push.bind(reasons),
  };
  const impossible = [
    { namespace: "ns", name: "team/app" },
    { namespace: "No Such/../x", name: "app" },
    { name: "without-namespace" },
  ];
  for (const request of impossible) annotator.add(request, { cause: createDelivery(ack).hold() });
  await clock.settle();
  assert.deepEqual(
    reasons.map((reason) => isCodedError(reason, "InvalidOption")),
    [true, true, true],
  );
  assert.deepEqual(transport.requests, []);
});

test("request annotator gives back what the API server refused, and what is not stored after 5 s", async () => {
  const { clock, transport, outcomes, event } = setUp();
  const forbidden = { status: 403, body: { kind: "Status", status: "Failure", code: 403, reason: "Forbidden" } };
  transport.on({ path: lamps }, forbidden);
  transport.on({ path: /slow$/ }, { silent: true });
  event("desk");
  event("slow");
  await clock.settle();
  assert.deepEqual(outcomes, ["retry at 0", undefined]);
  await clock.advance("5s");
  assert.deepEqual(outcomes[1], "retry at 5000");
});

test("request annotator writes once a second for an object, and later events share the next write", async () => {
  const { clock, transport, outcomes, event, times } = setUp();
  transport.on({ path: lamps }, stored);
  event("desk");
  await clock.advance("100ms");
  for (let n = 0; n < 20; n += 1) event("desk");
  event("shelf");
  await clock.advance("2s");
  assert.deepEqual(times(), [0, 100, 1_000]);
  assert.deepEqual(outcomes, ["done at 0", ...Array.from({ length: 20 }, () => "done at 1000"), "done at 100"]);
});

test("request annotator does not take a write under way for an event that came after it", async () => {
  const { clock, transport, outcomes, event, times } = setUp();
  transport.on({ path: lamps }, { ...stored, after: "300ms" });
  event("desk");
  await clock.advance("100ms");
  event("desk");
  await clock.advance("2s");
  assert.deepEqual(times(), [0, 1_000]);
  assert.deepEqual(outcomes, ["done at 300", "done at 1300"]);
});

test("request annotator writes at once for 100 objects, and 50 a second beyond", async () => {
  const { clock, transport, outcomes, event, times } = setUp();
  transport.on({ path: lamps }, stored);
  event(...names(100));
  await clock.settle();
  assert.equal(times().length, 100);
  assert.deepEqual(outcomes, ["done at 0"]);
  const other = setUp();
  other.transport.on({ path: lamps }, stored);
  other.event(...names(200));
  await other.clock.advance("5s");
  const at = other.times();
  assert.equal(at.filter((ms) => ms === 0).length, 100);
  assert.equal(at.filter((ms) => ms > 0 && ms <= 1_000).length, 50);
  assert.deepEqual(other.outcomes, ["done at 2000"]);
});

test("request annotator gives back an event of more objects than 5 s are enough for", async () => {
  const { clock, transport, outcomes, event } = setUp();
  transport.on({ path: lamps }, stored);
  event(...names(1_000));
  await clock.advance("6s");
  assert.match(outcomes[0] ?? "", /^retry at/);
  assert.ok(transport.requests.length <= 351, `${transport.requests.length} writes`);
  // Repeating is harmless: what comes next is written again.
  await clock.advance("10s");
  event("l1");
  await clock.settle();
  assert.match(outcomes[1] ?? "", /^done at/);
});

test("request annotator gives everything back when it stops, and takes nothing afterwards", async () => {
  const { clock, transport, outcomes, event, stop, running } = setUp();
  transport.on({ path: lamps }, { silent: true });
  event(...names(150));
  await clock.settle();
  stop.abort(new Error("stop"));
  await running;
  event("desk");
  await clock.settle();
  assert.deepEqual(outcomes, ["retry at 0", "retry at 0"]);
  assert.equal(clock.pendingTimers, 0);
});
