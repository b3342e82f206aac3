import { after } from "node:test";
import { startKafka } from "@farwatch/testing";
import { CodedError } from "farwatch";
import { availableServer } from "./available-server.ts";
import { createTopic } from "./kafka-topics.ts";
import { type SurvivingQueue, survives } from "./survival.ts";

const available = await availableServer(startKafka);
const server = "server" in available ? available.server : undefined;
after(() => server?.[Symbol.asyncDispose]());

survives({
  name: "kafkaSource",
  skip: "skip" in available ? available.skip : false,
  many: true,
  async create(): Promise<SurvivingQueue> {
    if (server === undefined) throw new CodedError("Internal", "Cannot make a topic: there is no server");
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
