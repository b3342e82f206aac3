import assert from "node:assert/strict";
import { startNatsServer } from "@farwatch/testing";
import { availableServer } from "./available-server.ts";
import { createJetStreamQueue } from "./jetstream-queue.ts";
import { type SurvivingQueue, survives } from "./survival.ts";

const { server, skip } = await availableServer(startNatsServer);

let made = 0;

survives({
  name: "jetStreamSource",
  skip,
  many: true,
  async create(): Promise<SurvivingQueue> {
    assert.ok(server);
    made += 1;
    const stream = `survival-${made}`;
    const queue = await createJetStreamQueue(server, { stream });
    return {
      source: { type: "jetstream", servers: server.url, stream },
      server,
      publish: (numbers) => queue.publish(numbers),
      async left(): Promise<number> {
        const { pending, unacknowledged } = await queue.left();
        return pending + unacknowledged;
      },
      async [Symbol.asyncDispose](): Promise<void> {},
    };
  },
});
