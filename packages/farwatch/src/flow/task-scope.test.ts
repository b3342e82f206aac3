import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { createTaskScope } from "./task-scope.ts";

/** A task that goes on until it is asked to end. */
function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

test("task scope starts a task in the same tick and knows it by name until it ends", async () => {
  const scope = createTaskScope();
  let started = false;
  scope.run("watch", async (signal) => {
    started = true;
    await untilAborted(signal);
  });
  scope.run("watch", async () => {});
  assert.equal(started, true);
  assert.deepEqual(scope.running, ["watch", "watch"]);
  await new Promise<void>(queueMicrotask);
  scope.abort();
  await scope.join();
  assert.deepEqual(scope.running, []);
  assert.deepEqual(scope.failures, []);
});

test("task scope joins when all tasks have ended, those that a task starts too", async () => {
  const clock = createVirtualClock();
  const scope = createTaskScope();
  const ended: string[] = [];
  scope.run("parent", async () => {
    await clock.sleep("1s");
    scope.run("child", async () => {
      await clock.sleep("1s");
      ended.push("child");
    });
    ended.push("parent");
  });
  const joined = scope.join().then(() => ended.push("joined"));
  await clock.advance("5s");
  await joined;
  assert.deepEqual(ended, ["parent", "child", "joined"]);
});

test("task scope aborts the siblings of a task that throws, and joins with what it threw", async () => {
  const clock = createVirtualClock();
  const scope = createTaskScope();
  const failure = new Error("no");
  let cleanedUp = false;
  scope.run("sibling", async (signal) => {
    try {
      await untilAborted(signal);
    } finally {
      await clock.sleep("1s");
      cleanedUp = true;
    }
  });
  scope.run("failing", async () => {
    await clock.sleep("1s");
    throw failure;
  });
  const joined = assert.rejects(scope.join(), (error) => error === failure);
  await clock.advance("1s");
  assert.equal(scope.signal.reason, failure);
  assert.deepEqual(scope.running, ["sibling"]);
  await clock.advance("1s");
  await joined;
  assert.equal(cleanedUp, true);
});

test("task scope takes a task that throws before its first wait for one that failed", async () => {
  const scope = createTaskScope();
  const failure = new Error("no");
  const throwing = (): Promise<void> => {
    throw failure;
  };
  scope.run("throwing", throwing);
  await assert.rejects(scope.join(), failure);
});

test("task scope takes the reason of its own signal for an end, and any other error for a failure", async () => {
  const reason = new Error("stop");
  const failure = new Error("no");
  const calm = createTaskScope();
  calm.run("task", untilAborted);
  calm.abort(reason);
  await calm.join();

  const failing = createTaskScope();
  failing.run("task", (signal) =>
    untilAborted(signal).catch(() => {
      throw failure;
    }),
  );
  failing.abort(reason);
  await assert.rejects(failing.join(), failure);
});

test("task scope keeps every failure, and joins with the first", async () => {
  const scope = createTaskScope();
  const first = new Error("first");
  const second = new Error("second");
  scope.run("late", (signal) =>
    untilAborted(signal).catch(() => {
      throw second;
    }),
  );
  scope.run("early", () => Promise.reject(first));
  await assert.rejects(scope.join(), first);
  assert.deepEqual(scope.failures, [first, second]);
});

// Promise 14
test("task scope aborts with its parent, and lets go of it when it is over", async () => {
  const parent = new AbortController();
  const reason = new Error("stop");
  const scope = createTaskScope(parent.signal);
  const over = createTaskScope(parent.signal);
  await over[Symbol.asyncDispose]();
  const overReason: unknown = over.signal.reason;
  parent.abort(reason);
  assert.equal(scope.signal.reason, reason);
  assert.equal(over.signal.reason, overReason);
  assert.notEqual(overReason, reason);
  assert.equal(createTaskScope(parent.signal).signal.reason, reason);
});

test("task scope that is disposed of aborts its tasks and waits for them", async () => {
  const clock = createVirtualClock();
  const ended: string[] = [];
  const use = async (): Promise<void> => {
    await using scope = createTaskScope();
    scope.run("task", async (signal) => {
      await untilAborted(signal).catch(() => clock.sleep("1s"));
      ended.push("task");
    });
  };
  const used = use().then(() => ended.push("use"));
  await clock.advance("1s");
  await used;
  assert.deepEqual(ended, ["task", "use"]);
});

test("task scope that is disposed of throws a failure that nobody has seen", async () => {
  const failure = new Error("no");
  const use = async (): Promise<void> => {
    await using scope = createTaskScope();
    scope.run("task", () => Promise.reject(failure));
  };
  await assert.rejects(use(), (error) => error === failure);
});

test("task scope that is disposed of throws no failure twice", async () => {
  const failure = new Error("no");
  const use = async (): Promise<void> => {
    await using scope = createTaskScope();
    scope.run("task", () => Promise.reject(failure));
    await scope.join();
  };
  await assert.rejects(use(), (error) => error === failure);
});

test("task scope gives a task that comes late a signal that has aborted", async () => {
  const scope = createTaskScope();
  scope.abort();
  let aborted: boolean | undefined;
  scope.run("late", async (signal) => {
    aborted = signal.aborted;
  });
  await scope.join();
  assert.equal(aborted, true);
});
