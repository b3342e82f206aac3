// The permission and the policy of manifests/bucket-events*.yaml on a real kube-apiserver.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createTestEnv } from "@farwatch/testing";
import { requestedAtAnnotation } from "farwatch";
import { StorageBucket } from "storage-bucket";
import { policyCounts } from "../policy-counts.ts";
import { manifest } from "./operator-stage.ts";

for (const { home, base, events } of [
  { home: "storage", base: "namespaced", events: "bucket-events" },
  { home: "storage-bucket", base: "cluster-wide", events: "bucket-events-cluster-wide" },
]) {
  test(`operator under ${events}.yaml may annotate a StorageBucket and write its status, and change nothing else`, async () => {
    const files = ["crd", base, events].map((name) => readFileSync(manifest(name), "utf8"));
    await using env = await createTestEnv({
      server: "kube-apiserver",
      manifests: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: home } }, ...files],
      as: `system:serviceaccount:${home}:storage-bucket`,
    });
    const key = { namespace: home, name: "photos" };
    const operator = env.replica().client;
    await env.client.create(StorageBucket, {
      metadata: { ...key, annotations: { note: "mine" }, labels: { app: "photos" } },
      spec: { s3: { bucket: "photos" }, credentials: { anonymous: {} } },
    });
    const photos = () => operator.get(StorageBucket, key, { live: true });

    await policyCounts(async () => operator.patch(await photos(), { spec: { suspend: true } }, { dryRun: true }));
    for (const change of [
      { spec: { s3: { bucket: "others" } } },
      { metadata: { labels: null } },
      { metadata: { finalizers: ["example.farwatch.dev/x"] } },
      { metadata: { annotations: { note: null } } },
      { metadata: { annotations: { [requestedAtAnnotation]: "x" } }, spec: { suspend: true } },
    ]) {
      await assert.rejects(operator.patch(await photos(), change), /the operator may (?:not )?change/);
    }
    await operator.patch(await photos(), { metadata: { annotations: { [requestedAtAnnotation]: "now/12345678" } } });
    await operator.patchStatus(await photos(), { lastHandledRequest: "now/12345678" });
    const { metadata, spec, status } = await photos();
    assert.deepEqual(metadata.annotations, { note: "mine", [requestedAtAnnotation]: "now/12345678" });
    assert.deepEqual([spec.suspend, status?.lastHandledRequest], [false, "now/12345678"]);
    await env.client.patch(await photos(), { spec: { suspend: true } });
  });
}
