import assert from "node:assert/strict";
import { test } from "node:test";
import { sourceContract, startRedisServer } from "@farwatch/testing";
import { redisStreamSource } from "farwatch";
import { availableServer } from "./available-server.ts";
import { createRedisQueue } from "./redis-queue.ts";

const { server, skip } = await availableServer(startRedisServer);

let made = 0;

sourceContract({
  name: "redisStreamSource",
  time: "real",
  test: (name, run) => test(name, { skip }, run),
  create() {
    made += 1;
    const queue = createRedisQueue({ url: server?.url ?? "redis://127.0.0.1" }, `contract-${made}`);
    const { url, stream, group } = queue;
    return {
      source: redisStreamSource({ url, stream, group, claimAfter: "1s", maxUnacknowledged: 50 }),
      emit: (n) => queue.publish([n]),
      taken: async () => (await queue.pending()).size,
      async open(): Promise<number> {
        const clients = String(await queue.ask("CLIENT", "LIST"));
        assert.match(clients, /cmd=client/);
        return clients.split("\n").filter((line) => line.includes(`name=farwatch-redis-${stream}-`)).length;
      },
    };
  },
  numberOf: ({ object }) => Number(object.n),
});
