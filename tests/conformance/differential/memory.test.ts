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

test("memory leaves out of a query what nobody has seen, and makes up a value elsewhere", () => {
  const request = createMemory("here").resolve({
    method: "DELETE",
    path,
    query: { resourceVersion: "@version:configmaps/b", continue: "@continue:configmaps" },
    body: { preconditions: { resourceVersion: "@version:configmaps/b" } },
  });
  assert.deepEqual(request.query, { continue: "nonsense" });
  assert.deepEqual(request.body, { preconditions: { resourceVersion: "1" } });
});
