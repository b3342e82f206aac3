import assert from "node:assert/strict";
import { test } from "node:test";
import { validateScaleSpec, validateScaleStatus } from "./custom-scale.ts";

const scale = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};
const widget = (fields: Record<string, unknown>): Parameters<typeof validateScaleSpec>[1] => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "a" },
  ...fields,
});

test("validateScaleSpec refuses numbers of replicas that a scale cannot have, as the real server does", () => {
  const found = (replicas: unknown): unknown =>
    validateScaleSpec(scale, widget({ spec: { replicas } })).map(({ value, detail }) => [value, detail]);
  assert.deepEqual([found(0), found(2_147_483_647)], [[], []]);
  assert.deepEqual(found(-1), [[-1, "should be a non-negative integer"]]);
  assert.deepEqual(found(2_147_483_648), [[2_147_483_648, "should be less than or equal to 2147483647"]]);
  const typed = (text: string): unknown => [[0, `.spec.replicas accessor error: ${text}, expected int64`]];
  assert.deepEqual(found("3"), typed("3 is of the type string"));
  assert.deepEqual(found(1.5), typed("1.5 is of the type float64"));
  assert.deepEqual(found(1e20), typed("1e+20 is of the type float64"));
});

test("validateScaleSpec tells of a path that leads nowhere only where something stands in its way", () => {
  assert.deepEqual(validateScaleSpec(scale, widget({})), []);
  assert.deepEqual(validateScaleSpec(undefined, widget({ spec: { replicas: "3" } })), []);
  const [error] = validateScaleSpec(scale, widget({ spec: 3 }));
  assert.equal(error?.detail, ".spec.replicas accessor error: 3 is of the type int64, expected map[string]interface{}");
});

test("validateScaleStatus looks at the selector too", () => {
  const found = validateScaleStatus(scale, widget({ status: { replicas: -1, selector: 3 } }));
  assert.deepEqual(
    found.map(({ field, detail }) => `${field}: ${detail}`),
    [
      ".status.replicas: should be a non-negative integer",
      ".status.selector: .status.selector accessor error: 3 is of the type int64, expected string",
    ],
  );
});
