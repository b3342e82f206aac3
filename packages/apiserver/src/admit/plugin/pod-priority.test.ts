import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredObject } from "../../registry/api-object.ts";
import { attributes, readerOf, stored } from "../admission.fixture.ts";
import { createPodPriority } from "./pod-priority.ts";

const group = "scheduling.k8s.io";

function priorityClass(name: string, value: number, globalDefault = false): StoredObject {
  return stored(`${group}/v1`, "PriorityClass", {
    metadata: { name },
    value,
    globalDefault,
    preemptionPolicy: "Never",
  });
}

const high = priorityClass("high", 9, true);
const low = priorityClass("low", 3, true);
const plugin = (...classes: readonly StoredObject[]) =>
  createPodPriority(readerOf({ [`${group}/priorityclasses`]: classes }));

function podWith(spec: Record<string, unknown>) {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec };
}

test("A pod without a class has the default one, the lowest where there are more", () => {
  const object = podWith({});
  plugin(high, low).admit?.(attributes({ plural: "pods", object }));
  assert.deepEqual(object.spec, { priorityClassName: "low", priority: 3, preemptionPolicy: "Never" });
});

test("A pod has priority 0 where there is no default", () => {
  const object = podWith({});
  plugin(priorityClass("other", 5)).admit?.(attributes({ plural: "pods", object }));
  assert.deepEqual(object.spec, { priority: 0, preemptionPolicy: "PreemptLowerPriority" });
});

test("An update keeps the priority that it does not mention", () => {
  const old = stored("v1", "Pod", { metadata: { name: "p" }, spec: { priority: 4, preemptionPolicy: "Never" } });
  const object = podWith({});
  plugin(low).admit?.(attributes({ plural: "pods", object, old, operation: "UPDATE" }));
  assert.deepEqual(object.spec, { priority: 4, preemptionPolicy: "Never" });
});

test("A second class may not be the default, but the default may change itself", () => {
  const asked = (name: string, operation: "CREATE" | "UPDATE") =>
    attributes({
      group,
      plural: "priorityclasses",
      operation,
      object: { apiVersion: `${group}/v1`, kind: "PriorityClass", metadata: { name }, globalDefault: true },
    });
  const { validate } = plugin(low);
  for (const operation of ["CREATE", "UPDATE"] as const) {
    assert.throws(() => validate?.(asked("second", operation)), { code: 403 });
  }
  validate?.(asked("low", "UPDATE"));
});
