import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { createWaiters, type Waiter } from "./waiters.ts";

interface Tracked extends Waiter<Tracked> {
  readonly rejected: unknown[];
}

function waiterWith(signal?: AbortSignal): Tracked {
  const rejected: unknown[] = [];
  return { signal, rejected, reject: (reason) => rejected.push(reason) };
}

// Promise 14
test("waiters whose signal aborts are out, each rejected once with its reason, and the others stay in their order", () => {
  const waiters = createWaiters<Tracked>();
  const stop = new AbortController();
  const [first, second, third, gone] = [
    waiterWith(),
    waiterWith(stop.signal),
    waiterWith(new AbortController().signal),
    waiterWith(stop.signal),
  ];
  for (const waiter of [first, second, third, gone]) waiters.add(waiter);
  waiters.delete(gone);
  stop.abort("stop");
  assert.equal(waiters.first, first);
  assert.equal(first.after, third);
  assert.equal(waiters.size, 2);
  assert.deepEqual(
    [first, second, third, gone].map(({ rejected }) => rejected),
    [[], ["stop"], [], []],
  );
  const left = waiters.takeAll();
  assert.ok(left.length === 2 && left[0] === first && left[1] === third);
  assert.equal(waiters.size, 0);
});

test("waiters hear a signal once from wait to wait, and let go of those with which nobody waits", () => {
  const waiters = createWaiters<Tracked>();
  const heard = ({ signal }: AbortController): number => getEventListeners(signal, "abort").length;
  const often = new AbortController();
  for (let wait = 0; wait < 3; wait += 1) {
    const waiter = waiterWith(often.signal);
    waiters.add(waiter);
    assert.equal(heard(often), 1);
    waiters.delete(waiter);
  }
  const each = Array.from({ length: 100 }, () => new AbortController());
  for (const { signal } of each) {
    const waiter = waiterWith(signal);
    waiters.add(waiter);
    waiters.delete(waiter);
  }
  assert.ok([often, ...each].filter((one) => heard(one) > 0).length <= 2);
  for (const { signal } of each) waiters.add(waiterWith(signal));
  assert.equal(each.filter((one) => heard(one) === 1).length, 100);
  assert.equal(waiters.takeAll().length, 100);
  assert.equal(each.filter((one) => heard(one) > 0).length, 0);
});

test("waiters each with a signal of his own, who leave in the order in which they came, are not looked for behind one another", () => {
  const waiters = createWaiters<Tracked>();
  const each = Array.from({ length: 1_000 }, () => new AbortController());
  let looks = 0;
  for (const { signal } of each) {
    const waiter = waiterWith(signal);
    waiters.add(waiter);
    let { after } = waiter;
    Object.defineProperty(waiter, "after", {
      get() {
        looks += 1;
        return after;
      },
      set(next: Tracked | undefined) {
        after = next;
      },
    });
  }
  for (const one of each) one.abort("gone");
  assert.equal(waiters.size, 0);
  assert.ok(looks < 10 * each.length, `${looks} steps`);
});
