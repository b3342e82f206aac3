import assert from "node:assert/strict";
import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";

export const area: Area = defineArea("create", (check) => {
  check("an object is answered with what the server adds", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: configMap("a", { data: { key: "value" } }) });
  });

  check("a custom object is answered with what the server adds", async ({ send, crd }) => {
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1, deep: { list: [1, "two", null] } } }) });
  });

  check("a name that is taken is refused", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: configMap("a") });
    await send("POST", configMaps(namespace), { body: configMap("a", { data: { other: "value" } }) });
  });

  check("a custom object's name that is taken is refused", async ({ send, crd }) => {
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a") });
    await send("POST", kind.path, { body: kind.object("a") });
  });

  check("generateName gives a name of its own to each", async ({ send, namespace }) => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } };
    const [first, second] = [
      await send("POST", configMaps(namespace), { body }),
      await send("POST", configMaps(namespace), { body }),
    ];
    for (const { body: made } of [first, second])
      assert.match(made.metadata.name, /^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    assert.notEqual(first.body.metadata.name, second.body.metadata.name);
    await send("GET", `${configMaps(namespace)}/${first.body.metadata.name}`);
  });

  check("a long generateName is cut", async ({ send, namespace }) => {
    const generateName = "x".repeat(250);
    const { body } = await send("POST", configMaps(namespace), {
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName } },
      view: ({ metadata: { name, ...metadata } }) => ({ length: name.length, ...metadata }),
      omit: ["managedFields"],
    });
    assert.equal(body.metadata.name.slice(0, 58), "x".repeat(58));
  });

  check("a name wins over generateName", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: configMap("a", { generateName: "made-" }) });
  });

  check("an object without a name is refused", async ({ send, namespace, crd }) => {
    await send("POST", configMaps(namespace), { body: { apiVersion: "v1", kind: "ConfigMap", metadata: {} } });
    await send("POST", configMaps(namespace), { body: { apiVersion: "v1", kind: "ConfigMap" } });
    const kind = await crd();
    await send("POST", kind.path, { body: { apiVersion: kind.apiVersion, kind: kind.kind } });
  });

  check("a name of a wrong type is refused", async ({ send, namespace, crd }) => {
    await send("POST", configMaps(namespace), { body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: 1 } } });
    const kind = await crd();
    await send("POST", kind.path, { body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: 1 } } });
  });

  check("metadata of a wrong type is refused", async ({ send, namespace, crd }) => {
    await send("POST", configMaps(namespace), { body: { apiVersion: "v1", kind: "ConfigMap", metadata: "none" } });
    const kind = await crd();
    await send("POST", kind.path, { body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: "none" } });
    await send("POST", kind.path, { body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: null } });
  });

  check("a missing kind or apiVersion of a built-in object is filled in", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: { apiVersion: "v1", metadata: { name: "without-kind" } } });
    await send("POST", configMaps(namespace), { body: { kind: "ConfigMap", metadata: { name: "without-version" } } });
    await send("POST", configMaps(namespace), { body: { metadata: { name: "without-both" } } });
  });

  check("a missing kind or apiVersion of a custom object is refused", async ({ send, crd }) => {
    const { path, apiVersion, kind } = await crd();
    await send("POST", path, { body: { apiVersion, metadata: { name: "without-kind" } } });
    await send("POST", path, { body: { kind, metadata: { name: "without-version" } } });
    await send("POST", path, { body: { metadata: { name: "without-both" } } });
  });

  check("another kind than the path's is refused", async ({ send, namespace, crd }) => {
    await send("POST", configMaps(namespace), { body: { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } } });
    await send("POST", configMaps(namespace), { body: { apiVersion: "v1", kind: "Nothing", metadata: { name: "a" } } });
    const { path, apiVersion } = await crd();
    await send("POST", path, { body: { apiVersion, kind: "Gadget", metadata: { name: "a" } } });
    await send("POST", path, { body: { apiVersion, kind: "widget", metadata: { name: "a" } } });
  });

  check("another apiVersion than the path's is refused", async ({ send, namespace, crd, group }) => {
    for (const apiVersion of ["v2", "apps/v1", "nothing/v1", "a/b/c", ""])
      await send("POST", configMaps(namespace), { body: { apiVersion, kind: "ConfigMap", metadata: { name: "a" } } });
    const { path, kind } = await crd();
    for (const apiVersion of [`${group}/v2`, "v1", "apps/v1", "a/b/c", ""])
      await send("POST", path, { body: { apiVersion, kind, metadata: { name: "a" } } });
  });

  check("another namespace than the path's is refused", async ({ send, namespace, crd }) => {
    await send("POST", configMaps(namespace), { body: configMap("a", { namespace: "default" }) });
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", namespace: "default" } }) });
  });

  check("the path's own namespace may be named", async ({ send, namespace }) => {
    await send("POST", configMaps(namespace), { body: configMap("a", { namespace }) });
  });

  check("a namespace that does not exist is refused", async ({ send, crd, group }) => {
    await send("POST", configMaps("nowhere-at-all"), { body: configMap("a") });
    const kind = await crd();
    await send("POST", `/apis/${group}/v1/namespaces/nowhere-at-all/widgets`, { body: kind.object("a") });
  });

  check("a namespaced kind is created in a namespace only", async ({ send, crd, group }) => {
    await send("POST", "/api/v1/configmaps", { body: configMap("a") });
    const kind = await crd();
    await send("POST", `/apis/${group}/v1/widgets`, { body: kind.object("a") });
  });

  check("a cluster-scoped object with a namespace is refused", async ({ send, crd, namespace }) => {
    const kind = await crd({ scope: "Cluster" });
    await send("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", namespace } }) });
    await send("POST", kind.path, { body: kind.object("a") });
    await send("POST", `/apis/${kind.group}/v1/namespaces/${namespace}/widgets`, { body: kind.object("b") });
  });

  check("a body that is not JSON is refused", async ({ send, namespace, crd }) => {
    const { path } = await crd();
    for (const collection of [configMaps(namespace), path]) {
      for (const body of ["", "{", "[]", "null", '"text"', "1", "{} {}", "nonsense"])
        await send("POST", collection, { body });
    }
  });

  check("a broken JSON body is refused with what is wrong", async ({ send, namespace, crd }) => {
    const { path } = await crd();
    for (const collection of [configMaps(namespace), path]) {
      await send("POST", collection, { body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}' });
      await send("POST", collection, { body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",}}' });
      await send("POST", collection, { body: "{'apiVersion':'v1'}" });
    }
  });

  check("a data value of a wrong type is refused", async ({ send, namespace }) => {
    for (const value of [1, true, {}, []])
      await send("POST", configMaps(namespace), { body: configMap("a", { data: { key: value } }) });
    await send("POST", configMaps(namespace), { body: configMap("null-value", { data: { key: null } }) });
  });

  check("a resourceVersion is refused", async ({ send, namespace, crd }) => {
    await send("POST", configMaps(namespace), { body: configMap("a", { resourceVersion: "1" }) });
    await send("POST", configMaps(namespace), { body: configMap("a", { resourceVersion: "text" }) });
    await send("POST", configMaps(namespace), { body: configMap("zero", { resourceVersion: "0" }) });
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", resourceVersion: "1" } }) });
  });

  check("what only the server may say is dropped", async ({ send, namespace, crd }) => {
    const metadata = {
      uid: "00000000-0000-4000-8000-000000000000",
      creationTimestamp: "2001-01-01T00:00:00Z",
      deletionTimestamp: "2001-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 5,
      selfLink: "/nowhere",
      generation: 7,
    };
    await send("POST", configMaps(namespace), { body: configMap("a", metadata) });
    const kind = await crd();
    await send("POST", kind.path, { body: kind.object("a", { metadata: { name: "a", ...metadata } }) });
  });

  check("a POST to a name is refused", async ({ send, namespace }) => {
    await send("POST", `${configMaps(namespace)}/a`, { body: configMap("a") });
  });

  check("a YAML body is read", async ({ send, namespace, crd }) => {
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  key: |\n    two\n    lines\n";
    await send("POST", configMaps(namespace), { body, contentType: "application/yaml" });
    const { path, apiVersion } = await crd();
    const widget = `apiVersion: ${apiVersion}\nkind: Widget\nmetadata: {name: a}\nspec: {on: yes, size: 010, at: 2001-01-01, half: 0.5}\n`;
    await send("POST", path, { body: widget, contentType: "application/yaml" });
  });

  check("a broken YAML body is refused", async ({ send, namespace }) => {
    for (const body of ["a: b: c", "\tx", "- 1", "a: [1", "a: 1\na: 2\n"])
      await send("POST", configMaps(namespace), { body, contentType: "application/yaml" });
  });

  check("the field manager is the one of the query, else the client's name", async ({ send, namespace }) => {
    const view = (body: { metadata: { managedFields: unknown } }): unknown => body.metadata.managedFields;
    await send("POST", configMaps(namespace), { body: configMap("a"), query: { fieldManager: "me" }, view });
    const headers = { "user-agent": "kubectl/v1.35.4 (linux/amd64) kubernetes/abc" };
    await send("POST", configMaps(namespace), { body: configMap("b"), headers, view });
    await send("POST", configMaps(namespace), { body: configMap("c"), headers: { "user-agent": "plain" }, view });
  });

  check("a field manager that is too long or unprintable is refused", async ({ send, namespace }) => {
    for (const fieldManager of ["x".repeat(129), "line\nbreak"])
      await send("POST", configMaps(namespace), { body: configMap("a"), query: { fieldManager } });
  });

  check("an unknown path answers 404", async ({ send, namespace, group }) => {
    await send("POST", `/api/v1/namespaces/${namespace}/nothings`, { body: configMap("a") });
    await send("POST", `/apis/${group}/v1/namespaces/${namespace}/widgets`, { body: configMap("a") });
    await send("POST", "/nowhere", { body: configMap("a") });
  });
});
