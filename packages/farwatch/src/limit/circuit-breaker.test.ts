import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";

function setUp(options: { readonly isFailure?: (error: unknown) => boolean } = {}) {
  const clock = createVirtualClock();
  const metrics = createMetrics();
  const breaker = createCircuitBreaker({ name: "s3", failures: 3, openFor: "10s", clock, metrics, ...options });
  let calls = 0;
  const fail = (key = "a", error: Error = new Error("no route")) =>
    breaker.run(key, async () => {
      calls += 1;
      throw error;
    });
  const succeed = (key = "a") =>
    breaker.run(key, async () => {
      calls += 1;
      return "fine";
    });
  return { clock, metrics, breaker, fail, succeed, calls: () => calls };
}

const refusal = (error: unknown): boolean => isCodedError(error, "RetryAfter");

async function opened(options?: Parameters<typeof setUp>[0]) {
  const all = setUp(options);
  for (let n = 0; n < 3; n += 1) await assert.rejects(all.fail(), /no route/);
  return all;
}

test("circuit breaker refuses calls after failures in a row, says when the next is tried, and why", async () => {
  const { breaker, succeed, calls } = await opened();
  assert.equal(breaker.state("a"), "open");
  await assert.rejects(succeed(), (error) => {
    assert.ok(isCodedError(error, "RetryAfter"));
    assert.match(error.message, /^Cannot call a: 3 calls in a row failed, the next is tried in \d+ ms$/);
    assert.match(String(error.cause), /no route/);
    return true;
  });
  assert.equal(calls(), 3);
  assert.equal(await succeed("b"), "fine", "other keys have circuits of their own");
});

test("circuit breaker counts failures in a row alone", async () => {
  const { breaker, fail, succeed } = setUp();
  for (let n = 0; n < 5; n += 1) {
    await assert.rejects(fail());
    await assert.rejects(fail());
    await succeed();
  }
  assert.equal(breaker.state("a"), "closed");
});

test("circuit breaker tries one call when the wait is over: a success closes, a failure opens for longer", async () => {
  const { clock, breaker, fail, succeed } = await opened();
  await clock.advance("10s");
  assert.equal(breaker.state("a"), "halfOpen");
  const answer = Promise.withResolvers<string>();
  const trial = breaker.run("a", () => answer.promise);
  await assert.rejects(succeed(), refusal, "one trial at a time");
  answer.reject(new Error("still no route"));
  await assert.rejects(trial, /still no route/);
  assert.equal(breaker.state("a"), "open");
  await clock.advance("9s");
  assert.equal(breaker.state("a"), "open", "at least half of 20 s now");
  await clock.advance("11s");
  assert.equal(await succeed(), "fine");
  assert.equal(breaker.state("a"), "closed");
  await assert.rejects(fail());
  assert.equal(breaker.state("a"), "closed", "a closed circuit counts anew");
});

test("circuit breaker learns nothing from calls that were aborted, nor from late failures of earlier calls", async () => {
  const { clock, breaker, fail } = setUp();
  const late = Promise.withResolvers<never>();
  const early = breaker.run("a", () => late.promise);
  early.catch(() => {});
  const controller = new AbortController();
  controller.abort(new Error("stopped"));
  for (let n = 0; n < 2; n += 1) await assert.rejects(fail());
  const running = new AbortController();
  const aborted = breaker.run("a", () => Promise.reject(new Error("cut")), running.signal);
  running.abort();
  await assert.rejects(aborted);
  await assert.rejects(
    breaker.run("a", async () => {}, controller.signal),
    /stopped/,
  );
  assert.equal(breaker.state("a"), "closed");
  await assert.rejects(fail());
  await clock.advance("10s");
  const answer = Promise.withResolvers<void>();
  const trial = breaker.run("a", () => answer.promise);
  late.reject(new Error("late"));
  await assert.rejects(early, /late/);
  assert.equal(breaker.state("a"), "halfOpen", "the trial alone decides");
  answer.resolve();
  await trial;
  assert.equal(breaker.state("a"), "closed");
});

test("circuit breaker lets another call try when a trial was aborted", async () => {
  const { clock, breaker, succeed } = await opened();
  await clock.advance("10s");
  const controller = new AbortController();
  const cut = Promise.withResolvers<never>();
  const trial = breaker.run("a", () => cut.promise, controller.signal);
  controller.abort();
  cut.reject(new Error("cut"));
  await assert.rejects(trial);
  assert.equal(await succeed(), "fine");
});

test("circuit breaker tries another call when a trial does not end, and what becomes of that one later decides nothing", async () => {
  const { clock, breaker, fail, succeed } = await opened();
  await clock.advance("10s");
  const hung = Promise.withResolvers<never>();
  const ended = breaker.run("a", () => hung.promise).catch(() => {});
  await assert.rejects(succeed(), refusal, "one at a time");
  await clock.advance("5m");
  assert.equal(await succeed(), "fine");
  assert.equal(breaker.state("a"), "closed");

  await assert.rejects(fail(), /no route/);
  hung.reject(new Error("gave up"));
  await ended;
  assert.equal(breaker.state("a"), "closed", "two in a row open no circuit");
});

test("circuit breaker takes a refusal for a sign of life where it is told to", async () => {
  const { breaker, fail } = setUp({ isFailure: (error) => !String(error).includes("forbidden") });
  for (let n = 0; n < 10; n += 1) await assert.rejects(fail("a", new Error("forbidden")));
  await assert.rejects(fail());
  await assert.rejects(fail());
  await assert.rejects(fail("a", new Error("forbidden")));
  await assert.rejects(fail());
  assert.equal(breaker.state("a"), "closed");
});

test("circuit breaker shows in metrics", async () => {
  const { clock, metrics, succeed } = await opened();
  await assert.rejects(succeed(), refusal);
  const open = await metrics.expose();
  assert.match(open.body, /farwatch_circuit_breaker_open\{breaker="s3"\} 1/);
  assert.match(open.body, /farwatch_circuit_breaker_opened_total\{breaker="s3"\} 1/);
  assert.match(open.body, /farwatch_circuit_breaker_refused_total\{breaker="s3"\} 1/);
  await clock.advance("10s");
  await succeed();
  assert.match((await metrics.expose()).body, /farwatch_circuit_breaker_open\{breaker="s3"\} 0/);
});

test("circuit breaker refuses options that are none", () => {
  for (const failures of [0, 1.5, Number.NaN]) {
    assert.throws(
      () => createCircuitBreaker({ name: "s3", failures }),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
});

test("circuit breaker tries another call after one whose error cannot be told from a refusal", async () => {
  const { clock, breaker, fail, succeed } = await opened({
    isFailure: (error) => (error as Error).message.startsWith("no"),
  });
  await clock.advance("10s");
  await assert.rejects(
    breaker.run("a", () => Promise.reject(undefined)),
    TypeError,
  );
  assert.equal(await succeed(), "fine");
  await assert.rejects(fail());
});

test("circuit breaker forgets the key that failed least recently when more have failed than it may remember", async () => {
  const metrics = createMetrics();
  const clock = createVirtualClock();
  const breaker = createCircuitBreaker({ name: "s3", failures: 1, mostKeys: 2, clock, metrics });
  for (const key of ["a", "b", "c"]) await assert.rejects(breaker.run(key, () => Promise.reject(new Error("no"))));
  assert.deepEqual(
    ["a", "b", "c"].map((key) => breaker.state(key)),
    ["closed", "open", "open"],
  );
  assert.match((await metrics.expose()).body, /farwatch_circuit_breaker_open\{breaker="s3"\} 2/);
  assert.throws(() => createCircuitBreaker({ name: "" }), { code: "InvalidOption", message: /name is empty/ });
  assert.throws(() => createCircuitBreaker({ name: "s3", mostKeys: 0 }), { code: "InvalidOption" });
  assert.throws(() => createCircuitBreaker({ name: "s3", openFor: "soon" as "1s" }), {
    code: "InvalidDuration",
    message: /openFor is "soon"/,
  });
});
