import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isCodedError } from "../error/coded-error.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { Namespace } from "../resource/kind/namespace.ts";
import type { AnyResource } from "../resource/resource.ts";
import { collectionPath, describeCall, homePath, objectPath, readApiCall } from "./api-path.ts";

const Gauge: AnyResource = defineBuiltin({ group: "x.dev", version: "v1", kind: "Gauge", subresources: ["status"] });

test("objectPath and collectionPath follow group, version, namespace, name and subresource", () => {
  assert.equal(collectionPath(ConfigMap), "/api/v1/configmaps");
  assert.equal(collectionPath(ConfigMap, "a"), "/api/v1/namespaces/a/configmaps");
  assert.equal(
    objectPath(Gauge, { namespace: "a", name: "b" }, "status"),
    "/apis/x.dev/v1/namespaces/a/gauges/b/status",
  );
  assert.equal(objectPath(Namespace, { name: "a" }), "/api/v1/namespaces/a");
  assert.equal(
    objectPath(Gauge, { namespace: "a", name: "x:y z?" }),
    "/apis/x.dev/v1/namespaces/a/gauges/x%3Ay%20z%3F",
  );
});

test("objectPath refuses keys that would reach another object", () => {
  const refused = (run: () => string, message: string): void =>
    assert.throws(run, (error) => isCodedError(error, "InvalidOption") && error.message === message);
  const wanted = 'give one of 1 to 2048 characters that is not "." or ".." and has no "/" or "%"';
  for (const name of ["", ".", "..", "a/b", "a%2fb", "\ud800"]) {
    refused(
      () => objectPath(ConfigMap, { namespace: "a", name }),
      `Cannot address configmaps: the name is ${JSON.stringify(name)}, ${wanted}`,
    );
  }
  refused(() => collectionPath(Gauge, ".."), `Cannot address gauges.x.dev: the namespace is "..", ${wanted}`);
  assert.match(objectPath(ConfigMap, { namespace: "a", name: "x".repeat(2_048) }), /x{2048}$/);
  refused(
    () => objectPath(ConfigMap, { namespace: "a", name: "x".repeat(2_049) }),
    `Cannot address configmaps: the name is "${"x".repeat(100)}", ${wanted}`,
  );
  refused(
    () => objectPath(Gauge, { name: "a" }),
    "Cannot address gauges.x.dev: the kind Gauge is namespaced, give a namespace",
  );
  refused(
    () => homePath(Gauge, undefined),
    "Cannot address gauges.x.dev: the kind Gauge is namespaced, give a namespace",
  );
  refused(
    () => objectPath(Namespace, { namespace: "a", name: "b" }),
    'Cannot address namespaces: the kind Namespace is cluster-scoped, leave out namespace "a"',
  );
});

test("readApiCall reads back what the paths were made from", () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9:.-]{0,20}[a-z0-9]$/);
  const subresource = fc.option(fc.constantFrom("status", "scale", "finalize"), { nil: undefined });
  fc.assert(
    fc.property(
      fc.constantFrom(ConfigMap, Gauge),
      name,
      name,
      subresource,
      (resource: AnyResource, namespace, object, sub) => {
        assert.deepEqual(readApiCall("PUT", objectPath(resource, { namespace, name: object }, sub), false), {
          verb: "update",
          group: resource.group,
          resource: sub === undefined ? resource.plural : `${resource.plural}/${sub}`,
          namespace,
          name: object,
        });
      },
    ),
  );
});

test("readApiCall knows a Namespace from what is in it", () => {
  const said = (method: string, path: string, watch = false): string | undefined => {
    const call = readApiCall(method, path, watch);
    return call === undefined ? undefined : describeCall(call);
  };
  assert.equal(said("GET", "/api/v1/namespaces"), "list namespaces");
  assert.equal(said("GET", "/api/v1/namespaces/a"), "get namespaces a");
  assert.equal(said("PUT", "/api/v1/namespaces/a/finalize"), "update namespaces/finalize a");
  assert.equal(said("GET", "/api/v1/namespaces/a/pods"), "list pods in namespace a");
  assert.equal(said("GET", "/api/v1/pods", true), "watch pods");
  assert.equal(said("DELETE", "/apis/apps/v1/namespaces/a/deployments"), "deletecollection deployments in namespace a");
  assert.equal(said("POST", "/api/v1/namespaces/a/pods/b/eviction"), "create pods/eviction a/b");
  for (const path of ["/version", "/", "/apis", "/apis/x.dev", "/api/v1", "/readyz/%zz"])
    assert.equal(said("GET", path), undefined);
});
