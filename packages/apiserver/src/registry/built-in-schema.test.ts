import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServedSchema } from "../schema/served-schema.ts";
import { builtInSchema } from "./built-in-schema.ts";

function at(type: string, ...path: readonly string[]): ServedSchema | undefined {
  let schema: ServedSchema | undefined = builtInSchema(type);
  for (const name of path) schema = name === "[]" ? schema?.items : schema?.properties?.[name];
  return schema;
}

test("builtInSchema gives every node of a type that contains itself once", () => {
  const schema = builtInSchema("apiextensions.v1.JSONSchemaProps");
  assert.equal(at("apiextensions.v1.JSONSchemaProps", "not")?.properties, schema.properties);
  assert.equal(at("apiextensions.v1.JSONSchemaProps", "not", "not", "not")?.properties, schema.properties);
  assert.equal(builtInSchema("apiextensions.v1.JSONSchemaProps"), schema);
});

test("builtInSchema puts the fields of an embedded type where JSON has them", () => {
  const names = Object.keys(at("core.v1.PodSpec", "volumes", "[]")?.properties ?? {});
  assert.deepEqual(names.slice(0, 3), ["name", "hostPath", "emptyDir"]);
  assert.deepEqual(Object.keys(builtInSchema("core.v1.Pod").properties ?? {}), [
    "kind",
    "apiVersion",
    "metadata",
    "spec",
    "status",
  ]);
});

test("builtInSchema tells what a list is keyed by, what is a pointer, and what is always written", () => {
  const ports = at("core.v1.PodSpec", "containers", "[]", "ports");
  assert.deepEqual(ports?.["x-kubernetes-list-map-keys"], ["containerPort", "protocol"]);
  assert.equal(ports?.items?.properties?.protocol?.default, "TCP");
  assert.equal(at("apps.v1.DeploymentSpec", "replicas")?.["x-go-pointer"], true);
  assert.equal(at("rbac.v1.Role", "rules")?.["x-go-omit"], "never");
  assert.equal(at("meta.v1.ObjectMeta", "creationTimestamp")?.["x-go-omit"], "zero");
  assert.deepEqual(at("apps.v1.Deployment", "spec", "template")?.default, {});
});

test("builtInSchema names the formats that Go reads in ways of its own", () => {
  const format = (type: string, ...path: readonly string[]): unknown => at(type, ...path)?.format;
  assert.equal(format("coordination.v1.LeaseSpec", "renewTime"), "micro-time");
  assert.equal(format("meta.v1.ObjectMeta", "creationTimestamp"), "date-time");
  assert.equal(at("core.v1.Secret", "data")?.additionalProperties?.format, "byte");
  assert.equal(at("core.v1.ResourceRequirements", "limits")?.additionalProperties?.format, "quantity");
  assert.equal(at("core.v1.ServicePort", "targetPort")?.["x-kubernetes-int-or-string"], true);
  assert.equal(format("apps.v1.ControllerRevision", "data"), "raw-extension");
  assert.equal(format("meta.v1.ManagedFieldsEntry", "fieldsV1"), "fields-v1");
  assert.equal(format("apiextensions.v1.JSONSchemaProps", "default"), "json");
  assert.equal(format("apiextensions.v1.JSONSchemaProps", "additionalProperties"), "json-schema-or-bool");
  const items = at("apiextensions.v1.JSONSchemaProps", "items");
  assert.equal(items?.format, "json-schema-or-array");
  assert.equal(items?.properties?.not, items?.items?.properties?.not);
});
