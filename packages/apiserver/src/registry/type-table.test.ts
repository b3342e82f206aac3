import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInKinds } from "./built-in-kinds.ts";
import { isScalar, tableType, typeNameOf } from "./type-table.ts";

test("tableType reads a field's number, form, pointer and what Go leaves out", () => {
  const { fields } = tableType("apps.v1.DeploymentSpec");
  const field = (name: string): unknown => {
    const found = fields.find((one) => one.name === name);
    return found && [found.number, found.form, found.element, found.pointer, found.required, found.omit];
  };
  assert.deepEqual(field("replicas"), [1, "one", "int32", true, false, "empty"]);
  assert.deepEqual(field("selector"), [2, "one", "meta.v1.LabelSelector", true, true, "never"]);
  assert.deepEqual(field("template"), [3, "one", "core.v1.PodTemplateSpec", false, true, "never"]);
  assert.deepEqual(field("paused"), [7, "one", "bool", false, false, "empty"]);
});

test("tableType reads lists with their keys, and patches", () => {
  const ports = tableType("core.v1.ServiceSpec").fields.find(({ name }) => name === "ports");
  assert.deepEqual(ports?.listMapKeys, ["port", "protocol"]);
  assert.deepEqual([ports?.listType, ports?.patchStrategy, ports?.patchMergeKey], ["map", "merge", "port"]);
  assert.equal(tableType("core.v1.LocalObjectReference").mapType, "atomic");
});

test("tableType refuses a name that the table does not have", () => {
  for (const name of ["apps.v1.Nothing", "nothing.v1.Deployment", "__proto__", "constructor.v1.name", ""]) {
    assert.throws(() => tableType(name), { code: "NotFound" });
  }
});

test("typeNameOf finds kinds of groups with long names, and meta/v1's options in any group", () => {
  assert.equal(typeNameOf({ group: "", version: "v1", kind: "Pod" }), "core.v1.Pod");
  assert.equal(typeNameOf({ group: "rbac.authorization.k8s.io", version: "v1", kind: "Role" }), "rbac.v1.Role");
  assert.equal(typeNameOf({ group: "example.dev", version: "v1", kind: "DeleteOptions" }), "meta.v1.DeleteOptions");
  assert.equal(typeNameOf({ group: "example.dev", version: "v1", kind: "Widget" }), undefined);
});

test("The types of all built-in kinds refer to no type that the table does not have, and give no number twice", () => {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (isScalar(name) || seen.has(name)) return;
    seen.add(name);
    const { fields, items } = tableType(name);
    if (items !== undefined) assert.ok(isScalar(items), name);
    const numbers = fields.flatMap(({ number }) => (number === undefined ? [] : [number]));
    assert.equal(new Set(numbers).size, numbers.length, name);
    for (const { element } of fields) visit(element);
  };
  for (const { group, kind, versions } of builtInKinds()) {
    for (const { version } of versions) visit(typeNameOf({ group, version, kind }) ?? "");
  }
  assert.ok(seen.size > 300, `${seen.size} types`);
});
