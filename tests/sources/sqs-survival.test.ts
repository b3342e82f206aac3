import assert from "node:assert/strict";
import { startSqs } from "@farwatch/testing";
import { availableServer } from "./available-server.ts";
import { createQueue } from "./sqs-queues.ts";
import { type SurvivingQueue, survives } from "./survival.ts";

const { server, skip } = await availableServer(startSqs);

survives({
  name: "sqsSource",
  skip,
  many: true,
  async create(): Promise<SurvivingQueue> {
    assert.ok(server);
    const queue = await createQueue(server);
    return {
      source: { type: "sqs", at: queue.at },
      server,
      publish: (numbers) => queue.send(numbers.map(String)),
      left: queue.left,
      [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
    };
  },
});
