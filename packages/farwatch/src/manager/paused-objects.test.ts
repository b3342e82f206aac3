import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineController } from "../controller/define-controller.ts";
import { createScriptedManager } from "../doubles/scripted-manager.fixture.ts";
import { defineResource } from "../resource/define-resource.ts";
import { Lease } from "../resource/kind/lease.ts";
import { pausedAnnotation } from "../wire/runtime-annotation.ts";

const Bucket = defineResource({ group: "example.farwatch.dev", version: "v1", kind: "Bucket", spec: z.object({}) });
const bucket = (name: string, paused?: string) => ({
  metadata: {
    namespace: "ops",
    name,
    annotations: paused === undefined ? {} : { [pausedAnnotation]: paused },
  },
  spec: {},
});

test("manager tells how many objects of a controller are paused, those that were so before it led, and only while it leads", async () => {
  const env = createScriptedManager({ leaderElection: { leaseName: "app", namespace: "ops", identity: "me" } });
  env.cluster.put(Lease, {
    metadata: { namespace: "ops", name: "app" },
    spec: { holderIdentity: "other", leaseDurationSeconds: 15, renewTime: "2030-01-01T00:00:00.000000Z" },
  });
  for (const [name, paused] of [["a", "true"], ["b", "true"], ["c"]] as const)
    env.cluster.put(Bucket, bucket(name, paused));
  const runs: string[] = [];
  env.manager.add(
    defineController({
      for: Bucket,
      predicates: [() => false],
      async reconcile({ name }) {
        runs.push(name);
      },
    }),
  );
  const gauge = env.manager.metrics.gauge({ name: "farwatch_paused_objects", help: "", labelNames: ["controller"] });
  const paused = () => gauge.read({ controller: "bucket" });
  await env.start();
  assert.equal(paused(), undefined, "another leads");

  await env.clock.advance("30s");
  assert.equal(env.manager.leadership.isLeader, true);
  assert.deepEqual([paused(), runs], [2, []]);

  env.cluster.put(Bucket, bucket("a"));
  await env.clock.advance("1s");
  assert.deepEqual([paused(), runs], [1, ["a"]]);

  env.cluster.put(Bucket, bucket("c", "true"));
  await env.clock.advance("1s");
  assert.deepEqual([paused(), runs], [2, ["a"]]);

  await env.stopped();
  assert.equal(paused(), undefined);
});
