import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createRedisGroup } from "./redis-group.ts";

test("createRedisGroup extends as many entries as are held, in commands that the server answers soon", async () => {
  const claimed: string[] = [];
  const connection = {
    async ask(...command: readonly string[]): Promise<unknown> {
      assert.deepEqual(command.slice(0, 3), ["XCLAIM", "uploads", "storage"]);
      assert.equal(command.at(-1), "JUSTID");
      assert.ok(command.length < 1_100, `${command.length} words`);
      for (const id of command.slice(5, -1)) claimed.push(id);
      return [];
    },
    wait: async () => [],
    async [Symbol.asyncDispose](): Promise<void> {},
  };
  const log = createRecordingLogger();
  const place = { connection, stream: "uploads", group: "storage" };
  const group = createRedisGroup({ ...place, claimAfterMs: 30_000, finished: "keep", log });
  const ids = Array.from({ length: 150_000 }, (_, n) => `${n}-0`);
  await group.extend(ids);
  assert.deepEqual(claimed, ids);
});
