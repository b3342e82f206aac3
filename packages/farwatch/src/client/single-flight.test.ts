import assert from "node:assert/strict";
import { test } from "node:test";
import { singleFlight } from "./single-flight.ts";

function countedRuns(): {
  readonly runs: {
    readonly signal: AbortSignal;
    readonly end: (value: string) => void;
    readonly fail: (error: unknown) => void;
  }[];
  readonly run: (signal: AbortSignal) => Promise<string>;
} {
  const runs: {
    readonly signal: AbortSignal;
    readonly end: (value: string) => void;
    readonly fail: (error: unknown) => void;
  }[] = [];
  return { runs, run: (signal) => new Promise((end, fail) => runs.push({ signal, end, fail })) };
}

test("singleFlight serves all callers of one run, and starts another afterwards", async () => {
  const { runs, run } = countedRuns();
  const fly = singleFlight(run);
  const callers = [fly(), fly(), fly()];
  assert.equal(runs.length, 1);
  runs[0]?.end("first");
  assert.deepEqual(await Promise.all(callers), ["first", "first", "first"]);
  const again = fly();
  assert.equal(runs.length, 2);
  runs[1]?.end("second");
  assert.equal(await again, "second");
});

test("singleFlight starts a new run for a caller that asks in the tick in which the old one ended", async () => {
  const { runs, run } = countedRuns();
  const fly = singleFlight(run);
  const chained = fly().then(() => fly());
  runs[0]?.end("first");
  await new Promise((resolve) => process.nextTick(resolve));
  await Promise.resolve();
  runs[1]?.end("second");
  assert.equal(await chained, "second");
});

test("singleFlight gives a failure to every caller and does not keep it", async () => {
  const { runs, run } = countedRuns();
  const fly = singleFlight(run);
  const callers = [fly(), fly()];
  runs[0]?.fail(new Error("broken"));
  for (const result of await Promise.allSettled(callers)) assert.equal(result.status, "rejected");
  const again = fly();
  runs[1]?.end("mended");
  assert.equal(await again, "mended");
});

test("singleFlight lets a caller leave without ending the run of the others", async () => {
  const { runs, run } = countedRuns();
  const fly = singleFlight(run);
  const leaver = new AbortController();
  const left = fly(leaver.signal);
  const stayed = fly();
  leaver.abort("enough");
  await assert.rejects(left, (reason) => reason === "enough");
  assert.equal(runs[0]?.signal.aborted, false);
  runs[0]?.end("done");
  assert.equal(await stayed, "done");
});

test("singleFlight aborts the run when the last caller has left, and the next caller gets a new one", async () => {
  const { runs, run } = countedRuns();
  const fly = singleFlight(run);
  const leaver = new AbortController();
  const left = fly(leaver.signal);
  leaver.abort("enough");
  await assert.rejects(left, (reason) => reason === "enough");
  assert.equal(runs[0]?.signal.aborted, true);
  const next = fly();
  runs[0]?.fail("aborted");
  runs[1]?.end("fresh");
  assert.equal(await next, "fresh");
});

test("singleFlight starts nothing for a caller that has left already", async () => {
  const { runs, run } = countedRuns();
  await assert.rejects(singleFlight(run)(AbortSignal.abort("gone")), (reason) => reason === "gone");
  assert.equal(runs.length, 0);
});
