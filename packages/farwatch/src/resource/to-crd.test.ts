import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineResource } from "./define-resource.ts";
import { ConfigMap } from "./kind/config-map.ts";
import { toCrd } from "./to-crd.ts";

const names = { group: "example.farwatch.dev", kind: "Policy", shortNames: ["pol"] } as const;
const alpha = defineResource({
  ...names,
  version: "v1alpha1",
  deprecationWarning: "use v1",
  spec: z.object({ a: z.string() }),
});
const stable = defineResource({
  ...names,
  version: "v1",
  spec: z.object({ a: z.string(), b: z.int().optional() }),
  status: z.object({ ok: z.boolean() }),
  printerColumns: [{ name: "Ok", path: ".status.ok" }],
  selectableFields: ["spec.a"],
});

test("toCrd gives one version all that its definition says", () => {
  assert.deepEqual(toCrd(stable), {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "policies.example.farwatch.dev" },
    spec: {
      group: "example.farwatch.dev",
      names: { plural: "policies", singular: "policy", kind: "Policy", listKind: "PolicyList", shortNames: ["pol"] },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: { a: { type: "string" }, b: { type: "integer" } },
                  required: ["a"],
                },
                status: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
              },
              required: ["spec"],
            },
          },
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: "Ok", type: "boolean", jsonPath: ".status.ok" }],
          selectableFields: [{ jsonPath: ".spec.a" }],
        },
      ],
    },
  });
});

test("toCrd stores the last of several versions, or the one that is named", () => {
  const stored = (crd: ReturnType<typeof toCrd>): readonly string[] =>
    crd.spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
  assert.deepEqual(stored(toCrd([alpha, stable])), ["v1"]);
  assert.deepEqual(stored(toCrd([alpha, stable], { storageVersion: "v1alpha1" })), ["v1alpha1"]);
  const [first] = toCrd([alpha, stable]).spec.versions;
  assert.equal(first?.deprecated, true);
  assert.equal(first?.deprecationWarning, "use v1");
});

test("toCrd refuses what does not go together", () => {
  const other = defineResource({ ...names, version: "v2", plural: "policys", spec: z.object({}) });
  const cluster = defineResource({ ...names, version: "v2", scope: "Cluster", spec: z.object({}) });
  const says = (make: () => unknown, message: string): void =>
    assert.throws(make, { code: "InvalidResource", message });
  says(() => toCrd([]), "Cannot make a CRD: no resource is given");
  says(
    () => toCrd(ConfigMap),
    "Cannot make a CRD of ConfigMap: ConfigMap was not made by defineResource, so that its schema is unknown",
  );
  for (const odd of [other, cluster]) {
    says(
      () => toCrd([stable, odd]),
      "Cannot make a CRD of Policy: version v1 differs from v2 in group, scope or names; give all versions the same",
    );
  }
  says(() => toCrd([stable, stable]), "Cannot make a CRD of Policy: a version is given twice");
  says(
    () => toCrd(stable, { storageVersion: "v3" }),
    "Cannot make a CRD of Policy: the storage version v3 is none of its versions",
  );
});
