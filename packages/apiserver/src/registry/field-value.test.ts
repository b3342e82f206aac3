import assert from "node:assert/strict";
import { test } from "node:test";
import type { DraftObject } from "./api-object.ts";
import { builtInKinds } from "./built-in-kinds.ts";
import { fieldValue } from "./field-value.ts";
import { createRegistry, type ServedKind } from "./registry.ts";

const registry = createRegistry(builtInKinds());

function served(group: string, plural: string): ServedKind {
  const found = registry.findServed(group, "v1", plural);
  assert.ok(found);
  return found;
}

const event: DraftObject = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "e", namespace: "n" },
  involvedObject: { kind: "Pod" },
  source: { component: "kubelet" },
};

test("fieldValue gives the zero value of a built-in field that is not set, by its type", () => {
  const metadata = { name: "x" };
  const value = (plural: string, kind: string, field: string): string =>
    fieldValue(served("", plural), { apiVersion: "v1", kind, metadata }, field);
  assert.equal(value("nodes", "Node", "spec.unschedulable"), "false");
  assert.equal(value("replicationcontrollers", "ReplicationController", "status.replicas"), "0");
  assert.equal(value("pods", "Pod", "spec.nodeName"), "");
  assert.equal(value("pods", "Pod", "metadata.name"), "x");
});

test("fieldValue reads a stored Event under the names of the version that is asked for", () => {
  assert.equal(fieldValue(served("", "events"), event, "involvedObject.kind"), "Pod");
  assert.equal(fieldValue(served("events.k8s.io", "events"), event, "regarding.kind"), "Pod");
});

test("fieldValue takes an Event's source from who reports it, where no component is named", () => {
  assert.equal(fieldValue(served("", "events"), event, "source"), "kubelet");
  const reported = { ...event, source: {}, reportingComponent: "example.dev/c" };
  assert.equal(fieldValue(served("", "events"), reported, "source"), "example.dev/c");
});

test("fieldValue counts the successful pods of a Job", () => {
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" } };
  assert.equal(fieldValue(served("batch", "jobs"), job, "status.successful"), "0");
  assert.equal(fieldValue(served("batch", "jobs"), { ...job, status: { succeeded: 3 } }, "status.successful"), "3");
});

test("fieldValue finds nothing in what an object inherits", () => {
  assert.equal(fieldValue(served("", "pods"), { apiVersion: "v1", kind: "Pod", metadata: {} }, "constructor.name"), "");
});
