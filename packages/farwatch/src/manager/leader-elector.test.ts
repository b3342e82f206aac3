import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { instantOf } from "../clock/instant.ts";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedTransport, type RecordedRequest, type ScriptedAnswer } from "../doubles/scripted-transport.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { createLeaderElector, type LeaderElectorOptions, type Term } from "./leader-elector.ts";

const path = "/apis/coordination.k8s.io/v1/namespaces/ops/leases";
const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

type LeaseSpec = Record<string, unknown>;

/** A Lease on a scripted API server that checks versions as the real one does, and can be told to fail. */
function leaseServer() {
  let version = 0;
  let spec: LeaseSpec | undefined;
  let failing: ScriptedAnswer | undefined;
  const lease = () => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { namespace: "ops", name: "app", uid: "u1", resourceVersion: String(version) },
    spec,
  });
  const status = (code: number, reason: string): ScriptedAnswer => ({
    status: code,
    body: { kind: "Status", code, reason, message: reason },
  });
  const answer = (request: RecordedRequest): ScriptedAnswer => {
    if (failing !== undefined) return failing;
    const body = request.json as { metadata: { resourceVersion?: string }; spec: LeaseSpec } | undefined;
    if (request.method === "GET") return spec === undefined ? status(404, "NotFound") : { body: lease() };
    if (request.method === "POST" && spec !== undefined) return status(409, "AlreadyExists");
    if (request.method === "PUT" && body?.metadata.resourceVersion !== String(version)) return status(409, "Conflict");
    version += 1;
    spec = body?.spec;
    return { body: lease() };
  };
  return {
    answer,
    get spec() {
      return spec;
    },
    /** Writes the Lease as somebody else. */
    write(next: LeaseSpec): void {
      version += 1;
      spec = next;
    },
    fail(with_: ScriptedAnswer | undefined): void {
      failing = with_;
    },
  };
}

function candidate(
  clock: VirtualClock,
  server: ReturnType<typeof leaseServer>,
  identity: string,
  options: Partial<LeaderElectorOptions> = {},
) {
  const transport = createScriptedTransport(clock);
  transport.on({ path: new RegExp(`^${path}`) }, server.answer);
  const client = createClient({ config: staticConfig({ server: "https://api" }), transport, clock });
  const elector = createLeaderElector({
    client,
    clock: { ...clock, random: () => 0 },
    log: silentLogger,
    metrics: createMetrics(),
    leaseName: "app",
    namespace: "ops",
    identity,
    ...options,
  });
  const stop = new AbortController();
  let term: Term | undefined;
  const campaign = (): void => {
    term = undefined;
    elector.campaign(stop.signal).then(
      (won) => {
        term = won;
      },
      () => {},
    );
  };
  return {
    transport,
    client,
    elector,
    stop,
    campaign,
    get term() {
      return term;
    },
    get leads() {
      return term !== undefined && !term.fence.signal.aborted;
    },
  };
}

function writes(requests: readonly RecordedRequest[]) {
  return requests.filter(({ method }) => method !== "GET");
}

// B07
test("leaderElector writes times with six fraction digits in every create, renewal and release", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.advance("5s");
  await a.term?.end({ release: true });
  const bodies = writes(a.transport.requests).map(({ json }) => (json as { spec: LeaseSpec }).spec);
  assert.deepEqual(
    writes(a.transport.requests).map(({ method }) => method),
    ["POST", "PUT", "PUT", "PUT"],
  );
  for (const spec of bodies) {
    assert.match(String(spec.acquireTime), microTime);
    assert.match(String(spec.renewTime), microTime);
  }
  assert.equal(bodies.at(-1)?.holderIdentity, "");
  assert.equal(bodies.at(-1)?.leaseDurationSeconds, 1);
});

// B07
test("leaderElector writes back to the letter what it did not mean to change", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  server.write({
    holderIdentity: "a",
    acquireTime: "2029-12-31T23:59:59.123456Z",
    renewTime: "2029-12-31T23:59:59.123456Z",
    leaseTransitions: 7,
    strategy: "OldestEmulationVersion",
  });
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.advance("3s");
  assert.ok(a.leads);
  assert.equal(server.spec?.acquireTime, "2029-12-31T23:59:59.123456Z");
  assert.equal(server.spec?.leaseTransitions, 7);
  assert.equal(server.spec?.strategy, "OldestEmulationVersion");
  await a.term?.end({ release: false });
});

// B15
test("leaderElector judges a Lease by its own clock, however wrong the wall clocks are", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const leader = candidate(clock, server, "leader");
  leader.campaign();
  await clock.settle();
  const follower = candidate(clock, server, "follower");
  clock.jump(3_600_000);
  follower.campaign();
  await clock.advance("2m");
  assert.ok(leader.leads && !follower.leads, "no take-over while the Lease is renewed");
  clock.jump(-7_200_000);
  await clock.advance("2m");
  assert.ok(leader.leads && !follower.leads);
  leader.transport.on({}, { silent: true });
  await clock.advance("14s");
  assert.ok(!follower.leads, "not before the duration has passed since the last change that it saw");
  await clock.advance("8s");
  assert.ok(follower.leads, "within 20 s");
  assert.ok(!leader.leads);
});

// B15
test("leaderElector waits for the duration that the holder wrote, not for its own", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  server.write({ holderIdentity: "other", leaseDurationSeconds: 60, renewTime: "2030-01-01T00:00:00.000000Z" });
  const follower = candidate(clock, server, "follower");
  follower.campaign();
  await clock.advance("59s");
  assert.ok(!follower.leads);
  await clock.advance("5s");
  assert.ok(follower.leads);
  await follower.term?.end({ release: false });
});

// B16
// Promise 12
for (const [what, answer] of [
  ["conflict", { status: 409, body: { kind: "Status", code: 409, reason: "Conflict", message: "conflict" } }],
  [
    "429",
    {
      status: 429,
      headers: { "retry-after": "1" },
      body: { kind: "Status", code: 429, reason: "TooManyRequests", message: "slow down" },
    },
  ],
  ["server error", { status: 500, body: { kind: "Status", code: 500, reason: "InternalError", message: "etcd" } }],
  ["silence", { silent: true }],
] as const satisfies readonly (readonly [string, ScriptedAnswer])[]) {
  test(`writeFence closes renewDeadline after the last renewal was sent when renewals meet ${what}`, async () => {
    const clock = createVirtualClock();
    const server = leaseServer();
    const a = candidate(clock, server, "a");
    a.campaign();
    await clock.advance("4s");
    const fence = a.term?.fence;
    assert.ok(fence);
    const lastSentMs = writes(a.transport.requests).at(-1)?.at ?? Number.NaN;
    server.fail(answer);
    await clock.advance(lastSentMs + 10_000 - clock.elapsed() - 1);
    fence.check();
    assert.ok(!fence.signal.aborted);
    await clock.advance(1);
    assert.ok(fence.signal.aborted, "what is under way is aborted by then");
    assert.ok(isCodedError(fence.signal.reason, "LeadershipLost"));
    assert.throws(() => fence.check(), { code: "NotLeader" });
    await a.term?.end({ release: true });
    const after = writes(a.transport.requests).filter(({ at }) => at > lastSentMs + 10_000);
    assert.deepEqual(after, [], "a term that has ended writes nothing, no release either");
  });
}

test("writeFence counts from when a renewal was sent, not from when it was answered", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.settle();
  a.transport.on({ method: "PUT" }, (request) => ({ ...server.answer(request), after: "4s" }));
  await clock.advance("5s");
  const sentMs = writes(a.transport.requests)[1]?.at ?? Number.NaN;
  assert.equal(sentMs, 2_000);
  server.fail({ silent: true });
  await clock.advance("6999ms"); // it was answered at 6 s
  a.term?.fence.check();
  await clock.advance(1);
  assert.throws(() => a.term?.fence.check(), { code: "NotLeader" });
  await a.term?.end({ release: false });
});

// Promise 12
test("writeFence refuses writes while the wall clock says that the term is over, as after a machine's sleep", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.advance("1s");
  clock.jump(60_000);
  assert.throws(() => a.term?.fence.check(), { code: "NotLeader" });
  await clock.advance("2s");
  a.term?.fence.check();
  assert.ok(a.leads, "the next renewal puts it right: a clock that was set costs no leadership");
  await a.term?.end({ release: false });
});

// Promise 12
test("leaderElector sends no renewal after the deadline when its timers come late, as after SIGSTOP", async () => {
  const virtual = createVirtualClock();
  const server = leaseServer();
  let stoppedMs = 0;
  const clock: VirtualClock = {
    ...virtual,
    get pendingTimers() {
      return virtual.pendingTimers;
    },
    now: () => instantOf(virtual.now().getTime() + stoppedMs),
    elapsed: () => virtual.elapsed() + stoppedMs,
  };
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.advance("3s");
  const sent = writes(a.transport.requests).length;
  stoppedMs = 20_000;
  await clock.advance("2s");
  assert.equal(writes(a.transport.requests).length, sent, "the renewal that was due came 20 s late");
  await clock.advance("10s");
  assert.ok(!a.leads);
  assert.ok(isCodedError(a.term?.fence.signal.reason, "LeadershipLost"));
  await a.term?.end({ release: true });
  assert.equal(writes(a.transport.requests).length, sent);
});

test("leaderElector stops at once when it sees another holder", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.advance("1s");
  server.write({ ...server.spec, holderIdentity: "thief" });
  await clock.advance("1s");
  assert.ok(!a.leads);
  assert.match(String(a.term?.fence.signal.reason.message), /held by thief/);
  await a.term?.end({ release: true });
  assert.equal(server.spec?.holderIdentity, "thief");
});

test("leaderElector goes on when somebody edits the Lease without taking it", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.advance("1s");
  server.write({ ...server.spec });
  await clock.advance("20s");
  assert.ok(a.leads);
  await a.term?.end({ release: false });
});

test("leaderElector makes the Lease anew when it was deleted under it", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.advance("1s");
  server.fail({ status: 404, body: { kind: "Status", code: 404, reason: "NotFound", message: "gone" } });
  await clock.advance("2s");
  server.fail(undefined);
  await clock.advance("20s");
  assert.ok(a.leads);
  await a.term?.end({ release: false });
});

test("leaderElector gives the Lease up at the end, so that the next candidate need not wait", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const a = candidate(clock, server, "a");
  const b = candidate(clock, server, "b");
  a.campaign();
  await clock.advance("1s");
  b.campaign();
  await clock.advance("1s");
  await a.term?.end({ release: true });
  await clock.advance("3s");
  assert.ok(b.leads);
  assert.equal(server.spec?.leaseTransitions, 1);
  await b.term?.end({ release: false });
});

// B86
test("leaderElector tries at once to renew when the try before took longer than the period, and so outlives a silence", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.advance("2s");
  server.fail({ silent: true });
  await clock.advance("6s");
  server.fail(undefined);
  await clock.advance("12s");
  const sentAtMs = writes(a.transport.requests).map(({ at }) => at);
  assert.deepEqual(sentAtMs.slice(0, 5), [0, 2_000, 4_000, 9_000, 10_000]);
  assert.equal(a.leads, true);
  await a.term?.end({ release: false });
});

test("leaderElector gives the Lease up though the stop cut off a renewal that had reached the server", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.settle();
  a.transport.on({ method: "PUT" }, (request) => ({ ...server.answer(request), after: "1s" }));
  await clock.advance("2500ms");
  const ended = a.term?.end({ release: true });
  await clock.advance("3s");
  await ended;
  assert.equal(server.spec?.holderIdentity, "");
});

test("leaderElector has one leader again soon after a long outage of the API server", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const both = [candidate(clock, server, "a"), candidate(clock, server, "b")];
  for (const each of both) each.campaign();
  await clock.advance("5s");
  assert.equal(both.filter(({ leads }) => leads).length, 1);
  server.fail({ error: new Error("down") });
  await clock.advance("20m");
  assert.equal(both.filter(({ leads }) => leads).length, 0);
  for (const each of both) if (each.term !== undefined) await each.term.end({ release: true }).then(each.campaign);
  server.fail(undefined);
  await clock.advance("20s");
  assert.equal(both.filter(({ leads }) => leads).length, 1);
  for (const each of both) {
    each.stop.abort();
    await each.term?.end({ release: false });
  }
});

test("leaderElector tells what keeps it from standing for election, until nothing does", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  server.write({ holderIdentity: "other", leaseDurationSeconds: 15, renewTime: "2030-01-01T00:00:00.000000Z" });
  const a = candidate(clock, server, "a");
  a.campaign();
  await clock.advance("1s");
  assert.equal(a.elector.problem, undefined, "another leads");
  server.fail({ status: 403, body: { kind: "Status", code: 403, reason: "Forbidden", message: "no" } });
  await clock.advance("3s");
  assert.equal(a.elector.problem, "Cannot get leases ops/app: no");
  server.fail(undefined);
  await clock.advance("20s");
  assert.deepEqual([a.leads, a.elector.problem], [true, undefined]);
  await a.term?.end({ release: false });
});

test("leaderElector refuses durations that cannot work, and a Lease without a name", () => {
  const clock = createVirtualClock();
  for (const [leaseName, state] of [
    [undefined, "missing"],
    ["", "empty"],
  ] as const) {
    assert.throws(() => candidate(clock, leaseServer(), "a", { leaseName: leaseName as string }), {
      code: "InvalidOption",
      message: `Cannot elect a leader: leaderElection.leaseName is ${state}, give the name of a Lease`,
    });
  }
  assert.throws(() => candidate(clock, leaseServer(), "a", { renewDeadline: "20s" }), {
    code: "InvalidOption",
    message:
      "Cannot elect a leader with Lease ops/app: leaseDuration (15000 ms) must be above renewDeadline (20000 ms), and that above 1.2 times retryPeriod (2000 ms)",
  });
});

test("leaderElector says once a minute, not at every try, why it cannot stand for election", async () => {
  const clock = createVirtualClock();
  const server = leaseServer();
  const log = createRecordingLogger();
  const a = candidate(clock, server, "a", { log });
  server.fail({ status: 403, body: { kind: "Status", code: 403, reason: "Forbidden", message: "no" } });
  a.campaign();
  await clock.advance("5m");
  const said = log.lines.filter(({ message }) => message === "Cannot stand for election");
  assert.ok(said.length >= 4 && said.length <= 6, `${said.length} times in five minutes`);
  a.stop.abort();
});
