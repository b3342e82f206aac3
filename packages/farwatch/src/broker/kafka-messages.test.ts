import assert from "node:assert/strict";
import { test } from "node:test";
import { CodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { type BrokerStageOptions, createBrokerStage } from "./broker-stage.fixture.ts";
import type { KafkaRecord } from "./kafka-batch.ts";
import type { KafkaAssignment, KafkaConsumer, KafkaMember } from "./kafka-consumer.ts";
import { kafkaEvents } from "./kafka-messages.ts";

/** A group that does what a test says, and writes down what it is asked. */
function createStage(options: BrokerStageOptions = {}) {
  const asked: string[] = [];
  let member: KafkaMember | undefined;
  let commitError: Error | undefined;
  const keys = (partitions: readonly KafkaAssignment[]): string =>
    partitions.map(({ partition }) => partition).join(",");
  const consumer: KafkaConsumer = {
    pause: (partitions) => {
      if (partitions.length > 0) asked.push(`pause ${keys(partitions)}`);
    },
    resume: (partitions) => {
      asked.push(`resume ${keys(partitions)}`);
    },
    async commit(positions) {
      asked.push(`commit ${positions.map(({ partition, offset }) => `${partition}:${offset}`).join(",")}`);
      if (commitError !== undefined) throw commitError;
    },
    async [Symbol.asyncDispose]() {
      asked.push("leave");
    },
  };
  const stage = createBrokerStage(
    (holding, signal) =>
      kafkaEvents<string>(
        {
          async join(joined) {
            member = joined;
            return consumer;
          },
          read: ({ partition }, { offset, value }) => {
            if (value === undefined) throw new Error("a tombstone");
            return `${partition}:${offset}`;
          },
          signal,
        },
        holding,
      ),
    options,
  );
  const joined = (): KafkaMember => member ?? assert.fail("nobody has joined");
  return {
    ...stage,
    asked: () => asked.splice(0),
    failCommits(error: Error | undefined): void {
      commitError = error;
    },
    member: joined,
    /** Records of one fetch, from `start`; gives how many were taken. */
    fetch(partition: number, start: number, count: number, change: Partial<KafkaRecord> = {}): number {
      const records = Array.from(
        { length: count },
        (_, index): KafkaRecord => ({
          ...{
            offset: BigInt(start + index),
            key: undefined,
            value: new Uint8Array(),
            timestampMs: 0,
            headers: new Map(),
          },
          ...change,
        }),
      );
      return joined().take({ topic: "t", partition, start: BigInt(start), records, next: BigInt(start + count) });
    },
    assign: (...partitions: readonly number[]) =>
      joined().assigned(partitions.map((partition) => ({ topic: "t", partition }))),
  };
}

type Stage = ReturnType<typeof createStage>;

/** A member of a group that has partitions 0 and 1, and waits for records. */
async function started(options?: BrokerStageOptions): Promise<Stage> {
  const stage = createStage(options);
  await stage.next();
  stage.assign(0, 1);
  return stage;
}

async function take(stage: Stage, count: number): Promise<GenericEvent<string>[]> {
  const events: GenericEvent<string>[] = [];
  while (events.length < count) events.push((await stage.next()) ?? assert.fail(`${events.length} events came`));
  return events;
}

test("kafkaEvents commits the lowest offset that is not worked on, once for many", async () => {
  const stage = await started();
  assert.equal(stage.fetch(0, 5, 4), 4);
  stage.fetch(1, 0, 1);
  const [a, b, c, d, e] = await take(stage, 5);
  for (const one of [b, d]) one?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), []);
  for (const one of [a, e]) one?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), ["commit 0:7,1:1"]);
  c?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), ["commit 0:9"]);
  await stage.stop();
});

test("kafkaEvents pauses a partition while as much is held as may be, and asks for what it did not take", async () => {
  const stage = await started({ maxUnacknowledged: 3 });
  assert.equal(stage.fetch(0, 0, 5), 3);
  assert.equal(stage.fetch(1, 0, 1), 0);
  assert.deepEqual(stage.asked(), ["pause 0", "pause 1"]);
  const [first] = await take(stage, 3);
  assert.equal(await stage.next(), undefined);
  assert.deepEqual(stage.asked(), []);
  first?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked().toSorted(), ["commit 0:1", "resume 0,1"]);
  assert.equal(stage.fetch(0, 3, 2), 1);
  await stage.stop();
});

test("kafkaEvents pauses a partition while what is held of all takes as much memory as it may", async () => {
  const stage = await started({ maxUnacknowledgedBytes: 1_000 });
  const value = new Uint8Array(400);
  assert.equal(stage.fetch(0, 0, 2, { value }), 2);
  assert.equal(stage.fetch(1, 0, 5, { value }), 1, "one goes beyond, so that one larger than all has a way");
  assert.deepEqual(stage.asked(), ["pause 1"]);
  const events = await take(stage, 3);
  for (const { ack } of events) ack?.done();
  await stage.next();
  assert.ok(stage.asked().includes("resume 1"));
  await stage.stop();
});

test("kafkaEvents goes past a message that is held, up to 10,000 others", async () => {
  const stage = await started({ maxUnacknowledged: 20_000 });
  assert.equal(stage.fetch(0, 0, 12_000), 10_000);
  assert.deepEqual(stage.asked(), ["pause 0"]);
  const [first, ...others] = await take(stage, 10_000);
  for (const { ack } of others) ack?.done();
  assert.equal(await stage.next(), undefined);
  assert.deepEqual(stage.asked(), []);
  first?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked().toSorted(), ["commit 0:10000", "resume 0"]);
  await stage.stop();
});

test("kafkaEvents hands a message that was given back on again, in its time, without the broker", async () => {
  const stage = await started();
  stage.fetch(0, 0, 1);
  const [first] = await take(stage, 1);
  first?.ack?.retry("5s");
  await stage.clock.advance("4999ms");
  assert.equal(await stage.next(), undefined);
  await stage.clock.advance("1ms");
  const again = await stage.next();
  assert.equal(again?.object, "0:0");
  assert.deepEqual(stage.asked(), []);
  again?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), ["commit 0:1"]);
  await stage.stop();
});

test("kafkaEvents hands what is rejected to onDeadLetter, and its offset counts as worked on", async () => {
  const stage = await started();
  stage.fetch(0, 0, 2);
  const [one, two] = await take(stage, 2);
  stage.asked();
  two?.ack?.done();
  one?.ack?.reject?.(new Error("there is no such bucket"));
  await stage.clock.settle();
  assert.deepEqual(
    stage.letters.map(({ id, deliveries, reason }) => [id, deliveries, reason]),
    [["t/0/0", 1, "it was rejected: there is no such bucket"]],
  );
  assert.equal(stage.asked().at(-1), "commit 0:2");
  await stage.stop();
});

test("kafkaEvents counts deliveries here and in the header, and then hands to onDeadLetter", async () => {
  const stage = await started({ maxDeliveries: 3 });
  stage.fetch(0, 0, 1);
  for (const _ of [1, 2, 3]) {
    const [event] = await take(stage, 1);
    event?.ack?.retry();
    await stage.clock.advance("1ms");
  }
  assert.equal(await stage.next(), undefined);
  stage.fetch(0, 1, 1, { headers: new Map([["farwatch-deliveries", "3"]]) });
  stage.fetch(0, 2, 1, { value: undefined });
  for (const hostile of ["-1", "1e9", "99999999999", " 3", "__proto__"])
    stage.fetch(0, 3, 1, { headers: new Map([["farwatch-deliveries", hostile]]) });
  assert.equal((await stage.next())?.object, "0:3");
  assert.deepEqual(
    stage.letters.map(({ id, deliveries, reason }) => [id, deliveries, reason]),
    [
      ["t/0/0", 4, "it was handed over 3 times without an end"],
      ["t/0/1", 4, "it was handed over 3 times without an end"],
      ["t/0/2", 1, "its body cannot be read: a tombstone"],
    ],
  );
  assert.equal(stage.asked().at(-1), "commit 0:3");
  await stage.stop();
});

test("kafkaEvents commits nothing of a partition that is another's, and forgets what waited of it", async () => {
  const stage = await started();
  stage.fetch(0, 0, 2);
  stage.fetch(1, 0, 1);
  const [first, , third] = await take(stage, 3);
  stage.fetch(1, 1, 1);
  stage.assign(0);
  assert.equal(await stage.next(), undefined);
  third?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), []);
  first?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), ["commit 0:1"]);
  assert.equal(stage.fetch(1, 2, 1), 0, "a batch that was under way");
  await stage.stop();
});

test("kafkaEvents commits nothing while the group is rebalancing, and all of it afterwards", async () => {
  const stage = await started();
  stage.fetch(0, 0, 1);
  const [first] = await take(stage, 1);
  stage.member().rebalancing();
  first?.ack?.done();
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), []);
  stage.assign(0, 1);
  await stage.clock.settle();
  assert.deepEqual(stage.asked(), ["commit 0:1"]);
  await stage.stop();
});

test("kafkaEvents does not deliver again what it has, when the group is joined once more and the position goes back", async () => {
  const stage = await started();
  stage.fetch(0, 0, 3);
  const [, second] = await take(stage, 3);
  second?.ack?.done();
  stage.assign(0, 1);
  assert.equal(stage.fetch(0, 0, 5), 5);
  assert.deepEqual(
    (await take(stage, 2)).map(({ object }) => object),
    ["0:3", "0:4"],
  );
  assert.equal(await stage.next(), undefined);
  await stage.stop();
});

test("kafkaEvents asks again for the first batch of a partition that it had, lost and has again", async () => {
  const stage = await started();
  stage.fetch(0, 0, 1);
  await take(stage, 1);
  stage.assign(1);
  stage.assign(0, 1);
  assert.equal(stage.fetch(0, 1, 1), 0, "what was fetched in the first term would leave a gap");
  assert.equal(stage.fetch(0, 0, 2), 2);
  // The first is held still: its event settles it.
  assert.equal((await stage.next())?.object, "0:1");
  await stage.stop();
});

test("kafkaEvents reads a topic that was made anew from its beginning", async () => {
  const stage = await started();
  stage.fetch(0, 500, 1);
  (await stage.next())?.ack?.done();
  await stage.clock.settle();
  assert.equal(stage.fetch(0, 0, 1), 1);
  assert.equal((await stage.next())?.object, "0:0");
  await stage.stop();
});

test("kafkaEvents commits again when a commit failed", async () => {
  const stage = await started();
  stage.fetch(0, 0, 1);
  stage.failCommits(new Error("the coordinator moves"));
  (await stage.next())?.ack?.done();
  await stage.clock.settle();
  stage.failCommits(undefined);
  await stage.clock.advance("1s");
  assert.deepEqual(stage.asked(), ["commit 0:1", "commit 0:1"]);
  await stage.stop();
  assert.deepEqual(stage.asked(), ["leave"]);
});

test("kafkaEvents tries what failed to be committed once a second, however many messages it was", async () => {
  const stage = await started();
  stage.fetch(0, 0, 20);
  stage.failCommits(new Error("the coordinator moves"));
  for (const { ack } of await take(stage, 20)) {
    ack?.done();
    await stage.clock.settle();
  }
  assert.equal(stage.asked().length, 20);
  await stage.clock.advance("10s");
  assert.deepEqual(new Set(stage.asked()), new Set(["commit 0:20"]));
  await stage.clock.advance("10s");
  assert.equal(stage.asked().length, 10);
  await stage.stop();
});

test("kafkaEvents that may not commit fails, is not joined anew for it, and goes on when it may", async () => {
  const stage = await started({ maxDeliveries: 1 });
  stage.fetch(0, 0, 2);
  const [first] = await take(stage, 1);
  const refused = Object.assign(new Error("Not authorized to access group"), { type: "GROUP_AUTHORIZATION_FAILED" });
  stage.failCommits(new Error("the client gave up", { cause: refused }));
  first?.ack?.done();
  await stage.clock.advance("1m");
  assert.equal(await stage.next(), undefined, "nothing more is handed on");
  assert.match(stage.phase() ?? "", /^Cannot read source uploads from Kafka: .*; grant the user READ on the group$/);
  stage.failCommits(undefined);
  await stage.clock.advance("1m");
  assert.equal(stage.phase(), "serving");
  assert.ok(await stage.next());
  assert.equal(stage.asked().at(-1), "commit 0:1");
  assert.deepEqual(stage.letters, []);
  await stage.stop();
});

test("kafkaEvents fails when no commit succeeds for long, so that the group is joined anew", async () => {
  const stage = await started();
  stage.failCommits(new Error("The coordinator is not aware of this member"));
  stage.fetch(0, 0, 1);
  const [event] = await take(stage, 1);
  event?.ack?.done();
  await stage.clock.advance("25s");
  assert.equal(await stage.next(), undefined, "a rebalance takes its time");
  await stage.clock.advance("10s");
  await assert.rejects(stage.next(), {
    code: "ConnectionFailed",
    message: /^Cannot read source uploads from Kafka: no commit succeeds: The coordinator is not aware/,
  });
});

test("kafkaEvents throws what its member failed with", async () => {
  const stage = await started();
  const error = new CodedError("ConnectionFailed", "Cannot read");
  stage.member().failed(error);
  assert.equal(await stage.thrown(), error);
});

test("kafkaEvents says that it is blocked while as much is held as may be, and while a partition waits for its oldest message", async () => {
  const stage = await started({ maxUnacknowledged: 2 });
  stage.fetch(0, 0, 3);
  const [first] = await take(stage, 2);
  assert.equal(await stage.next(), undefined);
  assert.equal(stage.blocked(), "full");
  first?.ack?.done();
  await stage.next();
  assert.equal(stage.blocked(), undefined);
  await stage.stop();

  const behind = await started({ maxUnacknowledged: 20_000 });
  behind.fetch(0, 0, 10_001);
  const [oldest, ...later] = await take(behind, 10_000);
  for (const each of later) each.ack?.done();
  behind.fetch(1, 0, 1);
  assert.ok(await behind.next(), "the other partition goes on");
  assert.equal(await behind.next(), undefined);
  assert.equal(behind.blocked(), "oldest");
  oldest?.ack?.done();
  await behind.next();
  assert.equal(behind.blocked(), undefined);
  await behind.stop();
});
