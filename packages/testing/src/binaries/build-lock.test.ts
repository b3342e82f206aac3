import assert from "node:assert/strict";
import { mkdir, readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { instantOf, systemClock } from "farwatch";
import { createTempFolder } from "../process/temp-folder.ts";
import { takeBuildLock } from "./build-lock.ts";

test("build lock is held by one at a time, and says once to whoever waits", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  const folder = join(temp.path, "lock");
  const order: string[] = [];
  const first = await takeBuildLock(folder);
  const waited = new AbortController();
  const second = takeBuildLock(folder, {
    onWait: () => {
      order.push("second waits");
      waited.abort();
    },
  }).then((lock) => {
    order.push("second has it");
    return lock;
  });
  while (!waited.signal.aborted) await systemClock.sleep("5ms");
  order.push("first gives it back");
  await first[Symbol.asyncDispose]();
  await (await second)[Symbol.asyncDispose]();
  assert.deepEqual(order, ["second waits", "first gives it back", "second has it"]);
  assert.deepEqual(await readdir(temp.path), []);
});

test("build lock of a process that died is broken, by one of those who wait", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  const folder = join(temp.path, "lock");
  await mkdir(folder);
  const longAgo = instantOf(systemClock.now().getTime() - 60_000);
  await utimes(folder, longAgo, longAgo);
  let holders = 0;
  const takeAndGive = async (): Promise<void> => {
    await using _lock = await takeBuildLock(folder);
    holders += 1;
    assert.equal(holders, 1);
    await systemClock.sleep("20ms");
    holders -= 1;
  };
  await Promise.all([takeAndGive(), takeAndGive(), takeAndGive()]);
  assert.deepEqual(await readdir(temp.path), []);
});

test("build lock stays with a holder who needs longer than a dead one is waited for", async () => {
  await using temp = await createTempFolder("farwatch-test-");
  const folder = join(temp.path, "lock");
  const first = await takeBuildLock(folder, { staleAfter: "300ms" });
  using giveUp = systemClock.timeout("1s");
  await assert.rejects(takeBuildLock(folder, { staleAfter: "300ms", signal: giveUp }), { code: "Timeout" });
  await first[Symbol.asyncDispose]();
});
