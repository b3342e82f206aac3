import assert from "node:assert/strict";
import { startRedisServer } from "@farwatch/testing";
import { availableServer } from "./available-server.ts";
import { createRedisQueue } from "./redis-queue.ts";
import { type SurvivingQueue, survives } from "./survival.ts";

const { server, skip } = await availableServer(startRedisServer);

let made = 0;

survives({
  name: "redisStreamSource",
  skip,
  many: true,
  async create(): Promise<SurvivingQueue> {
    assert.ok(server);
    made += 1;
    const { url, stream, publish, left } = createRedisQueue(server, `survival-${made}`);
    return {
      source: { type: "redis", url, stream },
      server,
      publish,
      left,
      async [Symbol.asyncDispose](): Promise<void> {},
    };
  },
});
