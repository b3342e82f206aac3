import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInKinds } from "../registry/built-in-kinds.ts";
import { kindFromCrd } from "../registry/crd-kind.ts";
import type { Kind } from "../registry/kind.ts";
import { createRegistry } from "../registry/registry.ts";
import { openApiDocument, openApiHash, openApiIndex } from "./open-api.ts";

function customKind(properties: object): Kind {
  const versions = [
    { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
    { name: "v0", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
  ];
  const spec = { group: "example.dev", scope: "Namespaced", names: { plural: "widgets", kind: "Widget" }, versions };
  const metadata = { name: "widgets.example.dev" };
  return kindFromCrd({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec });
}

test("openApiIndex names the versions that are served, a new kind at once", () => {
  const registry = createRegistry(builtInKinds());
  const paths = (): readonly string[] => Object.keys(openApiIndex(registry).paths as object);
  assert.ok(paths().includes("apis/apps/v1"));
  assert.ok(!paths().includes("apis/example.dev/v1"));
  registry.put(customKind({}));
  assert.ok(paths().includes("apis/example.dev/v1"));
  assert.ok(!paths().includes("apis/example.dev/v0"));
});

test("openApiHash changes with the schema of a custom kind, and with it alone", () => {
  const registry = createRegistry([...builtInKinds(), customKind({ spec: { type: "object" } })]);
  const [custom, apps] = [openApiHash(registry, "apis/example.dev/v1"), openApiHash(registry, "apis/apps/v1")];
  registry.put(customKind({ spec: { type: "object", description: "New." } }));
  assert.notEqual(openApiHash(registry, "apis/example.dev/v1"), custom);
  assert.equal(openApiHash(registry, "apis/apps/v1"), apps);
});

test("openApiDocument is made once, and anew when a kind changes", () => {
  const registry = createRegistry([...builtInKinds(), customKind({})]);
  const document = openApiDocument(registry, "apis/example.dev/v1");
  assert.equal(openApiDocument(registry, "apis/example.dev/v1"), document);
  registry.put(customKind({ spec: { type: "string", description: "New." } }));
  assert.match(JSON.stringify(openApiDocument(registry, "apis/example.dev/v1")), /"description":"New\."/);
  registry.remove("example.dev", "widgets");
  assert.equal(openApiDocument(registry, "apis/example.dev/v1"), undefined);
});

test("openApiDocument tells kubectl which patches take fieldValidation and dryRun", () => {
  const registry = createRegistry([...builtInKinds(), customKind({})]);
  for (const [path, item] of [
    ["apis/apps/v1", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"],
    ["api/v1", "/api/v1/namespaces/{name}"],
    ["apis/example.dev/v1", "/apis/example.dev/v1/namespaces/{namespace}/widgets/{name}"],
  ] as const) {
    const { paths } = openApiDocument(registry, path) as {
      readonly paths: Readonly<
        Record<string, { readonly patch: { readonly parameters: readonly { readonly name: string }[] } }>
      >;
    };
    const names = paths[item]?.patch.parameters.map(({ name }) => name);
    assert.deepEqual(names, ["dryRun", "fieldManager", "fieldValidation", "force"]);
  }
});

test("openApiDocument refers to no schema that it does not have", () => {
  const registry = createRegistry([
    ...builtInKinds(),
    customKind({ e: { "x-kubernetes-embedded-resource": true, type: "object" } }),
  ]);
  for (const path of Object.keys(openApiIndex(registry).paths as object)) {
    const document = openApiDocument(registry, path) as { readonly components: { readonly schemas: object } };
    const have = new Set(Object.keys(document.components.schemas));
    for (const [, name = ""] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      assert.ok(have.has(name), `${path} ${name}`);
    }
  }
});
