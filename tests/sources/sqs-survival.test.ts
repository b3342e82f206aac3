import { after } from "node:test";
import { startSqs } from "@farwatch/testing";
import { CodedError } from "farwatch";
import { availableServer } from "./available-server.ts";
import { createQueue } from "./sqs-queues.ts";
import { type SurvivingQueue, survives } from "./survival.ts";

const available = await availableServer(startSqs);
const server = "server" in available ? available.server : undefined;
after(() => server?.[Symbol.asyncDispose]());

survives({
  name: "sqsSource",
  skip: "skip" in available ? available.skip : false,
  async create(): Promise<SurvivingQueue> {
    if (server === undefined) throw new CodedError("Internal", "Cannot make a queue: there is no server");
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
