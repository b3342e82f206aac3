import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedRequest, ScriptedTransport } from "../doubles/scripted-transport.ts";
import { Namespace } from "../resource/kind/namespace.ts";
import { failure, Gauge, gauge, path, refused, setUp } from "./scripted-gauge.fixture.ts";

const sent = ({ requests }: ScriptedTransport) => requests.map(({ method, path: at }) => `${method} ${at}`);
const contentTypes = ({ requests }: ScriptedTransport) => requests.map(({ headers }) => headers?.["content-type"]);
const last = ({ requests }: ScriptedTransport): RecordedRequest => {
  const request = requests.at(-1);
  assert.ok(request !== undefined);
  return request;
};

test("client create posts the object with its kind, field manager and strict validation", async () => {
  const { transport, client } = setUp({ fieldManager: "mine" });
  transport.on({}, { status: 201, body: gauge() });
  const created = await client.create(Gauge, { metadata: { namespace: "a", name: "b" }, spec: { replicas: 1 } });
  assert.deepEqual(created, gauge());
  const request = last(transport);
  assert.deepEqual([request.method, request.path], ["POST", "/apis/x.dev/v1/namespaces/a/gauges"]);
  assert.deepEqual(Object.fromEntries(request.query), { fieldManager: "mine", fieldValidation: "Strict" });
  assert.deepEqual(request.json, {
    apiVersion: "x.dev/v1",
    kind: "Gauge",
    metadata: { namespace: "a", name: "b" },
    spec: { replicas: 1 },
  });
  await client.create(
    Gauge,
    { metadata: { namespace: "a", name: "b" }, spec: { replicas: 1 } },
    { dryRun: true, fieldManager: "other", fieldValidation: "Warn" },
  );
  assert.deepEqual(Object.fromEntries(last(transport).query), {
    dryRun: "All",
    fieldManager: "other",
    fieldValidation: "Warn",
  });
  transport.on({}, failure(409, "AlreadyExists"));
  await refused(
    client.create(Gauge, { metadata: { namespace: "a", name: "b" }, spec: { replicas: 1 } }),
    "AlreadyExists",
    "Cannot create gauges a/b: server says AlreadyExists",
  );
});

test("client create on a subresource takes the kind that it wants", async () => {
  const { transport, client } = setUp();
  transport.on(
    {},
    { status: 201, body: { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", status: { token: "t" } } },
  );
  const request = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: { namespace: "a", name: "b" },
    spec: { replicas: 1 },
  };
  await client.create(Gauge, request, { subresource: "token" });
  assert.equal(last(transport).path, `${path}/token`);
  assert.deepEqual(last(transport).json, request);
});

test("client apply sends a forced server-side apply, without managedFields", async () => {
  const { transport, client } = setUp();
  transport.on({}, { body: gauge() });
  const read = { ...gauge(), metadata: { ...gauge().metadata, managedFields: [{ manager: "m" }] } };
  await client.apply(Gauge, read);
  const request = last(transport);
  assert.deepEqual([request.method, request.path], ["PATCH", path]);
  assert.equal(request.headers?.["content-type"], "application/apply-patch+yaml");
  assert.deepEqual(Object.fromEntries(request.query), {
    fieldManager: "farwatch",
    fieldValidation: "Strict",
    force: "true",
  });
  assert.deepEqual(request.json, gauge());
  await client.apply(Gauge, { metadata: { namespace: "a", name: "b" } }, { force: false });
  assert.equal(last(transport).query.get("force"), "false");
});

test("client writes carry the version that was read", async () => {
  const { transport, client } = setUp();
  transport.on({}, { body: gauge({ version: "8" }) });
  await client.update({ ...gauge(), spec: { replicas: 2 } });
  await client.updateStatus({ ...gauge(), status: {} });
  await client.patch(gauge(), { spec: { replicas: 2 }, metadata: { labels: { x: "y" } } });
  await client.patch(gauge(), [{ op: "remove", path: "/status" }]);
  await client.patchStatus(gauge(), { value: "high" });
  await client.applyStatus(gauge(), { marks: ["q"] });
  assert.deepEqual(sent(transport), [
    `PUT ${path}`,
    `PUT ${path}/status`,
    `PATCH ${path}`,
    `PATCH ${path}`,
    `PATCH ${path}/status`,
    `PATCH ${path}/status`,
  ]);
  assert.deepEqual(contentTypes(transport), [
    "application/json",
    "application/json",
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/apply-patch+yaml",
  ]);
  assert.deepEqual(
    transport.requests.map(({ json }) => json),
    [
      { ...gauge(), spec: { replicas: 2 } },
      { ...gauge(), status: {} },
      { spec: { replicas: 2 }, metadata: { labels: { x: "y" }, resourceVersion: "7" } },
      [
        { op: "test", path: "/metadata/resourceVersion", value: "7" },
        { op: "remove", path: "/status" },
      ],
      { metadata: { resourceVersion: "7" }, status: { value: "high" } },
      {
        apiVersion: "x.dev/v1",
        kind: "Gauge",
        metadata: { namespace: "a", name: "b", resourceVersion: "7" },
        status: { marks: ["q"] },
      },
    ],
  );
  assert.equal(last(transport).query.get("force"), "true");
});

test("client refuses to write an object without a version, unless told to write onto whatever is there", async () => {
  const { transport, client } = setUp();
  transport.on({}, { body: gauge() });
  const { resourceVersion: _, ...metadata } = gauge().metadata;
  const unread = { ...gauge(), metadata } as Gauge;
  const state =
    "the object has no metadata.resourceVersion; read it first, or write onto whatever is there with { unconditional: true }";
  await refused(client.update(unread), "MissingVersion", `Cannot update gauges a/b: ${state}`);
  await refused(client.patch(unread, { spec: { replicas: 2 } }), "MissingVersion", `Cannot patch gauges a/b: ${state}`);
  await refused(client.patch(unread, [{ op: "remove", path: "/status" }]), "MissingVersion");
  await refused(
    client.patchStatus(unread, { value: "x" }),
    "MissingVersion",
    `Cannot patch gauges/status a/b: ${state}`,
  );
  await refused(client.applyStatus(unread, { value: "x" }), "MissingVersion");
  await refused(client.updateStatus(unread), "MissingVersion", `Cannot update gauges/status a/b: ${state}`);
  assert.equal(transport.requests.length, 0);
  const unconditional = { unconditional: true };
  await client.update(gauge(), unconditional);
  await client.patch(unread, { spec: { replicas: 2 } }, unconditional);
  await client.patch(unread, [{ op: "remove", path: "/status" }], unconditional);
  await client.patchStatus(unread, { value: "x" }, unconditional);
  for (const request of transport.requests) assert.ok(!JSON.stringify(request.json).includes("resourceVersion"));
  assert.equal(transport.requests.length, 4);
});

test("client update without a version reads it where the server insists, and chases it a bounded number of times", async () => {
  const { transport, client } = setUp();
  const insists = failure(422, "Invalid", {
    causes: [{ field: "metadata.resourceVersion", message: "must be specified" }],
  });
  transport.on({ method: "PUT" }, insists, failure(409, "Conflict"), { body: gauge({ version: "10" }) });
  transport.on({ method: "GET" }, { body: gauge({ version: "8" }) }, { body: gauge({ version: "9" }) });
  await client.update({ ...gauge(), spec: { replicas: 3 } }, { unconditional: true });
  assert.deepEqual(
    transport.requests.map(({ method, json }) => [method, (json as Gauge | undefined)?.metadata.resourceVersion]),
    [
      ["PUT", undefined],
      ["GET", undefined],
      ["PUT", "8"],
      ["GET", undefined],
      ["PUT", "9"],
    ],
  );
  const other = setUp();
  other.transport.on({ method: "GET" }, { body: gauge() });
  other.transport.on({ method: "PUT" }, insists, failure(409, "Conflict"));
  await refused(other.client.update(gauge(), { unconditional: true }), "Conflict");
  assert.equal(other.transport.requests.length, 11);
});

test("client sends no write that would change nothing, and gives the object back", async () => {
  const { transport, client } = setUp();
  const object = gauge();
  const view = client.view({ known: () => gauge() });
  const writes: readonly Promise<Gauge>[] = [
    client.patch(object, { spec: { replicas: 1 } }),
    client.patch(object, { metadata: { labels: null } }),
    client.patch(object, [{ op: "replace", path: "/spec/replicas", value: 1 }]),
    client.patchStatus(object, { value: "low", marks: ["p"] }),
    view.update(object),
    view.updateStatus(object),
  ];
  for (const written of await Promise.all(writes)) assert.equal(written, object);
  assert.equal(transport.requests.length, 0);
});

test("client sends what may change something, and what asks for the server's word", async () => {
  const { transport, client } = setUp();
  transport.on({}, { body: gauge() });
  const object = gauge();
  await client.patchStatus(object, { value: "low", replicas: 1 });
  await client.patchStatus(object, { value: null });
  await client.patchStatus(object, { value: "low" }, { unconditional: true });
  await client.patch(object, { spec: { replicas: 1 } }, { dryRun: true });
  await client.patch(object, { spec: { replicas: 1 } }, { subresource: "scale" });
  await client.update(object);
  await client.view({ known: () => gauge({ version: "6" }) }).update(object);
  await client.view({ known: () => undefined }).updateStatus(object);
  assert.equal(transport.requests.length, 8);
});

test("client patch tells a JSON patch that met another version from one that does not fit", async () => {
  const bare = failure(422, "Invalid");
  const patch = async (now: object): Promise<void> => {
    const { transport, client } = setUp();
    transport.on({ method: "PATCH" }, bare);
    transport.on({ method: "GET" }, now);
    await client.patch(gauge(), [{ op: "remove", path: "/nothing" }]);
  };
  await refused(
    patch({ body: gauge({ version: "9" }) }),
    "Conflict",
    "Cannot patch gauges a/b: it has been changed (version 7, now 9); read it again",
  );
  await refused(
    patch(failure(404, "NotFound", { name: "b" })),
    "NotFound",
    "Cannot patch gauges a/b: it has been deleted",
  );
  await refused(patch({ body: gauge() }), "Invalid", "Cannot patch gauges a/b: server says Invalid");
});

test("client delete is false for what is not there, and sends preconditions and propagation", async () => {
  const { transport, client } = setUp();
  const deleted = { body: { kind: "Status", status: "Success", details: { uid: "u1" } } };
  transport.on({ method: "DELETE" }, deleted, failure(404, "NotFound", { name: "b" }), failure(409, "Conflict"));
  const key = { namespace: "a", name: "b" };
  const options = {
    preconditions: { uid: "u1", resourceVersion: "7" },
    propagation: "Foreground",
    gracePeriodSeconds: 0,
    dryRun: true,
  } as const;
  assert.equal(await client.delete(Gauge, key, options), true);
  assert.deepEqual(last(transport).json, {
    apiVersion: "meta.k8s.io/v1",
    kind: "DeleteOptions",
    preconditions: { uid: "u1", resourceVersion: "7" },
    propagationPolicy: "Foreground",
    gracePeriodSeconds: 0,
    dryRun: ["All"],
  });
  assert.equal(await client.delete(Gauge, key), false);
  await refused(client.delete(Gauge, key, { preconditions: { uid: "u2" } }), "Conflict");
});

test("client deleteCollection selects, and needs a namespace where the kind has one", async () => {
  const { transport, client } = setUp();
  transport.on({ method: "DELETE" }, { body: { kind: "Status", status: "Success" } });
  await client.deleteCollection(Gauge, { namespace: "a", labels: "app in (x, y)", fields: "metadata.name=b" });
  assert.equal(last(transport).path, "/apis/x.dev/v1/namespaces/a/gauges");
  assert.deepEqual(Object.fromEntries(last(transport).query), {
    labelSelector: "app in (x, y)",
    fieldSelector: "metadata.name=b",
  });
  await refused(
    client.deleteCollection(Gauge),
    "InvalidOption",
    "Cannot address gauges.x.dev: the kind Gauge is namespaced, give a namespace",
  );
  await client.deleteCollection(Namespace, { labels: { x: "y" } });
  assert.equal(last(transport).path, "/api/v1/namespaces");
});
