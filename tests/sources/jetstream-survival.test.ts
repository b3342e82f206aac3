import assert from "node:assert/strict";
import { after } from "node:test";
import { startNatsServer } from "@farwatch/testing";
import { availableServer } from "./available-server.ts";
import { createJetStreamQueue } from "./jetstream-queue.ts";
import { type SurvivingQueue, survives } from "./survival.ts";

const available = await availableServer(startNatsServer);
const server = "server" in available ? available.server : undefined;
after(() => server?.[Symbol.asyncDispose]());

let made = 0;

survives({
  name: "jetStreamSource",
  skip: "skip" in available ? available.skip : false,
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
