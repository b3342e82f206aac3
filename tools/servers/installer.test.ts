import assert from "node:assert/strict";
import { test } from "node:test";
import { CodedError } from "farwatch";
import { isFound } from "./installer.ts";
import { installers } from "./installers.ts";

test("isFound takes NotFound for an answer, and any other failure for one", async () => {
  assert.equal(await isFound(Promise.resolve("/usr/sbin/nats-server")), true);
  assert.equal(await isFound(Promise.reject(new CodedError("NotFound", "Cannot find it"))), false);
  await assert.rejects(isFound(Promise.reject(new Error("no disk"))), /no disk/);
});

test("installers say what they do, each under a name of its own", () => {
  const names = installers.map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ["Kafka", "NATS", "PostgreSQL", "Redis"]);
  for (const { name, does } of installers) assert.match(does, /\d+ seconds$/, name);
});
