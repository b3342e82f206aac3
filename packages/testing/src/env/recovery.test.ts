// A running manager behind every named fault, and on a server that goes back or forgets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { transportFaults } from "../fault/transport-faults.ts";
import type { FaultyTransport } from "../fault/with-faults.ts";
import { createTestEnv } from "./create-test-env.ts";
import { createLamp, keyOf, Lamp, lampController } from "./lamp.fixture.ts";
import type { TestEnv } from "./test-env.ts";

type Fault = Parameters<FaultyTransport["faults"]["add"]>[0];

/** Each as often as it takes to be met by reads, watches and writes, and then no more. */
const faults: Readonly<Record<keyof typeof transportFaults, Fault>> = {
  conflict: transportFaults.conflict({ times: 3 }),
  watchClosed: transportFaults.watchClosed({ after: "5s", times: 3 }),
  watchCut: transportFaults.watchCut({ after: "5s", times: 3 }),
  watchSilent: transportFaults.watchSilent({ after: "5s", times: 1 }),
  truncatedLine: transportFaults.truncatedLine({ after: "5s", times: 3 }),
  expired: transportFaults.expired({ times: 3 }),
  watchExpired: transportFaults.watchExpired({ times: 3 }),
  versionTooLarge: transportFaults.versionTooLarge({ verb: ["list", "watch"], times: 3 }),
  tooManyRequests: transportFaults.tooManyRequests({ times: 3 }),
  internalError: transportFaults.internalError({ times: 3 }),
  slow: transportFaults.slow({ by: "7s", times: 5 }),
  silent: transportFaults.silent({ times: 2 }),
  lostResponse: transportFaults.lostResponse({ times: 3 }),
  reset: transportFaults.reset({ times: 5 }),
  refused: transportFaults.refused({ times: 5 }),
};

/** Changes, creations, a deletion and a recreation, a minute apart. */
async function disturb(env: TestEnv): Promise<void> {
  const dim = async (name: string, level: number): Promise<void> => {
    await env.client.patch(await env.client.get(Lamp, keyOf(name)), { spec: { level } });
  };
  await dim("old", 2);
  await createLamp(env, "new", 3);
  await env.advance("1m");
  await env.client.delete(Lamp, keyOf("gone"));
  await env.client.delete(Lamp, keyOf("again"));
  await createLamp(env, "again", 4);
  await env.advance("1m");
  await dim("new", 5);
  await env.advance("10m");
}

/** All that a cache keeps of an object; it drops managed fields. */
function seen({ metadata: { managedFields: _, ...metadata }, spec, status }: Lamp): string {
  return `${metadata.name} ${JSON.stringify([metadata, spec, status])}`;
}

async function assertConverged(env: TestEnv): Promise<void> {
  const lamps = await env.client.list(Lamp);
  assert.deepEqual((await env.manager.cache.list(Lamp)).map(seen).toSorted(), lamps.map(seen));
  for (const { metadata, spec, status } of lamps) assert.equal(status?.level, spec.level, metadata.name);
}

async function litEnv(): Promise<TestEnv> {
  const env = await createTestEnv({ resources: [Lamp] });
  env.manager.add(lampController());
  for (const name of ["old", "gone", "again"]) await createLamp(env, name, 1);
  return env;
}

for (const [name, fault] of Object.entries(faults)) {
  // Promise 8
  test(`cache and controller get over ${name} while they run`, async () => {
    await using env = await litEnv();
    await env.start();
    const struck = env.transport.faults.add(fault);
    // Streams that are open meet it too: they end, and what follows them is struck.
    env.transport.strike("closed");
    await disturb(env);
    assert.ok(struck.hits > 0, "nothing was struck");
    await assertConverged(env);
    assert.equal((await env.client.list(Lamp)).length, 3);
  });

  // Promise 8
  test(`cache and controller get over ${name} at their start`, async () => {
    await using env = await litEnv();
    const struck = env.transport.faults.add(fault);
    await env.start();
    await disturb(env);
    assert.ok(struck.hits > 0, "nothing was struck");
    await assertConverged(env);
  });
}

for (const kind of ["closed", "truncated", "cut", "stalled"] as const) {
  // Promise 8
  test(`cache and controller get over open watches that are ${kind}`, async () => {
    await using env = await litEnv();
    await env.start();
    assert.ok(env.transport.strike(kind) > 0, "no watch was open");
    await disturb(env);
    await assertConverged(env);
  });
}

// Promise 8
test("cache delivers nothing again when a watch is opened again and nothing has changed", async () => {
  await using env = await litEnv();
  await env.start();
  const before = env.requests.filter(({ method }) => method === "PATCH").length;
  const reconciles = (): number => env.requests.filter(({ method }) => method === "PATCH").length - before;
  env.transport.strike("cut");
  await env.advance("10m");
  assert.equal(reconciles(), 0);
});

// Promise 8
test("cache and controller follow a server that is restored to older versions", async () => {
  await using env = await litEnv();
  await env.start();
  const before = env.server.state();
  await disturb(env);
  const watched = env.requests.length;
  env.server.restore(before);
  await env.advance("10m");
  assert.ok(env.requests.length > watched, "nobody noticed");
  assert.deepEqual(
    (await env.client.list(Lamp)).map(({ metadata }) => metadata.name),
    ["again", "gone", "old"],
  );
  await assertConverged(env);
});

// Promise 8
test("cache and controller get over a compaction during an outage: the version that they ask for is gone", async () => {
  await using env = await litEnv();
  await env.start();
  const outage = env.transport.faults.add({ kind: "refused" });
  env.transport.strike("cut");
  await disturb(env);
  env.server.compact();
  outage[Symbol.dispose]();
  await env.advance("10m");
  await assertConverged(env);
});
