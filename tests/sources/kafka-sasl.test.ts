import assert from "node:assert/strict";
import { test } from "node:test";
import { startKafka } from "@farwatch/testing";
import { kafkaSource } from "farwatch";
import kafkajs, { type Admin, Kafka, logLevel, type AclResourceTypes as ResourceType } from "kafkajs";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { openSource } from "./opened-source.ts";

const password = "s3cr3t-of-farwatch";
const { server, skip } = await availableServer(() =>
  startKafka({ users: { farwatch: password, admin: password }, admins: ["admin"] }),
);

const brokers = [server?.bootstrap ?? "nowhere"];
const at = { brokers, topics: ["uploads"], group: "buckets", session: "3s" } as const;

const admin = new Kafka({
  brokers,
  sasl: { mechanism: "plain", username: "admin", password },
  logLevel: logLevel.NOTHING,
});

async function asAdmin(use: (admin: Admin) => Promise<unknown>): Promise<void> {
  const connected = admin.admin();
  await connected.connect();
  try {
    await use(connected);
  } finally {
    await connected.disconnect();
  }
}

async function send(...values: readonly string[]): Promise<void> {
  const producer = admin.producer();
  await producer.connect();
  await producer.send({ topic: "uploads", acks: -1, messages: values.map((value) => ({ value })) });
  await producer.disconnect();
}

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

/** That the user of the source may read these. */
const readingOf = (resourceType: ResourceType, resourceName: string) =>
  ({
    ...{ resourceType, resourceName, resourcePatternType: ResourcePatternTypes.LITERAL },
    ...{ principal: "User:farwatch", host: "*", operation: AclOperationTypes.READ },
    permissionType: AclPermissionTypes.ALLOW,
  }) as const;
const ofTopic = readingOf(AclResourceTypes.TOPIC, "uploads");
const ofGroup = readingOf(AclResourceTypes.GROUP, "buckets");

test("kafkaSource proves by SASL who it is, by what a function gives too", { skip }, async () => {
  await asAdmin(async (connected) => {
    await connected.createTopics({ topics: [{ topic: "uploads" }], waitForLeaders: true });
    await connected.createAcls({ acl: [ofTopic, ofGroup] });
  });
  await send("one");
  const sasl = async () => ({ mechanism: "plain", username: "farwatch", password }) as const;
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

test("kafkaSource that may not read topic or group says which right is missing, and goes on when it has it", {
  skip,
}, async () => {
  const sasl = { mechanism: "plain", username: "farwatch", password } as const;
  for (const [right, said] of [
    [ofGroup, /; grant the user READ on the group$/],
    [ofTopic, /; grant the user READ and DESCRIBE on the topics$/],
  ] as const) {
    await using source = openSource(kafkaSource({ ...at, sasl }));
    await send("two", "three");
    const two = await source.next();
    const three = await source.next();
    assert.deepEqual([two.event.object, three.event.object], ["two", "three"]);
    two.hold.done();
    await asAdmin((connected) => connected.deleteAcls({ filters: [right] }));
    const { lastError = "" } = await source.failing();
    three.hold.done();
    assert.match(lastError, said);
    await asAdmin((connected) => connected.createAcls({ acl: [right] }));
    await eventually("it serves again", () => source.state.phase === "serving");
    await send("four");
    for (let next = await source.next(); ; next = await source.next()) {
      next.hold.done();
      if (next.event.object === "four") break;
    }
  }
});
