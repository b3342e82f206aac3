import assert from "node:assert/strict";
import { after, test } from "node:test";
import { serveKind, sharedKubeApiserver } from "@farwatch/testing";
import {
  type CustomObject,
  CustomResourceDefinition,
  createClient,
  defineResource,
  loadConfig,
  type Resource,
  toCrd,
} from "farwatch";
import fc from "fast-check";
import { randomSpec } from "./random-schema.ts";

const client = createClient({ config: loadConfig({ kubeconfig: sharedKubeApiserver().kubeconfigFile }) });
after(() => client[Symbol.asyncDispose]());

const seed = 20300101;

test("a real API server takes the CRD of any schema that defineResource takes", async () => {
  await fc.assert(
    fc.asyncProperty(randomSpec, async ({ schema }) => {
      const kind = defineResource({ group: "random.farwatch.dev", version: "v1", kind: "Random", spec: schema });
      await client.create(CustomResourceDefinition, toCrd(kind), { dryRun: true });
    }),
    { seed, numRuns: 150 },
  );
});

test("a real API server takes the values that a schema takes", async () => {
  const samples = fc.sample(randomSpec, { seed, numRuns: 25 });
  await Promise.all(
    samples.map(async ({ schema, value }, index) => {
      const kind = defineResource({
        group: "random.farwatch.dev",
        version: "v1",
        kind: `Random${index}`,
        plural: `random${index}`,
        spec: schema,
      }) as Resource<CustomObject<unknown, unknown>, unknown>;
      await using _ = await serveKind(client, kind);
      const object = await client.create(
        kind,
        { metadata: { namespace: "default", name: "a" }, spec: value },
        { fieldValidation: "Ignore" },
      );
      const parsed = schema.parse(JSON.parse(JSON.stringify(object.spec)));
      assert.deepEqual(parsed, schema.parse(value), `the ${index}th of seed ${seed}: ${JSON.stringify(value)}`);
    }),
  );
});
