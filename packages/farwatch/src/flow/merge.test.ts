import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../clock/clock.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { merge } from "./merge.ts";

/** Yields each value so many milliseconds after the one before; `ended` hears when it is closed. */
function stream(clock: Clock, values: readonly (readonly [afterMs: number, value: string])[], ended?: () => void) {
  return async function* (signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    try {
      for (const [afterMs, value] of values) {
        await clock.sleep(afterMs, signal);
        yield value;
      }
    } finally {
      ended?.();
    }
  };
}

const forever = [[Number.MAX_SAFE_INTEGER, "never"]] as const;

test("merge gives values in the order in which they arrive, and ends when all streams have", async () => {
  const clock = createVirtualClock();
  const seen: string[] = [];
  const merged = (async () => {
    const a = stream(clock, [
      [1, "a1"],
      [4, "a5"],
    ]);
    const b = stream(clock, [
      [2, "b2"],
      [1, "b3"],
      [5, "b8"],
    ]);
    for await (const value of merge([a, b])) seen.push(value);
    seen.push("end");
  })();
  await clock.advance(8);
  await merged;
  assert.deepEqual(seen, ["a1", "b2", "b3", "a5", "b8", "end"]);
});

test("merge of nothing ends at once", async () => {
  for await (const value of merge([])) assert.fail(String(value));
});

test("merge throws what the first stream throws, after the others were closed", async () => {
  const clock = createVirtualClock();
  const failure = new Error("no");
  const seen: string[] = [];
  const failing = async function* (signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    yield* stream(clock, [[2, "f"]])(signal);
    throw failure;
  };
  const merged = (async () => {
    const silent = stream(clock, forever, () => seen.push("closed"));
    for await (const value of merge([stream(clock, [[1, "a"]]), silent, failing])) seen.push(value);
  })();
  const rejected = assert.rejects(merged, (error) => error === failure);
  await clock.advance(2);
  await rejected;
  assert.deepEqual(seen, ["a", "f", "closed"]);
});

test("merge closes streams that are silent when its reader leaves the loop", async () => {
  const clock = createVirtualClock();
  const seen: string[] = [];
  const read = (async () => {
    const silent = stream(clock, forever, () => seen.push("closed"));
    for await (const value of merge([silent, stream(clock, [[1, "a"]])])) {
      seen.push(value);
      break;
    }
    seen.push("left");
  })();
  await clock.advance(1);
  await read;
  assert.deepEqual(seen, ["a", "closed", "left"]);
  assert.equal(clock.pendingTimers, 0);
});

// Promise 14
test("merge ends without an error when its signal aborts", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const seen: string[] = [];
  const read = (async () => {
    for await (const value of merge([stream(clock, [[1, "a"], ...forever])], stop.signal)) seen.push(value);
    seen.push("end");
  })();
  await clock.advance(1);
  stop.abort();
  await read;
  assert.deepEqual(seen, ["a", "end"]);
  for await (const value of merge([stream(clock, [[0, "late"]])], stop.signal)) assert.fail(value);
});

// Promise 2
test("merge reads no stream further ahead than one value, and one in all", async () => {
  const clock = createVirtualClock();
  const pulled: string[] = [];
  const counting = (name: string) =>
    async function* (): AsyncGenerator<string, void, undefined> {
      for (let index = 0; index < 10; index += 1) {
        pulled.push(name);
        yield name;
      }
    };
  const reader = merge([counting("a"), counting("b")]);
  await reader.next();
  await clock.settle();
  assert.ok(pulled.length <= 1 + 1 + 2, `${pulled.length} values were read for one`);
  await reader.return();
});
