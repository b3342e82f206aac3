import assert from "node:assert/strict";
import { test } from "node:test";
import { startKafka } from "@farwatch/testing";
import { type KafkaMessage, kafkaSource, systemClock } from "farwatch";
import type { Received } from "farwatch/doubles";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { deadLetters } from "./dead-letters.ts";
import { createTopic, type TestTopic, type TestTopicOptions } from "./kafka-topics.ts";
import { type OpenedSource, openSource } from "./opened-source.ts";
import { toleratesSilence } from "./silence.ts";

const { server, skip } = await availableServer(startKafka);

async function newTopic(options?: TestTopicOptions): Promise<TestTopic> {
  assert.ok(server);
  return await createTopic(server, options);
}

const texts = (received: readonly Received<unknown>[]): readonly unknown[] => received.map(({ event }) => event.object);
const untilCommitted = (topic: TestTopic): Promise<unknown> =>
  eventually("all is committed", async () => (await topic.left()) === 0);

test("kafkaSource yields what came before its group began, in its order, and commits it when it was worked on", {
  skip,
}, async () => {
  await using topic = await newTopic();
  await topic.send(["1", "2", "3"]);
  await using source = openSource(kafkaSource(topic.at));
  const received = await source.take(3);
  assert.deepEqual(texts(received), ["1", "2", "3"]);
  assert.deepEqual(await topic.committed(), [undefined], "it is not committed while it is worked on");
  for (const { hold } of received) hold.done();
  await untilCommitted(topic);
});

test("kafkaSource gives its reader all that a message carries", { skip }, async () => {
  await using topic = await newTopic({ partitions: 2 });
  await topic.send(["body"], { partition: 1, headers: { kind: "put" } });
  const read = (message: KafkaMessage): KafkaMessage => message;
  await using source = openSource(kafkaSource({ ...topic.at, read }));
  const { event, hold } = await source.next();
  const { timestamp, value, ...rest } = event.object;
  assert.ok(Math.abs(timestamp.getTime() - systemClock.now().getTime()) < 60_000);
  assert.equal(Buffer.from(value ?? []).toString(), "body");
  const headers = new Map([["kind", "put"]]);
  assert.deepEqual(rest, { topic: topic.topic, partition: 1, offset: 0n, key: undefined, headers });
  hold.done();
});

test("kafkaSource commits nothing beyond a message that is held, and delivers it again to who comes next", {
  skip,
}, async () => {
  await using topic = await newTopic();
  await topic.send(["1", "2", "3", "4"]);
  {
    await using source = openSource(kafkaSource(topic.at));
    const [first, second, ...others] = await source.take(4);
    assert.ok(first && second);
    first.hold.done();
    for (const { hold } of others) hold.done();
    await eventually("the first is committed", async () => (await topic.committed())[0] === 1);
  }
  assert.deepEqual(await topic.committed(), [1]);
  await using source = openSource(kafkaSource(topic.at));
  const received = await source.take(3);
  assert.deepEqual(texts(received), ["2", "3", "4"]);
  for (const { hold } of received) hold.done();
  await untilCommitted(topic);
});

test("kafkaSource stays in its group while it holds more than it may, for longer than its session", {
  skip,
}, async () => {
  await using topic = await newTopic();
  await topic.send(["1", "2", "3"]);
  await using source = openSource(kafkaSource({ ...topic.at, maxUnacknowledged: 1 }));
  const first = await source.next();
  await systemClock.sleep("4s");
  first.hold.done();
  // As another member it could commit nothing of this.
  await eventually("the first is committed", async () => (await topic.committed())[0] === 1);
  for (const wanted of ["2", "3"]) {
    const { event, hold } = await source.next();
    assert.equal(event.object, wanted);
    hold.done();
  }
  await untilCommitted(topic);
  assert.equal(source.state.restarts, 0);
});

test("kafkaSource hands a message that cannot be read to onDeadLetter, and goes on", { skip }, async () => {
  await using topic = await newTopic();
  await topic.send(["{", "2"]);
  const { letters, remember } = deadLetters();
  const read = ({ value }: KafkaMessage): unknown => JSON.parse(Buffer.from(value ?? []).toString());
  await using source = openSource(kafkaSource({ ...topic.at, read, onDeadLetter: remember }));
  const { event, hold } = await source.next();
  assert.equal(event.object, 2);
  hold.done();
  await untilCommitted(topic);
  assert.equal(letters.length, 1);
  assert.match(letters[0]?.reason ?? "", /^its body cannot be read: /);
});

test("kafkaSource shares the partitions of its group, and loses nothing when they change hands", {
  skip,
}, async () => {
  await using topic = await newTopic({ partitions: 4 });
  const wanted = new Set<string>();
  const send = async (from: number, count: number): Promise<void> => {
    const values = Array.from({ length: count }, (_, index) => String(from + index));
    for (const value of values) wanted.add(value);
    await topic.send(values);
  };
  const told = new Set<string>();
  const working = new AbortController();
  const work = async (source: OpenedSource<string>): Promise<void> => {
    while (!working.signal.aborted) {
      const received = await source.next(working.signal).catch(() => undefined);
      if (received === undefined) return;
      await systemClock.sleep("5ms");
      told.add(received.event.object);
      received.hold.done();
    }
  };
  await send(0, 100);
  await using one = openSource(kafkaSource(topic.at));
  // Held over the change, of whichever partition.
  const held = await one.take(10);
  const first = work(one);
  {
    await using other = openSource(kafkaSource(topic.at));
    const second = work(other);
    await send(100, 200);
    await eventually("both work", () => one.state.lastEventAt !== undefined && other.state.lastEventAt !== undefined);
    await eventually("most is worked on", () => told.size > 200);
    for (const { event, hold } of held) {
      told.add(event.object as string);
      hold.done();
    }
    await send(300, 100);
    await eventually("everything is worked on", () => wanted.difference(told).size === 0);
    await untilCommitted(topic);
    working.abort();
    await second;
  }
  await first;
});

test("kafkaSource fails when its broker is gone, says why, and reads on when it is back", { skip }, async () => {
  await using topic = await newTopic();
  await topic.send(["1"]);
  await using source = openSource(kafkaSource(topic.at));
  await source.next();
  await server?.kill();
  assert.match((await source.failing()).lastError ?? "", /^Cannot read source kafka-uploads-\d+ from Kafka: /);
  await server?.restart();
  const again = await source.next();
  assert.equal(again.event.object, "1", "what was not committed comes again");
  again.hold.done();
  await untilCommitted(topic);
});

test("kafkaSource leaves its group also when it is closed while it joins", { skip }, async () => {
  await using topic = await newTopic();
  for (const delayMs of [0, 10, 30, 60, 100, 150, 250]) {
    const source = openSource(kafkaSource(topic.at));
    await systemClock.sleep(delayMs);
    await source[Symbol.asyncDispose]();
    await eventually("the group has no members", async () => (await topic.members()) === 0, { within: "10s" });
  }
});

test("kafkaSource fails without brokers, without waiting for ever", { skip }, async () => {
  await using source = openSource(kafkaSource({ brokers: ["127.0.0.1:1"], topics: ["t"], group: "g" }));
  assert.match((await source.failing()).lastError ?? "", /ECONNREFUSED/);
});

toleratesSilence({
  name: "kafkaSource",
  skip,
  async create() {
    assert.ok(server);
    const topic = await newTopic();
    return {
      source: kafkaSource({ ...topic.at, read: ({ value }) => Number(Buffer.from(value ?? [])) }),
      server,
      publish: (number) => topic.send([String(number)]),
      [Symbol.asyncDispose]: () => topic[Symbol.asyncDispose](),
    };
  },
  at: (port) => kafkaSource({ brokers: [`127.0.0.1:${port}`], topics: ["t"], group: "g", read: () => 0 }),
});

test("kafkaSource reads a topic that was deleted and made anew from its beginning", { skip }, async () => {
  assert.ok(server);
  await using topic = await createTopic(server);
  await using source = openSource(kafkaSource(topic.at));
  await topic.send(["1", "2"]);
  for (const { hold } of await source.take(2)) hold.done();
  await eventually("both are committed", async () => (await topic.left()) === 0);
  await topic.remove();
  await source.failing();
  await using anew = await createTopic(server, topic);
  await anew.send(["3"]);
  const { event, hold } = await source.next();
  assert.equal(event.object, "3");
  hold.done();
  await eventually("it is committed", async () => (await anew.left()) === 0);
});
