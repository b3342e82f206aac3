import assert from "node:assert/strict";
import { after, test } from "node:test";
import { sharedKubeApiserver } from "@farwatch/testing";
import {
  type BuiltinResource,
  compareQuantities,
  createClient,
  defineBuiltin,
  formatQuantity,
  type KubeObject,
  loadConfig,
  parseQuantity,
} from "farwatch";
import fc from "fast-check";

/** Holds any quantity above 0, and gives it back as the server writes it. */
interface Autoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly apiVersion: string; readonly kind: string; readonly name: string };
    readonly maxReplicas: number;
    readonly metrics: readonly {
      readonly type: "External";
      readonly external: {
        readonly metric: { readonly name: string };
        readonly target: { readonly type: "Value"; readonly value: string };
      };
    }[];
  };
}

const Autoscaler: BuiltinResource<Autoscaler> = defineBuiltin({
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
});

const client = createClient({ config: loadConfig({ kubeconfig: sharedKubeApiserver().kubeconfigFile }) });
after(() => client[Symbol.asyncDispose]());

const edges = [
  ...[
    "1000",
    "1500",
    "1.5",
    ".5",
    "2.",
    "+5",
    "0.5Gi",
    "1.5Gi",
    "1024",
    "1024Ki",
    "1.1Ki",
    "1023Ki",
    "0.5Ki",
    "1e3",
    "1E3",
  ],
  ...[
    "1500e0",
    "12e-1",
    "1E",
    "1.23456789123",
    "1n",
    "1e-12",
    "9223372036854775807",
    "9223372036854775808",
    "1e30",
    "8Ei",
    "7Ei",
  ],
];

const generated = fc
  .tuple(
    fc.integer({ min: 1, max: 100_000 }),
    fc.option(fc.nat(999), { nil: undefined }),
    fc.constantFrom("", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "e-3", "E2", "e0"),
  )
  .map(([whole, fraction, suffix]) => `${whole}${fraction === undefined ? "" : `.${fraction}`}${suffix}`);

// The server keeps the text of most quantities; where it writes its own, that is canonical.
test("parseQuantity and formatQuantity agree with what a real API server stores", async () => {
  const texts = [...edges, ...fc.sample(generated, { numRuns: 100, seed: 7 })];
  const metrics = texts.map((value, index) => ({
    type: "External" as const,
    external: { metric: { name: `m${index}` }, target: { type: "Value" as const, value } },
  }));
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "a" };
  const stored = await client.create(
    Autoscaler,
    { metadata: { namespace: "default", name: "quantities" }, spec: { scaleTargetRef, maxReplicas: 1, metrics } },
    { dryRun: true },
  );
  let rewritten = 0;
  for (const [index, text] of texts.entries()) {
    const theirs = stored.spec.metrics[index]?.external.target.value ?? assert.fail(text);
    const ours = parseQuantity(text) ?? assert.fail(text);
    assert.equal(compareQuantities(parseQuantity(theirs) ?? assert.fail(theirs), ours), 0, `${text} became ${theirs}`);
    if (theirs === text) continue;
    assert.equal(formatQuantity(ours), theirs, text);
    rewritten += 1;
  }
  assert.ok(rewritten > 30, `the server has rewritten ${rewritten}`);
});

test("parseQuantity refuses what a real API server refuses", async () => {
  for (const text of ["1 Gi", "1K", "1gi", "1e", "1e1.5", "1Gie3", "--1", "0x10", "1mi", "Infinity"]) {
    assert.equal(parseQuantity(text), undefined, text);
    const metric = {
      type: "External",
      external: { metric: { name: "m" }, target: { type: "Value", value: text } },
    } as const;
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "a" };
    const sent = client.create(
      Autoscaler,
      { metadata: { namespace: "default", name: "q" }, spec: { scaleTargetRef, maxReplicas: 1, metrics: [metric] } },
      { dryRun: true },
    );
    await assert.rejects(sent, /quantities must match the regular expression|unable to parse quantity/, text);
  }
});
