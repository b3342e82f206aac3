import assert from "node:assert/strict";
import { test } from "node:test";
import { createCallBatches } from "./call-batches.ts";

test("createCallBatches makes one call of what is asked for in one tick, and splits what is too much for one", async () => {
  const calls: (readonly number[])[] = [];
  const call = createCallBatches<number>({
    most: 3,
    async run(items) {
      calls.push(items);
      return [];
    },
  });
  await Promise.all([1, 2, 3, 4].map(call));
  assert.deepEqual(calls, [[1, 2, 3], [4]]);
});

test("createCallBatches makes one call at a time, and joins what is asked for meanwhile", async () => {
  const calls: (readonly number[])[] = [];
  const first = Promise.withResolvers<void>();
  const call = createCallBatches<number>({
    most: 10,
    async run(items) {
      calls.push(items);
      if (calls.length === 1) await first.promise;
      return [];
    },
  });
  const one = call(1);
  await Promise.resolve();
  const others = [call(2), call(3)];
  await Promise.resolve();
  assert.deepEqual(calls, [[1]]);
  first.resolve();
  await Promise.all([one, ...others]);
  assert.deepEqual(calls, [[1], [2, 3]]);
});

test("createCallBatches fails an item by itself, and all of a call that fails, and goes on", async () => {
  const results: readonly (() => Promise<readonly unknown[]>)[] = [
    async () => [undefined, new Error("of the second")],
    async () => Promise.reject(new Error("of the call")),
    async () => [],
  ];
  let calls = 0;
  const call = createCallBatches<string>({
    most: 2,
    run: () => (results[calls++] ?? assert.fail("one call too many"))(),
  });
  const ends = await Promise.allSettled(["a", "b", "c", "d", "e"].map(call));
  assert.deepEqual(
    ends.map((end) => (end.status === "rejected" ? (end.reason as Error).message : "done")),
    ["done", "of the second", "of the call", "of the call", "done"],
  );
});
