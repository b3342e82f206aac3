import assert from "node:assert/strict";
import { startKafka } from "@farwatch/testing";
import { availableServer } from "./available-server.ts";
import { createTopic } from "./kafka-topics.ts";
import { type SurvivingQueue, survives } from "./survival.ts";

const { server, skip } = await availableServer(startKafka);

survives({
  name: "kafkaSource",
  skip,
  many: true,
  async create(): Promise<SurvivingQueue> {
    assert.ok(server);
    const topic = await createTopic(server, { partitions: 2 });
    return {
      source: { type: "kafka", at: topic.at },
      server,
      publish: (numbers) => topic.send(numbers.map(String)),
      left: topic.left,
      [Symbol.asyncDispose]: () => topic[Symbol.asyncDispose](),
    };
  },
});
