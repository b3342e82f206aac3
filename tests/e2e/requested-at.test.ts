import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestEnv, type TestEnv } from "@farwatch/testing";
import {
  type Controller,
  defineController,
  defineResource,
  handledAtAnnotation,
  pausedAnnotation,
  requestedAtAnnotation,
} from "farwatch";
import { z } from "zod";

const group = "requests.farwatch.dev";
const Lamp = defineResource({
  group,
  version: "v1",
  kind: "Lamp",
  spec: z.object({ level: z.int() }),
  status: z.object({ level: z.int().optional() }),
});
const Bulb = defineResource({
  group,
  version: "v1",
  kind: "Bulb",
  spec: z.object({ level: z.int() }),
  status: z.object({ level: z.int().optional(), lastHandledRequest: z.string().optional() }),
});
type Kind = typeof Lamp | typeof Bulb;
const key = { namespace: "default", name: "desk" };

function levelController(kind: Kind, runs: string[]): Controller {
  return defineController({
    for: kind,
    // Nothing but the request and the pause wakes it.
    predicates: [() => false],
    async reconcile(request, { client, signal }) {
      const object = await client.find(kind, request, { signal });
      if (object === undefined) return;
      runs.push(object.metadata.annotations?.[requestedAtAnnotation] ?? "none");
      await client.patchStatus(object, { level: object.spec.level }, { signal });
    },
  });
}

async function until(env: TestEnv, what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let seconds = 0; seconds < 40; seconds += 1) {
    if (await holds()) return;
    await env.advance("1s");
  }
  assert.fail(`in 40 s not: ${what}`);
}

for (const server of ["embedded", "kube-apiserver"] as const) {
  test(`controller on ${server} notes the request that it has handled, in the status or in an annotation`, async () => {
    await using env = await createTestEnv({ server, resources: [Lamp, Bulb] });
    const runs: string[] = [];
    const replica = env.replica();
    replica.manager.add(levelController(Lamp, runs)).add(levelController(Bulb, runs));
    await replica.start();
    await env.client.create(Lamp, { metadata: key, spec: { level: 1 } });
    await env.client.create(Bulb, { metadata: key, spec: { level: 1 } });
    await env.advance("1s");
    assert.deepEqual(runs, [], "a predicate dropped the creates");

    const asked = { metadata: { annotations: { [requestedAtAnnotation]: "now" } } };
    await env.client.patch(await env.client.get(Lamp, key), asked);
    await env.client.patch(await env.client.get(Bulb, key), asked);
    const lamp = () => env.client.get(Lamp, key);
    const bulb = () => env.client.get(Bulb, key);
    await until(env, "both noted", async () => {
      const noted = [
        (await lamp()).metadata.annotations?.[handledAtAnnotation],
        (await bulb()).status?.lastHandledRequest,
      ];
      return noted.every((token) => token === "now");
    });
    assert.equal((await bulb()).metadata.annotations?.[handledAtAnnotation], undefined);
    assert.deepEqual([(await lamp()).status?.level, (await bulb()).status?.level], [1, 1]);
    await env.advance("2s");
    assert.deepEqual(runs, ["now", "now"], "its own notes wake nobody");
  });

  test(`controller on ${server} leaves a paused object alone until it is released`, async () => {
    await using env = await createTestEnv({ server, resources: [Bulb] });
    const runs: string[] = [];
    const replica = env.replica();
    replica.manager.add(levelController(Bulb, runs));
    await replica.start();
    const annotations = { [pausedAnnotation]: "true" };
    const created = await env.client.create(Bulb, { metadata: { ...key, annotations }, spec: { level: 1 } });
    const asked = await env.client.patch(created, {
      metadata: { annotations: { [requestedAtAnnotation]: "meanwhile" } },
    });
    await env.advance("2s");
    assert.deepEqual(runs, []);
    // A merge patch takes a key away by null, which the type of an annotation does not have.
    const release = [{ op: "remove", path: `/metadata/annotations/${pausedAnnotation.replace("/", "~1")}` }] as const;
    await env.client.patch(asked, release);
    await until(env, "a run", async () => (await env.client.get(Bulb, key)).status?.level === 1);
    assert.deepEqual(runs, ["meanwhile"]);
  });
}
