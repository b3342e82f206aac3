import assert from "node:assert/strict";
import { test } from "node:test";
import { sourceContract, startKafka } from "@farwatch/testing";
import { type KafkaMessage, kafkaSource } from "farwatch";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { createTopic, type TestTopic } from "./kafka-topics.ts";

const { server, skip } = await availableServer(startKafka);

let made = 0;

sourceContract({
  name: "kafkaSource",
  time: "real",
  numberOf: ({ object }) => Number(object),
  test: (name, run) => test(name, { skip }, run),
  create() {
    made += 1;
    const topic = `contract-${made}`;
    let there: TestTopic | undefined;
    let taken = 0;
    const read = ({ value }: KafkaMessage): string => {
      taken += 1;
      return new TextDecoder().decode(value);
    };
    return {
      source: kafkaSource({
        brokers: [server?.bootstrap ?? "nowhere"],
        topics: [topic],
        group: `group-of-${topic}`,
        session: "3s",
        maxUnacknowledged: 50,
        read,
      }),
      taken: () => taken,
      async begin(): Promise<void> {
        assert.ok(server);
        there = await createTopic(server, { topic });
      },
      emit: (n) => there?.send([String(n)]),
      async open(): Promise<number> {
        await eventually("the group has no members", async () => (await there?.members()) === 0);
        return 0;
      },
      end: async () => there?.[Symbol.asyncDispose](),
    };
  },
});
