import assert from "node:assert/strict";
import { test } from "node:test";
import { startKafka } from "@farwatch/testing";
import { kafkaSource } from "farwatch";
import { Kafka, logLevel } from "kafkajs";
import { availableServer } from "./available-server.ts";
import { openSource } from "./opened-source.ts";

const password = "s3cr3t-of-farwatch";
const { server, skip } = await availableServer(() => startKafka({ users: { farwatch: password } }));

const brokers = [server?.bootstrap ?? "nowhere"];
const at = { brokers, topics: ["uploads"], group: "buckets", session: "3s" } as const;

test("kafkaSource proves by SASL who it is", { skip }, async () => {
  const sasl = { mechanism: "plain", username: "farwatch", password } as const;
  const client = new Kafka({ brokers, sasl, logLevel: logLevel.NOTHING });
  const [admin, producer] = [client.admin(), client.producer()];
  await Promise.all([admin.connect(), producer.connect()]);
  await admin.createTopics({ topics: [{ topic: "uploads" }], waitForLeaders: true });
  await producer.send({ topic: "uploads", acks: -1, messages: [{ value: "one" }] });
  await Promise.all([admin.disconnect(), producer.disconnect()]);
  await using source = openSource(kafkaSource({ ...at, sasl }));
  const { event, hold } = await source.next();
  assert.equal(event.object, "one");
  hold.done();
});

test("kafkaSource fails when it is not believed, and repeats no password", { skip }, async () => {
  const wrong = "an0ther-s3cret";
  const sasl = { mechanism: "plain", username: "farwatch", password: wrong } as const;
  await using source = openSource(kafkaSource({ ...at, sasl }));
  assert.match(
    (await source.failing()).lastError ?? "",
    /^Cannot read source kafka-uploads from Kafka: .*[Aa]uthentication/,
  );
  await using silent = openSource(kafkaSource({ ...at, name: "silent" }));
  assert.match((await silent.failing()).lastError ?? "", /^Cannot read source silent from Kafka: /);
  assert.ok(!JSON.stringify([source.warnings, source.state]).includes(wrong));
});
