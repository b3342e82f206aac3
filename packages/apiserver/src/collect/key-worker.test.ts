import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "farwatch/doubles";
import { conflict } from "../failure/api-error.ts";
import { createKeyWorker } from "./key-worker.ts";

const overtaken = (): Error => conflict({ group: "", resource: "pods", name: "p" }, "changed");

test("keyWorker works on a key once that was added several times before its turn, and on others in order", async () => {
  const clock = createVirtualClock();
  const seen: string[] = [];
  const work = async (key: string): Promise<void> => {
    seen.push(key);
  };
  await using worker = createKeyWorker({ clock, onFailure: assert.fail, work });
  for (const key of ["a", "b", "a"]) worker.add(key);
  assert.deepEqual(seen, [], "not in the tick of the change");
  await clock.settle();
  assert.deepEqual(seen, ["a", "b"]);
  worker.add("a");
  await clock.settle();
  assert.deepEqual(seen, ["a", "b", "a"]);
});

test("keyWorker works on a key again that was added while it was worked on, and never on two at once", async () => {
  const clock = createVirtualClock();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  await using worker = createKeyWorker({
    clock,
    onFailure: assert.fail,
    work: async (key) => {
      seen.push(`begin ${key}`);
      if (seen.length === 1) await gate.promise;
      seen.push(`end ${key}`);
    },
  });
  worker.add("a");
  await clock.settle();
  worker.add("b");
  worker.add("a");
  gate.resolve();
  await clock.settle();
  assert.deepEqual(seen, ["begin a", "end a", "begin b", "end b", "begin a", "end a"]);
});

test("keyWorker tries again at once when somebody else was faster, and tells nobody", async () => {
  const clock = createVirtualClock();
  let tries = 0;
  await using worker = createKeyWorker({
    clock,
    onFailure: assert.fail,
    work: async () => {
      tries += 1;
      if (tries < 4) throw overtaken();
    },
  });
  worker.add("a");
  await clock.settle();
  assert.equal(tries, 4);
});

test("keyWorker tells of a failure and tries again later each time, until it succeeds", async () => {
  const clock = createVirtualClock();
  const told: string[] = [];
  let tries = 0;
  await using worker = createKeyWorker({
    clock,
    onFailure: (key, error) => told.push(`${key} ${(error as Error).message}`),
    work: async () => {
      tries += 1;
      if (tries < 3) throw new Error("no");
    },
  });
  worker.add("a");
  await clock.settle();
  assert.deepEqual([tries, told], [1, ["a no"]]);
  await clock.advance("5ms");
  assert.equal(tries, 2);
  await clock.advance("9ms");
  assert.equal(tries, 2);
  await clock.advance("1ms");
  assert.deepEqual([tries, clock.pendingTimers], [3, 0]);
});

test("keyWorker ends with the work under way when it is disposed of, and drops the rest", async () => {
  const clock = createVirtualClock();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const worker = createKeyWorker({
    clock,
    onFailure: assert.fail,
    work: async (key) => {
      await gate.promise;
      seen.push(key);
      throw new Error("too late to be told");
    },
  });
  worker.add("a");
  worker.add("b");
  await clock.settle();
  const closed = worker[Symbol.asyncDispose]();
  gate.resolve();
  await closed;
  worker.add("c");
  await clock.settle();
  assert.deepEqual([seen, clock.pendingTimers], [["a"], 0]);
});
