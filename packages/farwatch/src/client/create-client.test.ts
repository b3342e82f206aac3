import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { CodedError } from "../error/coded-error.ts";
import type { LeaderClient, Reader } from "./client.ts";
import type { ClientView, ConnectedClient, Fence } from "./connected-client.ts";
import { createClient } from "./create-client.ts";
import { failure, Gauge, gauge, path, refused, setUp } from "./scripted-gauge.fixture.ts";
import { staticConfig } from "./static-config.ts";

test("client view reads from its reader, and from the server with live", async () => {
  const { transport, client } = setUp();
  transport.on({}, { body: gauge({ version: "live" }) });
  transport.on({ path: "/apis/x.dev/v1/gauges" }, { body: { items: [] } });
  const asked: unknown[] = [];
  const cached = gauge({ version: "cached" });
  const reads: Reader = {
    async get(...args) {
      asked.push(["get", ...args]);
      return cached as never;
    },
    async find(...args) {
      asked.push(["find", ...args]);
      return cached as never;
    },
    async list(...args) {
      asked.push(["list", ...args]);
      return [cached] as never;
    },
  };
  const view = client.view({ reads });
  const key = { namespace: "a", name: "b" };
  assert.equal(await view.get(Gauge, key), cached);
  assert.equal(await view.find(Gauge, key, { live: false }), cached);
  assert.deepEqual(await view.list(Gauge, { index: ["x", "y"] }), [cached]);
  assert.equal(transport.requests.length, 0);
  assert.deepEqual(asked, [
    ["get", Gauge, key, undefined],
    ["find", Gauge, key, { live: false }],
    ["list", Gauge, { index: ["x", "y"] }],
  ]);
  assert.equal((await view.get(Gauge, key, { live: true })).metadata.resourceVersion, "live");
  assert.deepEqual(await view.list(Gauge, { live: true }), []);
});

test("client view tells of each object written and each deletion, not of dry runs, other kinds and no-ops", async () => {
  const { transport, client } = setUp();
  const told: unknown[] = [];
  const view = client.view({ onWrite: (object, change) => told.push([object, change]) });
  transport.on({}, { body: gauge({ version: "8" }) });
  transport.on({ path: `${path}/scale` }, { body: { kind: "Scale", apiVersion: "autoscaling/v1", metadata: {} } });
  await view.patchStatus(gauge(), { value: "high" });
  await view.patchStatus(gauge(), { value: "high" }, { dryRun: true });
  await view.patchStatus(gauge(), { value: "low" });
  await view.patch(gauge(), { spec: { replicas: 2 } }, { subresource: "scale" });
  await client.patchStatus(gauge(), { value: "high" });
  assert.deepEqual(told.splice(0), [[gauge({ version: "8" }), "written"]]);

  const key = { namespace: "a", name: "b" };
  await view.delete(Gauge, key);
  assert.deepEqual(told.splice(0), [[gauge({ version: "8" }), "written"]]);
  transport.on({ method: "DELETE" }, { body: { kind: "Status", status: "Success", details: { uid: "u1" } } });
  await view.delete(Gauge, key, { dryRun: true });
  await view.delete(Gauge, key);
  const metadata = { namespace: "a", name: "b", uid: "u1", resourceVersion: "" };
  assert.deepEqual(told, [[{ apiVersion: "x.dev/v1", kind: "Gauge", metadata }, "deleted"]]);
});

function fencedView(
  client: ConnectedClient,
  view: ClientView = {},
): {
  readonly leader: LeaderClient;
  readonly lose: () => void;
  readonly abort: () => void;
  readonly lost: CodedError;
} {
  const notLeader = new CodedError("NotLeader", "Cannot write: the lease may have been lost");
  const lostLease = new CodedError("LeadershipLost", "Cannot go on as leader: the lease was lost");
  const controller = new AbortController();
  let lost = false;
  const fence: Fence = {
    signal: controller.signal,
    check(): void {
      if (lost) throw notLeader;
    },
  };
  return {
    leader: client.view({ ...view, fence }),
    lose() {
      lost = true;
    },
    abort: () => controller.abort(lostLease),
    lost: lostLease,
  };
}

// Promise 12
test("client view with a fence starts no write once the fence refuses, and goes on reading", async () => {
  const { transport, client } = setUp();
  transport.on({}, { body: gauge() });
  const { leader, lose } = fencedView(client);
  await leader.patchStatus(gauge(), { value: "high" });
  lose();
  const key = { namespace: "a", name: "b" };
  const input = { metadata: key, spec: { replicas: 1 } };
  for (const write of [
    leader.create(Gauge, input),
    leader.apply(Gauge, input),
    leader.update(gauge()),
    leader.updateStatus(gauge()),
    leader.patch(gauge(), { spec: { replicas: 2 } }),
    leader.patch(gauge(), [{ op: "remove", path: "/status" }]),
    leader.patchStatus(gauge(), { value: "high" }),
    leader.applyStatus(gauge(), { value: "high" }),
    leader.delete(Gauge, key),
    leader.deleteCollection(Gauge, { namespace: "a" }),
  ]) {
    await refused(write, "NotLeader");
  }
  assert.equal(transport.requests.length, 1);
  await leader.get(Gauge, key);
  await client.patchStatus(gauge(), { value: "high" });
  assert.equal(transport.requests.length, 3);
});

// Promise 12
test("client view with a fence refuses with NotLeader what begins after the term, whatever ended that", async () => {
  const { transport, client } = setUp();
  const { leader, lose, abort } = fencedView(client);
  lose();
  abort();
  await refused(leader.patchStatus(gauge(), { value: "high" }), "NotLeader");
  assert.equal(transport.requests.length, 0);
});

// Promise 12
test("client view with a fence does not repeat a write once the fence refuses", async () => {
  const { clock, transport, client } = setUp();
  transport.on({}, { ...failure(429, "TooManyRequests"), headers: { "retry-after": "1" } });
  const { leader, lose } = fencedView(client);
  const write = leader.patchStatus(gauge(), { value: "high" });
  const settled = refused(write, "NotLeader");
  await clock.settle();
  lose();
  await clock.advance("2s");
  await settled;
  assert.equal(transport.requests.length, 1);
});

// Promise 12
test("client view with a fence aborts what is under way, with and without a signal of the caller", async () => {
  for (const signal of [undefined, new AbortController().signal]) {
    const { clock, transport, client } = setUp();
    transport.on({}, { silent: true });
    const { leader, abort, lost } = fencedView(client);
    const write = assert.rejects(leader.patchStatus(gauge(), { value: "high" }, { signal }), (error) => error === lost);
    const read = leader.get(Gauge, { namespace: "a", name: "b" }, { signal });
    const timedOut = refused(read, "Timeout");
    await clock.settle();
    assert.equal(transport.open, 2);
    abort();
    await write;
    assert.equal(transport.open, 1);
    await clock.advance("30s");
    await timedOut;
    assert.equal(clock.pendingTimers, 0);
  }
});

test("client hands on the reason of the caller's signal, from every method", async () => {
  const { transport, client } = setUp();
  transport.on({}, { silent: true });
  const { leader } = fencedView(client);
  const reason = new Error("enough");
  const controller = new AbortController();
  const { signal } = controller;
  const key = { namespace: "a", name: "b" };
  const input = { metadata: key, spec: { replicas: 1 } };
  const calls = [client, leader].flatMap((any) => [
    any.get(Gauge, key, { signal }),
    any.find(Gauge, key, { signal }),
    any.list(Gauge, { signal }),
    any.create(Gauge, input, { signal }),
    any.apply(Gauge, input, { signal }),
    any.update(gauge(), { signal }),
    any.updateStatus(gauge(), { signal }),
    any.patch(gauge(), { spec: { replicas: 2 } }, { signal }),
    any.patchStatus(gauge(), { value: "high" }, { signal }),
    any.applyStatus(gauge(), { value: "high" }, { signal }),
    any.delete(Gauge, key, { signal }),
    any.deleteCollection(Gauge, { namespace: "a", signal }),
  ]);
  const ended = Promise.allSettled(calls);
  controller.abort(reason);
  for (const call of await ended) assert.equal(call.status === "rejected" ? call.reason : undefined, reason);
  assert.equal(transport.open, 0);
});

test("client tells of a broken configuration at the first request, not before", async () => {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  transport.on({}, { body: gauge() });
  const broken = Promise.reject(new CodedError("InvalidConfig", "Cannot read kubeconfig: broken"));
  await using client = createClient({ config: broken, transport, clock });
  await clock.settle();
  await refused(client.get(Gauge, { namespace: "a", name: "b" }), "InvalidConfig");
  await refused(client.config(), "InvalidConfig");
});

test("client leaves a transport that it was given open", async () => {
  const clock = createVirtualClock();
  let closed = 0;
  const transport = {
    ...createScriptedTransport(clock),
    [Symbol.asyncDispose]: async () => {
      closed += 1;
    },
  };
  const client = createClient({ config: staticConfig({ server: "https://api.test" }), transport, clock });
  await client[Symbol.asyncDispose]();
  await client[Symbol.asyncDispose]();
  assert.equal(closed, 0);
  await refused(
    client.get(Gauge, { namespace: "a", name: "b" }),
    "ConnectionFailed",
    "Cannot send a request: the client has been closed",
  );
});
