import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemory } from "./memory.ts";

const path = "/api/v1/namespaces/here/configmaps";

test("memory resolves references by what a server answered last and first", () => {
  const memory = createMemory("here");
  const answer = (resourceVersion: string) => ({
    kind: "ConfigMap",
    metadata: { name: "a", uid: "u", resourceVersion },
  });
  memory.hear({ method: "POST", path }, answer("5"));
  memory.hear({ method: "PUT", path: `${path}/a` }, answer("7"));
  memory.hear({ method: "GET", path }, { kind: "ConfigMapList", items: [], metadata: { continue: "t" } });
  const resolved = memory.resolve({
    method: "PUT",
    path: "/api/v1/namespaces/@namespace/configmaps/a",
    query: { continue: "@continue:configmaps", resourceVersion: "@first:configmaps/a" },
    body: { "@last": "configmaps/a", patch: { data: { v: "@version:configmaps/a" }, metadata: { uid: null } } },
  });
  assert.deepEqual(resolved, {
    method: "PUT",
    path: `${path}/a`,
    query: { continue: "t", resourceVersion: "5" },
    body: { kind: "ConfigMap", metadata: { name: "a", resourceVersion: "7" }, data: { v: "7" } },
  });
});

test("memory gives a reference to what nobody has seen a value all the same", () => {
  const { query } = createMemory("here").resolve({
    method: "GET",
    path,
    query: { resourceVersion: "@version:configmaps/b", continue: "@continue:configmaps" },
  });
  assert.deepEqual(query, { resourceVersion: "1", continue: "nonsense" });
});
