import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";
import type { CircuitCaller } from "./circuit-caller.ts";

const periodMs = 30_000;

function setUp() {
  const clock = createVirtualClock();
  const metrics = createMetrics();
  const breaker = createCircuitBreaker({ name: "s3", failures: 3, groups: 2, clock, metrics });
  const caller = (name: string, more: Partial<CircuitCaller> = {}): CircuitCaller => ({
    name,
    group: name.slice(0, 1),
    every: periodMs,
    ...more,
  });
  const fail = (name: string, more?: Partial<CircuitCaller>): boolean => {
    const call = breaker.enter("a", caller(name, more));
    call?.failed(new Error("no route"));
    return call !== undefined;
  };
  const answer = (name: string, more?: Partial<CircuitCaller>): boolean => {
    const call = breaker.enter("a", caller(name, more));
    call?.answered();
    return call !== undefined;
  };
  const isOpen = (): boolean => breaker.state("a") !== "closed";
  /** Callers that call each period at a place of their own, a second apart, until `untilMs`; gives who was let through when. */
  const callEachPeriod = async (names: readonly string[], untilMs: number, isWell = () => false) => {
    const calls: { readonly name: string; readonly atMs: number }[] = [];
    while (clock.elapsed() < untilMs) {
      const name = names[(clock.elapsed() % periodMs) / 1_000];
      if (name !== undefined && (isWell() ? answer(name) : fail(name))) calls.push({ name, atMs: clock.elapsed() });
      await clock.advance(1_000);
    }
    return calls;
  };
  return { clock, metrics, breaker, caller, fail, answer, isOpen, callEachPeriod };
}

/** In two groups. */
const twenty = Array.from({ length: 20 }, (_, index) => `${index % 2 === 0 ? "x" : "y"}${index}`);

test("circuit of named callers opens on failures of enough of them and of enough groups since the last answer", () => {
  const { breaker, fail, answer, isOpen } = setUp();
  for (let n = 0; n < 10; n += 1) fail("x1");
  for (const name of ["x2", "x3", "x4"]) fail(name);
  assert.equal(isOpen(), false, "all of one group");
  assert.equal(answer("x5"), true);
  fail("y1");
  fail("x1");
  assert.equal(isOpen(), false, "two since the answer");
  fail("x2");
  assert.equal(isOpen(), true);
  assert.equal(breaker.state("b"), "closed");
});

test("circuit of named callers remembers no more than 10,000 of them, however many come and go without an answer", () => {
  const { fail, isOpen } = setUp();
  fail("x-first");
  for (let n = 0; n < 9_998; n += 1) fail(`x${n}`);
  fail("x-last", { all: () => ["x-first", "x-last", "x-other"] });
  assert.equal(isOpen(), false, "one has not failed");
  fail("x-more");
  fail("x-last", { all: () => ["x-first", "x-last"] });
  assert.equal(isOpen(), false, "the first is forgotten");
  fail("x-last", { all: () => ["x-more", "x-last"] });
  assert.equal(isOpen(), true);
});

test("circuit of named callers opens when all of them have failed, if they are two at least", () => {
  const alone = setUp();
  for (let n = 0; n < 10; n += 1) alone.fail("x1", { all: () => ["x1"] });
  assert.equal(alone.isOpen(), false, "it would stand for itself");

  const { fail, isOpen } = setUp();
  const all = () => ["x1", "x2"];
  fail("x2", { all });
  fail("gone", { all });
  assert.equal(isOpen(), false);
  fail("x1", { all });
  assert.equal(isOpen(), true);
});

test("circuit of thousands of named callers of one group opens with the last of them, and looks through them seldom", () => {
  const { fail, isOpen } = setUp();
  const names = Array.from({ length: 5_000 }, (_, index) => `x${index}`);
  let looks = 0;
  const all = function* () {
    for (const name of names) {
      looks += 1;
      yield name;
    }
  };
  for (const name of names.slice(0, -1)) fail(name, { all });
  assert.equal(isOpen(), false);
  fail("x4999", { all });
  assert.equal(isOpen(), true);
  assert.ok(looks < 30 * names.length, `${looks} looks`);
});

test("circuit of named callers opens soon after those that had not failed have gone", () => {
  const { fail, isOpen } = setUp();
  let names = Array.from({ length: 100 }, (_, index) => `x${index}`);
  const all = () => names;
  for (const name of names.slice(0, 10)) fail(name, { all });
  assert.equal(isOpen(), false);
  names = names.slice(0, 10);
  let failures = 0;
  for (; !isOpen() && failures < 100; failures += 1) fail(`x${failures % 10}`, { all });
  assert.ok(failures <= 45, `${failures} failures`);
});

test("open circuit of named callers is left to one of them each period, and to another after three failures of it", async () => {
  const { clock, metrics, callEachPeriod, isOpen } = setUp();
  const opening = await callEachPeriod(twenty, periodMs);
  assert.deepEqual(
    opening.map(({ name }) => name),
    ["x0", "y1", "x2"],
  );
  assert.ok(isOpen());
  const calls = await callEachPeriod(twenty, 10 * periodMs);
  assert.deepEqual(
    calls.map(({ name }) => name),
    ["x2", "x2", "x2", "y3", "y3", "y3", "x4", "x4", "x4"],
  );
  assert.deepEqual(
    calls.map(({ atMs }, index) => atMs - (calls[index - 1]?.atMs ?? opening[2]?.atMs ?? 0)),
    [30_000, 30_000, 30_000, 31_000, 30_000, 30_000, 31_000, 30_000, 30_000],
  );
  const { body } = await metrics.expose();
  assert.match(body, /farwatch_circuit_breaker_open\{breaker="s3"\} 1/);
  assert.match(body, new RegExp(`refused_total\\{breaker="s3"\\} ${10 * 20 - 3 - 9}`));

  // An answer closes, and each goes on in its own place: nobody calls at once.
  const later = await callEachPeriod(twenty, 12 * periodMs, () => true);
  const first = later[0]?.atMs ?? 0;
  assert.equal(isOpen(), false);
  const inOrder = later.filter(({ atMs }) => atMs - first < periodMs).map(({ atMs }) => atMs);
  assert.equal(inOrder.length, 20);
  assert.equal(new Set(inOrder).size, 20, "no two at once");
  assert.ok(clock.elapsed() > 0);
});

test("open circuit finds another canary when its own is gone, and the one whose period is shortest in the end", async () => {
  const { clock, fail, answer, isOpen } = setUp();
  for (const name of ["x1", "y1"]) fail(name);
  fail("slow", { every: "24h" });
  assert.ok(isOpen());
  assert.equal(fail("x1"), false);
  await clock.advance(1.5 * periodMs - 1);
  assert.equal(fail("x1"), false, "the canary may still come");
  await clock.advance(1);
  assert.equal(fail("x1"), true);
  assert.equal(fail("slow", { every: "24h" }), false);
  await clock.advance(periodMs);
  assert.equal(answer("x1"), true);
  assert.equal(isOpen(), false);
});

test("open circuit whose callers but one are gone goes on with that one at its own pace", async () => {
  const { clock, fail, isOpen } = setUp();
  for (const name of ["x1", "x2", "y1"]) fail(name);
  assert.ok(isOpen());
  for (let n = 0; n < 10; n += 1) {
    await clock.advance(periodMs);
    assert.equal(fail("y1"), true, `call ${n}`);
  }
});

test("open circuit lets calls through that somebody waits for, whose failure changes nothing and whose answer closes it", async () => {
  const { clock, fail, answer, isOpen } = setUp();
  for (const name of ["x1", "x2", "y1"]) fail(name);
  assert.equal(fail("x2", { always: true }), true);
  await clock.advance(periodMs);
  assert.equal(fail("y1"), true, "still the canary");
  assert.equal(answer("x2", { always: true }), true);
  assert.equal(isOpen(), false);
});

test("open circuit refuses no group before one of its own has failed, and closes when it is answered", async () => {
  const { clock, fail, answer, isOpen } = setUp();
  for (const name of ["x1", "x2", "y1"]) fail(name);
  for (let again = 0; again < 3; again += 1) {
    await clock.advance(1_000);
    assert.equal(answer("z1"), true, "what x and y find binds z not");
    assert.equal(isOpen(), false);
    for (const name of ["x1", "x2", "y1"]) fail(name);
    assert.equal(isOpen(), true);
  }
  assert.equal(fail("z1"), true);
  assert.equal(fail("z2"), false, "now it is known of z too");
  await clock.advance(periodMs);
  assert.equal(fail("y1"), true, "still the canary");
});

test("open circuit learns nothing from a call that is given up, and keeps its canary", async () => {
  const { clock, breaker, caller, fail, answer, isOpen } = setUp();
  for (const name of ["x1", "x2", "y1"]) fail(name);
  await clock.advance(periodMs);
  const given = breaker.enter("a", caller("y1"));
  assert.ok(given);
  given[Symbol.dispose]();
  given.answered();
  assert.equal(isOpen(), true, "it is told too late");
  assert.equal(fail("x1"), false);
  await clock.advance(periodMs);
  assert.equal(answer("y1"), true);
  assert.equal(isOpen(), false);
});

test("open circuit calls within two and a half of the shortest period, and no more often than that, whoever comes and goes", async () => {
  const member = fc.record({
    everyMs: fc.integer({ min: 5, max: 300 }),
    phase: fc.double({ min: 0, max: 0.999, noNaN: true }),
    untilMs: fc.integer({ min: 100, max: 6_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(member, { minLength: 1, maxLength: 12 }), async (members) => {
      const { clock, fail, isOpen } = setUp();
      for (const name of ["x", "y", "z"]) fail(name, { every: 5_000 });
      assert.ok(isOpen());
      // One stays, so that somebody can.
      const stays = { everyMs: 300, phase: 0, untilMs: Number.POSITIVE_INFINITY };
      const all = [...members, stays].map((each, index) => ({ ...each, name: `m${index}` }));
      let lastMs = clock.elapsed();
      const asks = all
        .flatMap(({ name, everyMs, phase, untilMs }) =>
          Array.from({ length: Math.floor(6_000 / everyMs) }, (_, n) => ({
            name,
            everyMs,
            atMs: Math.floor(phase * everyMs) + n * everyMs,
          })).filter(({ atMs }) => atMs < untilMs),
        )
        .toSorted((a, b) => a.atMs - b.atMs);
      let calls = 0;
      for (const { name, everyMs, atMs } of asks) {
        if (atMs > clock.elapsed()) await clock.advance(atMs - clock.elapsed());
        const shortest = Math.min(...all.filter(({ untilMs }) => untilMs > lastMs + 750).map((each) => each.everyMs));
        if (!fail(name, { every: everyMs })) continue;
        const gone = all.some(({ untilMs }) => untilMs > lastMs && untilMs <= atMs);
        if (!gone) assert.ok(atMs - lastMs <= 2.5 * shortest, `${atMs - lastMs} ms, shortest ${shortest} ms`);
        calls += 1;
        lastMs = atMs;
      }
      const least = Math.min(...all.map(({ everyMs }) => everyMs));
      assert.ok(calls <= 6_000 / least + 2, `${calls} calls`);
    }),
    { numRuns: 100 },
  );
});
