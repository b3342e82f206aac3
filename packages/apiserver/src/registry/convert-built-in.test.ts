import assert from "node:assert/strict";
import { test } from "node:test";
import type { DraftObject } from "./api-object.ts";
import { convertBuiltIn } from "./convert-built-in.ts";

const scaleTargetRef = { kind: "Deployment", name: "x" };

function autoscaler(annotations: Readonly<Record<string, string>>, spec: object = {}): DraftObject {
  return {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "h", annotations },
    spec: { scaleTargetRef, maxReplicas: 2, ...spec },
  };
}

test("convertBuiltIn leaves the object that it is given as it is", () => {
  const object = autoscaler({ "autoscaling.alpha.kubernetes.io/metrics": "[]", kept: "yes" });
  const before = structuredClone(object);
  const { metadata } = convertBuiltIn(object, "autoscaling/v2");
  assert.deepEqual(metadata.annotations, { kept: "yes" });
  assert.deepEqual(object, before);
});

test("convertBuiltIn drops an annotation of an autoscaler that cannot be read", () => {
  for (const text of ["{", "null", "7", '"x"', "{}", "[null]", '[{"type":"Pods","pods":7}]']) {
    const object = autoscaler(
      {
        "autoscaling.alpha.kubernetes.io/metrics": text,
        "autoscaling.alpha.kubernetes.io/behavior": text,
        "autoscaling.alpha.kubernetes.io/conditions": text,
        "autoscaling.alpha.kubernetes.io/current-metrics": text,
      },
      { targetCPUUtilizationPercentage: 7 },
    );
    const { metadata, spec } = convertBuiltIn(object, "autoscaling/v2") as DraftObject & {
      spec: { metrics: unknown[] };
    };
    assert.equal(metadata.annotations, undefined);
    const target = { type: "Utilization", averageUtilization: 7 };
    assert.deepEqual(spec.metrics.at(-1), { type: "Resource", resource: { name: "cpu", target } });
  }
});

test("convertBuiltIn refuses versions between which there is no way", () => {
  const object = autoscaler({});
  assert.throws(() => convertBuiltIn(object, "autoscaling/v3"), { code: "NotFound" });
  assert.throws(() => convertBuiltIn({ ...object, kind: "__proto__" }, "autoscaling/v2"), { code: "NotFound" });
  assert.deepEqual(convertBuiltIn(object, "autoscaling/v1"), object);
});
