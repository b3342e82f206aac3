import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredObject } from "../registry/api-object.ts";
import { createOwnerGraph, parsePlace, placeText } from "./owner-graph.ts";

function owned(...uids: readonly string[]): StoredObject {
  const ownerReferences = uids.map((uid) => ({ apiVersion: "v1", kind: "ConfigMap", name: uid, uid }));
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", uid: "u", resourceVersion: "1", ownerReferences },
  };
}

test("ownerGraph follows what an object says of its owners", () => {
  const graph = createOwnerGraph();
  graph.put("a", owned("x", "y"));
  graph.put("b", owned("x"));
  assert.deepEqual(graph.dependentsOf("x"), ["a", "b"]);
  graph.put("a", owned("y", "z"));
  assert.deepEqual([graph.dependentsOf("x"), graph.dependentsOf("y"), graph.dependentsOf("z")], [["b"], ["a"], ["a"]]);
  graph.put("a", undefined);
  assert.deepEqual([graph.dependentsOf("y"), graph.dependentsOf("__proto__")], [[], []]);
});

test("placeText is read back, whatever a name has in it", () => {
  for (const place of [
    { resource: { group: "", resource: "nodes" }, namespace: undefined, name: "n" },
    { resource: { group: "example.com", resource: "things" }, namespace: "ns", name: "a:b.c" },
  ]) {
    assert.deepEqual(parsePlace(placeText(place)), place);
  }
});
