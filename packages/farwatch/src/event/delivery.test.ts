import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";
import { createDelivery, freeHold, type Hold, joinHolds } from "./delivery.ts";

function recorded() {
  const calls: unknown[] = [];
  const ack = {
    done: () => calls.push("done"),
    retry: (after?: unknown) => calls.push(["retry", after]),
    reject: (reason: unknown) => calls.push(["reject", reason]),
  };
  return { calls, ack };
}

// Promise 4
test("delivery is acknowledged once, when the last hold is done", () => {
  const { calls, ack } = recorded();
  const delivery = createDelivery(ack, { onSettled: () => calls.push("settled") });
  const first = delivery.hold();
  const second = delivery.hold();
  first.done();
  first.done();
  assert.deepEqual(calls, []);
  second.done();
  second.giveBack();
  assert.deepEqual(calls, ["done", "settled"]);
});

// Promise 4
test("delivery goes back to its origin when one of its holds was given back, after the others have released it", () => {
  const { calls, ack } = recorded();
  const delivery = createDelivery(ack);
  const [first, second, third] = [delivery.hold(), delivery.hold(), delivery.hold()];
  first.giveBack("5s");
  second.done();
  assert.deepEqual(calls, []);
  third.done();
  assert.deepEqual(calls, [["retry", "5s"]]);
});

test("delivery is rejected when one of its holds was, unless another was given back", () => {
  const { calls, ack } = recorded();
  for (const settleOther of [(hold: Hold) => hold.done(), (hold: Hold) => hold.giveBack("5s")]) {
    const delivery = createDelivery(ack);
    const [first, second] = [joinHolds([delivery.hold()]), delivery.hold()];
    first.reject("bad");
    first.done();
    settleOther(second);
  }
  assert.deepEqual(calls, [
    ["reject", "bad"],
    ["retry", "5s"],
  ]);
});

test("delivery that is rejected is done for an origin that knows no rejection", () => {
  const { calls, ack } = recorded();
  createDelivery({ done: ack.done, retry: ack.retry }).hold().reject("bad");
  assert.deepEqual(calls, ["done"]);
});

test("hold splits over the requests that an event caused", () => {
  const { calls, ack } = recorded();
  const hold = createDelivery(ack).hold();
  const requests = [hold.split(), hold.split()];
  hold.done();
  requests[0]?.done();
  assert.deepEqual(calls, []);
  requests[1]?.done();
  assert.deepEqual(calls, ["done"]);
});

test("hold on a settled event is refused", () => {
  const hold = createDelivery(recorded().ack).hold();
  hold.done();
  assert.throws(
    () => hold.split(),
    (error) => isCodedError(error, "Internal") && error.message.startsWith("Cannot hold an event: it is settled"),
  );
});

test("joined holds are released, given back and split together", () => {
  const one = recorded();
  const two = recorded();
  const joined = joinHolds([createDelivery(one.ack).hold(), freeHold, createDelivery(two.ack).hold()]);
  const request = joined.split();
  joined.done();
  assert.deepEqual([one.calls, two.calls], [[], []]);
  request.giveBack(7);
  assert.deepEqual([one.calls, two.calls], [[["retry", 7]], [["retry", 7]]]);
});

test("joined holds stand at the place of the youngest event among them", () => {
  const source = {};
  const at = (place: number) => createDelivery(undefined, { from: { source, place } }).hold();
  assert.deepEqual(joinHolds([at(1), freeHold, at(3), at(2)]).from, { source, place: 3 });
});

test("delivery names a request that it is stuck on while a hold waits for it", () => {
  const delivery = createDelivery(undefined);
  const [one, two] = [delivery.hold(), delivery.hold()];
  one.stuckOn("x/a");
  two.stuckOn("x/b");
  assert.equal(delivery.stuckOn, "x/a");
  one.stuckOn(undefined);
  assert.equal(delivery.stuckOn, "x/b");
  two.done();
  two.stuckOn("x/b");
  assert.equal(delivery.stuckOn, undefined);
});
