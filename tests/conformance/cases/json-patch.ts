import assert from "node:assert/strict";
import { type Area, defineArea } from "../area.ts";
import { configMap, configMaps } from "../config-map.ts";

const contentType = "application/json-patch+json";

/** Each a patch of the same ConfigMap, in a case of its own. */
const patches: Readonly<Record<string, unknown>> = {
  "a test that holds lets the patch through": [
    { op: "test", path: "/data/a", value: "1" },
    { op: "replace", path: "/data/a", value: "2" },
  ],
  "a test that fails refuses the whole patch": [
    { op: "replace", path: "/data/a", value: "2" },
    { op: "test", path: "/data/a", value: "1" },
  ],
  "a test compares objects whatever the order of their names": [
    { op: "test", path: "/data", value: { b: "2", a: "1" } },
    { op: "add", path: "/data/c", value: "3" },
  ],
  "a test for null holds where nothing is": [{ op: "test", path: "/data/nothing", value: null }],
  "a test of the whole document compares all of it": [{ op: "test", path: "", value: {} }],
  "a test below what is missing is refused": [{ op: "test", path: "/binaryData/a", value: null }],
  "a field is removed": [{ op: "remove", path: "/data/a" }],
  "a field that is not there cannot be removed": [{ op: "remove", path: "/data/nothing" }],
  "a field is added where its object is missing": [{ op: "add", path: "/binaryData/a", value: "YQ==" }],
  "a field that is not there is replaced": [{ op: "replace", path: "/data/new", value: "1" }],
  "a field is moved": [{ op: "move", from: "/data/a", path: "/data/c" }],
  "a field that is not there cannot be moved": [{ op: "move", from: "/data/nothing", path: "/data/c" }],
  "a field is copied": [{ op: "copy", from: "/data/a", path: "/data/c" }],
  "a field that is not there is copied as null": [{ op: "copy", from: "/data/nothing", path: "/data/c" }],
  "an operation without a value sets null": [{ op: "add", path: "/data/c" }],
  "an unknown operation is refused": [{ op: "merge", path: "/data/a", value: "1" }],
  "an operation without a path is refused": [{ op: "add", value: "1" }],
  "a path without a slash is refused": [{ op: "add", path: "data", value: {} }],
  "a path within a scalar is refused": [{ op: "add", path: "/data/a/b", value: "1" }],
  "the whole document cannot be removed": [{ op: "remove", path: "" }],
  "the whole document is replaced": [
    { op: "replace", path: "", value: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } } },
  ],
  "a document cannot become a list": [{ op: "replace", path: "", value: [] }],
  "a list takes items at its start, in it and at its end": [
    { op: "add", path: "/metadata/finalizers", value: ["b.example.com/x"] },
    { op: "add", path: "/metadata/finalizers/0", value: "a.example.com/x" },
    { op: "add", path: "/metadata/finalizers/-", value: "d.example.com/x" },
    { op: "add", path: "/metadata/finalizers/2", value: "c.example.com/x" },
    { op: "remove", path: "/metadata/finalizers/0" },
    { op: "remove", path: "/metadata/finalizers/-1" },
    { op: "replace", path: "/metadata/finalizers/-1", value: "z.example.com/x" },
    { op: "test", path: "/metadata/finalizers/1", value: "z.example.com/x" },
    { op: "remove", path: "/metadata/finalizers" },
  ],
  "an item beyond the end of a list is refused": [
    { op: "add", path: "/metadata/finalizers", value: [] },
    { op: "add", path: "/metadata/finalizers/1", value: "a.example.com/x" },
  ],
  "an index that is no number is refused": [
    { op: "add", path: "/metadata/finalizers", value: [] },
    { op: "add", path: "/metadata/finalizers/first", value: "a.example.com/x" },
  ],
  "a path escapes slashes and tildes": [
    { op: "add", path: "/metadata/annotations", value: { "a/b": "1" } },
    { op: "replace", path: "/metadata/annotations/a~1b", value: "2" },
    { op: "test", path: "/metadata/annotations/a~1b", value: "2" },
  ],
  "a patch that is no list is refused": { op: "add" },
  "an operation that is no object is refused": ["add"],
  "an operation whose path is no text is refused": [{ op: "add", path: 5, value: "1" }],
  "null is a patch of nothing": null,
  "an operation that is null is refused": [null],
  "unknown fields of an operation are warned of": [{ op: "add", path: "/data/c", value: "3", why: "x", who: "y" }],
  "a value of the wrong type is refused with the patched object": [
    { op: "add", path: "/data/a", value: { b: "<>", a: 1 } },
  ],
  "the name cannot change": [{ op: "replace", path: "/metadata/name", value: "b" }],
  "the version is compared": [{ op: "replace", path: "/metadata/resourceVersion", value: "1" }],
};

const operations = (count: number): readonly unknown[] =>
  Array.from({ length: count }, () => ({ op: "test", path: "/kind", value: "ConfigMap" }));

export const area: Area = defineArea("json-patch", (check) => {
  for (const [name, body] of Object.entries(patches)) {
    check(name, async ({ send, quietly, namespace }) => {
      const path = configMaps(namespace);
      await quietly("POST", path, { body: configMap("a", { data: { a: "1", b: "2" } }) });
      await send("PATCH", `${path}/a`, { body, contentType, omit: ["metadata.managedFields"] });
    });
  }

  check("text that is no JSON is refused, as the validation of fields asks", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    for (const fieldValidation of ["Ignore", "Warn", "Strict"]) {
      for (const body of ["[{", "hello", ""]) {
        await send("PATCH", `${path}/a`, { body, contentType, query: { fieldValidation } });
      }
    }
  });

  check(
    "without validation of fields what is no patch is refused in other words",
    async ({ send, quietly, namespace }) => {
      const path = configMaps(namespace);
      await quietly("POST", path, { body: configMap("a") });
      for (const body of [
        {},
        ["add"],
        [{ op: "add", path: 5 }],
        [{ op: "add", path: "/data", value: { a: "1" }, why: "x" }],
      ]) {
        await send("PATCH", `${path}/a`, {
          body,
          contentType,
          query: { fieldValidation: "Ignore" },
          omit: ["metadata.managedFields"],
        });
      }
    },
  );

  check(
    "strict validation of fields refuses unknown fields of patch and object",
    async ({ send, quietly, namespace }) => {
      const path = configMaps(namespace);
      await quietly("POST", path, { body: configMap("a") });
      // The refusal quotes the whole object: without owners it has no times in it.
      await quietly("PATCH", `${path}/a`, { body: { metadata: { managedFields: [{}] } } });
      const query = { fieldValidation: "Strict" };
      await send("PATCH", `${path}/a`, {
        body: [{ op: "add", path: "/data", value: { a: "1" }, why: "x" }],
        contentType,
        query,
        only: ["reason", "code", "details.causes.*.field"],
      });
      await send("PATCH", `${path}/a`, {
        body: [{ op: "add", path: "/fruit", value: "apple" }],
        contentType,
        query,
        only: ["reason", "code", "details.causes.*.field"],
      });
    },
  );

  check("10,000 operations are the most", async ({ send, quietly, namespace }) => {
    const path = configMaps(namespace);
    await quietly("POST", path, { body: configMap("a") });
    // Quietly, since a recording would keep the patches.
    const most = await quietly("PATCH", `${path}/a`, { body: operations(10_000), contentType });
    assert.equal(most.status, 200);
    const { status, body } = await quietly("PATCH", `${path}/a`, { body: operations(10_001), contentType });
    assert.equal(status, 413);
    assert.equal(body.reason, "RequestEntityTooLarge");
    assert.equal(
      body.message,
      "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    );
    await send("GET", `${path}/a`, { omit: ["metadata.managedFields"] });
  });

  check("an object that is not there is missing, whatever the patch is", async ({ send, namespace }) => {
    const path = configMaps(namespace);
    await send("PATCH", `${path}/a`, { body: [], contentType });
    await send("PATCH", `${path}/a`, { body: "[{", contentType });
  });

  check("a custom object is patched and pruned", async ({ send, crd }) => {
    const kind = await crd({
      schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: { size: { type: "integer" }, items: { type: "array", items: { type: "string" } } },
          },
        },
      },
    });
    await send("POST", kind.path, { body: kind.object("a", { spec: { size: 1, items: ["x"] } }) });
    const patch = (body: unknown): Promise<unknown> => send("PATCH", `${kind.path}/a`, { body, contentType });
    await patch([{ op: "add", path: "/spec/items/-", value: "y" }]);
    await patch([{ op: "add", path: "/spec/unknown", value: { a: 1 } }]);
    await patch([{ op: "replace", path: "/spec/size", value: "big" }]);
    await patch([{ op: "remove", path: "/spec" }]);
  });

  check("a document without its version is read without a version", async ({ send, quietly, namespace }) => {
    const core = `/api/v1/namespaces/${namespace}`;
    const metadata = { name: "a" };
    const coordination = `/apis/coordination.k8s.io/v1/namespaces/${namespace}`;
    for (const [path, object] of [
      [`${core}/configmaps`, { metadata, data: { a: "1" } }],
      [`${core}/secrets`, { metadata, data: { a: "AAEC" } }],
      [`${core}/serviceaccounts`, { metadata, secrets: [{ name: "s" }] }],
      [`${core}/services`, { metadata, spec: { clusterIP: "None", ports: [{ port: 80 }] } }],
      [`${coordination}/leases`, { metadata, spec: { holderIdentity: "me" } }],
    ] as const) {
      await quietly("POST", path, { body: object });
      for (const value of [
        { name: "one", count: 3 },
        { metadata, spec: {} },
        { kind: "", apiVersion: null, name: "a", labels: { b: "c" } },
        { name: 5 },
        { apiVersion: "", name: "a", uid: "u" },
      ])
        await send("PATCH", `${path}/a`, { body: [{ op: "replace", path: "", value }], contentType });
      await send("PATCH", `${path}/a`, {
        body: [{ op: "replace", path: "", value: { name: "a", count: 3 } }],
        contentType,
        query: { fieldValidation: "Strict" },
      });
      await send("PATCH", `${path}/a`, { body: [{ op: "remove", path: "/apiVersion" }], contentType });
      await send("PATCH", `${path}/a`, { body: [{ op: "remove", path: "/kind" }], contentType });
      await send("PATCH", `${path}/a`, { body: { apiVersion: null } });
    }
  });
});
