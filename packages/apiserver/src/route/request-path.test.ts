import assert from "node:assert/strict";
import { test } from "node:test";
import { type ResourcePath, readResourcePath, verbOf } from "./request-path.ts";

function told(path: string): string | undefined {
  const read = readResourcePath(path);
  if (read === undefined) return undefined;
  const { group, version, namespace, resource, name, subresource, watch } = read;
  return [
    `${group === "" ? "core" : group}/${version}`,
    namespace === undefined ? "-" : `in ${namespace}`,
    resource,
    name ?? "-",
    subresource ?? "-",
    ...(watch ? ["watch"] : []),
  ].join(" ");
}

test("readResourcePath reads collections, objects and subresources of every scope", () => {
  assert.equal(told("/api/v1/pods"), "core/v1 - pods - -");
  assert.equal(told("/api/v1/namespaces/n/pods/p/log"), "core/v1 in n pods p log");
  assert.equal(told("/apis/apps/v1/namespaces/n/deployments/d/scale"), "apps/v1 in n deployments d scale");
  assert.equal(told("/api/v1/nodes/a/proxy/x/y"), "core/v1 - nodes a proxy/x/y");
});

test("readResourcePath takes a namespace for its own, and for a place", () => {
  assert.equal(told("/api/v1/namespaces"), "core/v1 - namespaces - -");
  assert.equal(told("/api/v1/namespaces/n"), "core/v1 in n namespaces n -");
  assert.equal(told("/api/v1/namespaces/n/finalize"), "core/v1 in n namespaces n finalize");
  assert.equal(told("/apis/example.com/v1/namespaces/n"), "example.com/v1 - namespaces n -");
});

test("readResourcePath reads the older paths of watches", () => {
  assert.equal(told("/api/v1/watch/namespaces/n/pods"), "core/v1 in n pods - - watch");
  assert.equal(told("/api/v1/watch/pods"), "core/v1 - pods - - watch");
});

test("readResourcePath takes one slash at the end for nothing, and an empty part for a name that nothing has", () => {
  assert.equal(told("/api/v1/pods/"), "core/v1 - pods - -");
  assert.equal(told("/api/v1//pods"), "core/v1 -  pods -");
  assert.equal(told("/api/v1/namespaces//pods"), "core/v1 - pods - -", "all namespaces");
  for (const path of ["//api/v1/pods", "/api", "/api/v1", "/apis/apps", "/apis//v1/pods", "/", "", "/version"])
    assert.equal(told(path), undefined, path);
});

test("readResourcePath decodes a path as a whole, and leaves one that cannot be decoded as it is", () => {
  assert.equal(told("/api/v1/namespaces/n/pods/a%20b"), "core/v1 in n pods a b -");
  assert.equal(told("/api/v1/namespaces/n/pods/a%2Flog"), "core/v1 in n pods a log");
  assert.equal(told("/api/v1/namespaces/n/pods/%zz%"), "core/v1 in n pods %zz% -");
  assert.equal(told("/api/v1/namespaces/n/pods/%C3"), "core/v1 in n pods %C3 -");
});

test("readResourcePath is not led astray by what every object has", () => {
  assert.equal(told("/apis/__proto__/constructor/toString/valueOf"), "__proto__/constructor - toString valueOf -");
});

test("verbOf tells what is asked of a collection from what is asked of an object", () => {
  const verb = (method: string, path: string, query = ""): string | undefined =>
    verbOf(method, readResourcePath(path) as ResourcePath, new URLSearchParams(query));
  assert.equal(verb("GET", "/api/v1/pods"), "list");
  assert.equal(verb("GET", "/api/v1/pods", "watch"), "watch");
  assert.equal(verb("GET", "/api/v1/pods", "watch=0"), "list");
  assert.equal(verb("GET", "/api/v1/pods", "watch=false"), "list");
  assert.equal(verb("GET", "/api/v1/namespaces/n/pods/p", "watch=1"), "get");
  assert.equal(verb("GET", "/api/v1/watch/namespaces/n/pods/p"), "watch");
  assert.equal(verb("DELETE", "/api/v1/namespaces/n/pods"), "deletecollection");
  assert.equal(verb("DELETE", "/api/v1/namespaces/n/pods/p"), "delete");
  for (const method of ["OPTIONS", "TRACE", "__proto__", "constructor", ""])
    assert.equal(verb(method, "/api/v1/pods"), undefined, method);
});
