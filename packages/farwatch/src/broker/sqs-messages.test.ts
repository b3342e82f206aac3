import assert from "node:assert/strict";
import { test } from "node:test";
import { CodedError } from "../error/coded-error.ts";
import { type BrokerStageOptions, createBrokerStage } from "./broker-stage.fixture.ts";
import { sqsEvents } from "./sqs-messages.ts";
import type { SqsDelivery, SqsQueue } from "./sqs-queue.ts";

/** A queue that writes down what it is asked, and hands over what `send` gives it. */
function createScriptedQueue() {
  const waiting: SqsDelivery[] = [];
  const asked: string[] = [];
  let wake = (): void => {};
  let failRemoval: Error | undefined;
  const queue: SqsQueue = {
    async receive(most, signal) {
      while (waiting.length === 0) {
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
      return waiting.splice(0, most);
    },
    async remove(receipt) {
      asked.push(`remove ${receipt}`);
      if (failRemoval !== undefined) throw failRemoval;
    },
    async hide(receipt, seconds) {
      asked.push(`hide ${receipt} ${seconds}`);
    },
    async [Symbol.asyncDispose]() {},
  };
  return {
    queue,
    /** What was asked since the last look. */
    asked: () => asked.splice(0),
    failRemovals(error: Error | undefined): void {
      failRemoval = error;
    },
    send(...deliveries: readonly (Partial<SqsDelivery> & { readonly id: string })[]): void {
      for (const one of deliveries) {
        const { id } = one;
        const empty = { sentMs: undefined, group: undefined, attributes: new Map(), receiveCount: 1 };
        waiting.push({ ...empty, receipt: `r${id}`, body: id, ...one });
      }
      wake();
    },
  };
}

function createStage(options: BrokerStageOptions = {}) {
  const script = createScriptedQueue();
  const stage = createBrokerStage(
    (holding, signal) =>
      sqsEvents({ queue: script.queue, visibilitySeconds: 30, read: ({ body }) => body, signal }, holding),
    options,
  );
  return {
    ...script,
    ...stage,
    released: () =>
      stage.metrics
        .counter({ name: "farwatch_source_released_messages_total", help: "", labelNames: ["source"] })
        .read({ source: "uploads" }),
  };
}

test("sqsEvents extends the visibility of all that was received, handed on or not, until it is done", async () => {
  const stage = createStage();
  stage.send({ id: "a" }, { id: "b" }, { id: "g1", group: "g" }, { id: "g2", group: "g" });
  const [a] = [await stage.next(), await stage.next(), await stage.next()];
  await stage.clock.advance("10s");
  assert.deepEqual(stage.asked(), ["hide ra 30", "hide rb 30", "hide rg1 30", "hide rg2 30"]);
  a?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), ["remove ra"]);
  await stage.clock.advance("10s");
  assert.deepEqual(stage.asked(), ["hide rb 30", "hide rg1 30", "hide rg2 30"]);
  await stage.stop();
  assert.deepEqual(stage.asked(), ["hide rb 0", "hide rg1 0", "hide rg2 0"]);
});

test("sqsEvents hands the next of a group on when the one before is removed, beside a long poll", async () => {
  const stage = createStage();
  stage.send({ id: "1", group: "g" }, { id: "2", group: "g" }, { id: "x", group: "h" });
  const [one, x] = [await stage.next(), await stage.next()];
  assert.deepEqual([one?.object, x?.object], ["1", "x"]);
  assert.equal(await stage.next(), undefined);
  one?.ack?.done();
  assert.equal((await stage.next())?.object, "2");
  await stage.stop();
});

test("sqsEvents receives no more than may be held, those that wait in their group counted", async () => {
  const stage = createStage({ maxUnacknowledged: 3 });
  const group = (name: string) => ["1", "2", "3"].map((n) => ({ id: `${name}${n}`, group: name }));
  stage.send(...group("g"), ...group("h"));
  const one = await stage.next();
  assert.equal(one?.object, "g1");
  assert.equal(await stage.next(), undefined, "another group was received");
  one?.ack?.done();
  assert.equal((await stage.next())?.object, "g2");
  const first = await stage.next();
  assert.equal(first?.object, "h1");
  assert.equal(await stage.next(), undefined);
  first?.ack?.retry();
  assert.equal((await stage.next())?.object, "h2");
  await stage.stop();
});

test("sqsEvents gives a group back as a whole, its first last, and waits as long as it was told", async () => {
  const stage = createStage();
  stage.send({ id: "1", group: "g" }, { id: "2", group: "g" }, { id: "3", group: "g" });
  (await stage.next())?.ack?.retry("1500ms");
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), ["hide r2 0", "hide r3 0", "hide r1 2"]);
  stage.send({ id: "1", group: "g", receipt: "again", receiveCount: 2 });
  (await stage.next())?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), ["remove again"]);
  await stage.stop();
});

test("sqsEvents hands nothing of a group on past a message that could not be removed", async () => {
  const stage = createStage();
  stage.send({ id: "1", group: "g" }, { id: "2", group: "g" });
  const one = await stage.next();
  stage.failRemovals(new Error("the receipt has expired"));
  one?.ack?.done();
  assert.equal(await stage.next(), undefined);
  assert.deepEqual(stage.asked(), ["remove r1", "hide r2 0"]);
  await stage.stop();
});

test("sqsEvents settles the newest delivery of a message that came twice", async () => {
  const stage = createStage();
  stage.send({ id: "a" });
  const a = await stage.next();
  stage.send({ id: "a", receipt: "newer", receiveCount: 2 });
  assert.equal(await stage.next(), undefined);
  a?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), ["remove newer"]);
  await stage.stop();
});

test("sqsEvents releases a message before SQS ends its 12 hours, and counts it", async () => {
  const stage = createStage();
  stage.send({ id: "a" });
  await stage.next();
  await stage.clock.advance("11h");
  assert.equal(stage.released(), 0);
  stage.asked();
  await stage.clock.advance("59m");
  await stage.clock.advance("1m");
  assert.equal(stage.released(), 1);
  assert.equal(stage.asked().at(-1), "hide ra 0");
  await stage.stop();
});

test("sqsEvents hands a message to onDeadLetter that SQS has handed over too often, and removes it", async () => {
  const stage = createStage();
  stage.send({ id: "a", receiveCount: 11 }, { id: "b", receiveCount: 10 });
  assert.equal((await stage.next())?.object, "b");
  assert.deepEqual(
    stage.letters.map(({ id, deliveries }) => [id, deliveries]),
    [["a", 11]],
  );
  assert.deepEqual(stage.asked(), ["remove ra"]);
  await stage.stop();
});

test("sqsEvents hands what is rejected to onDeadLetter and removes it, and the next of its group comes", async () => {
  const stage = createStage();
  stage.send({ id: "a", group: "g" }, { id: "b", group: "g" });
  (await stage.next())?.ack?.reject?.(new Error("there is no such bucket"));
  assert.equal((await stage.next())?.object, "b");
  assert.deepEqual(
    stage.letters.map(({ id, reason }) => [id, reason]),
    [["a", "it was rejected: there is no such bucket"]],
  );
  assert.deepEqual(stage.asked(), ["remove ra"]);
  await stage.stop();
});

test("sqsEvents says that it is blocked while as much of a group waits behind one message as may be held, by number or bytes", async () => {
  for (const bound of [{ maxUnacknowledged: 3 }, { maxUnacknowledgedBytes: 1_500 }]) {
    const stage = createStage(bound);
    const body = "x".repeat(500);
    stage.send(...["1", "2", "3"].map((id) => ({ id, group: "g", body })));
    const one = await stage.next();
    stage.send({ id: "4", group: "h", body });
    assert.equal(await stage.next(), undefined, "more was received");
    assert.equal(stage.blocked(), "full");
    one?.ack?.done();
    assert.equal((await stage.next())?.object, body);
    assert.ok(await stage.next(), "it goes on");
    await stage.stop();
  }
});

test("sqsEvents that may not delete fails, hides what it has meanwhile, hands nothing more on, and goes on when it may", async () => {
  const stage = createStage();
  stage.send({ id: "1", group: "g" }, { id: "2", group: "g" });
  const one = await stage.next();
  stage.failRemovals(new CodedError("Forbidden", "Cannot delete: no right to it"));
  one?.ack?.done();
  assert.equal(await stage.next(), undefined);
  assert.equal(stage.phase(), "Cannot delete: no right to it");
  await stage.clock.advance("30s");
  assert.deepEqual(new Set(stage.asked()), new Set(["remove r1", "hide r1 30", "hide r2 30"]));
  stage.failRemovals(undefined);
  await stage.clock.advance("1m");
  assert.equal(stage.phase(), "serving");
  assert.equal((await stage.next())?.object, "2");
  assert.deepEqual(stage.letters, []);
  await stage.stop();
});
