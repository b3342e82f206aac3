import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createScriptedTransport,
  type RecordedRequest,
  type ScriptedTransport,
} from "../doubles/scripted-transport.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import { CodedError, type ErrorCode, isCodedError } from "../error/coded-error.ts";
import { type BuiltinResource, defineBuiltin } from "../resource/define-builtin.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { Namespace } from "../resource/kind/namespace.ts";
import type { KubeObject } from "../wire/object.ts";
import type { LeaderClient, Reader } from "./client.ts";
import type { ClientView, ConnectedClient, Fence } from "./connected-client.ts";
import { createClient } from "./create-client.ts";
import { staticConfig } from "./static-config.ts";
import { StatusError } from "./status-error.ts";

interface Gauge extends KubeObject {
  readonly spec: { readonly replicas: number; readonly unit?: string };
  readonly status?: { readonly value?: string; readonly replicas?: number; readonly marks?: readonly string[] };
}
const Gauge: BuiltinResource<Gauge> = defineBuiltin({
  group: "x.dev",
  version: "v1",
  kind: "Gauge",
  subresources: ["status", "scale"],
});

const path = "/apis/x.dev/v1/namespaces/a/gauges/b";

function gauge(
  changes: { readonly version?: string; readonly uid?: string; readonly generation?: number } = {},
): Gauge {
  const { version = "7", uid = "u1", generation = 1 } = changes;
  return {
    apiVersion: "x.dev/v1",
    kind: "Gauge",
    metadata: { namespace: "a", name: "b", uid, resourceVersion: version, generation },
    spec: { replicas: 1 },
    status: { value: "low", marks: ["p"] },
  };
}

const failure = (code: number, reason: string, details: object = {}) => ({
  status: code,
  body: { kind: "Status", status: "Failure", code, reason, message: `server says ${reason}`, details },
});

function setUp(options: { readonly resources?: readonly (typeof Gauge)[]; readonly fieldManager?: string } = {}): {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly client: ConnectedClient;
} {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const config = staticConfig({ server: "https://api.test", token: "t" });
  return { clock, transport, client: createClient({ config, transport, clock, resources: [Gauge], ...options }) };
}

async function refused(work: Promise<unknown>, code: ErrorCode, message?: string | RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(isCodedError(error, code), `${code} wanted, not ${String(error)}`);
    if (typeof message === "string") assert.equal(error.message, message);
    else if (message !== undefined) assert.match(error.message, message);
    return true;
  });
}

const sent = ({ requests }: ScriptedTransport) => requests.map(({ method, path: at }) => `${method} ${at}`);
const contentTypes = ({ requests }: ScriptedTransport) => requests.map(({ headers }) => headers?.["content-type"]);
const last = ({ requests }: ScriptedTransport): RecordedRequest => {
  const request = requests.at(-1);
  assert.ok(request !== undefined);
  return request;
};

test("client find is undefined when the API server says NotFound, and get throws", async () => {
  const { transport, client } = setUp();
  transport.on({ path }, failure(404, "NotFound"));
  assert.equal(await client.find(Gauge, { namespace: "a", name: "b" }), undefined);
  await refused(
    client.get(Gauge, { namespace: "a", name: "b" }),
    "NotFound",
    "Cannot get gauges a/b: server says NotFound",
  );
});

test("client find and delete do not take a path that is not served for a missing object", async () => {
  const { transport, client } = setUp();
  transport.on({}, { status: 404, body: "404 page not found\n", headers: { "content-type": "text/plain" } });
  const key = { namespace: "a", name: "b" };
  await refused(
    client.find(Gauge, key),
    "NotFound",
    /^Cannot get gauges a\/b: HTTP 404: 404 page not found; .*is the CRD installed/,
  );
  await refused(client.delete(Gauge, key), "NotFound");
});

test("client list reads all pages and says what each item is", async () => {
  const { transport, client } = setUp();
  const item = (name: string) => ({ metadata: { namespace: "a", name, uid: name, resourceVersion: "1" } });
  transport.on(
    { path: "/api/v1/namespaces/a/configmaps" },
    { body: { metadata: { continue: "next" }, items: [item("a"), item("b")] } },
    { body: { metadata: {}, items: [item("c")] } },
  );
  const objects = await client.list(ConfigMap, {
    namespace: "a",
    labels: { app: "x", tier: "y" },
    fields: "metadata.name!=z",
    pageSize: 2,
  });
  assert.deepEqual(
    objects.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
    [
      ["v1", "ConfigMap", "a"],
      ["v1", "ConfigMap", "b"],
      ["v1", "ConfigMap", "c"],
    ],
  );
  const [first, second] = transport.requests;
  assert.deepEqual(Object.fromEntries(first?.query ?? []), {
    limit: "2",
    labelSelector: "app=x,tier=y",
    fieldSelector: "metadata.name!=z",
  });
  assert.equal(second?.query.get("continue"), "next");
});

// B76
test("client list begins anew when a continue token expires, and gives no object twice", async () => {
  const { transport, client } = setUp();
  const page = (from: number, to: number, token?: string) => ({
    body: {
      metadata: token === undefined ? {} : { continue: token },
      items: Array.from({ length: to - from }, (_, i) => ({ metadata: { name: `g${from + i}`, namespace: "a" } })),
    },
  });
  let expired = 0;
  transport.on({ path: "/apis/x.dev/v1/gauges" }, ({ query }) => {
    const token = query.get("continue");
    if (token === null) return page(0, 500, "2");
    if (token === "2") return page(500, 1_000, "3");
    expired += 1;
    return expired === 1 ? failure(410, "Expired") : page(1_000, 1_200);
  });
  const names = (await client.list(Gauge)).map(({ metadata }) => metadata.name);
  assert.equal(names.length, 1_200);
  assert.equal(new Set(names).size, 1_200);
  assert.deepEqual(
    transport.requests.map(({ query }) => query.get("continue")),
    [null, "2", "3", null, "2", "3"],
  );
});

// B76
test("client list gives up when continue tokens keep expiring", async () => {
  const { transport, client } = setUp();
  transport.on({}, ({ query }) =>
    query.has("continue") ? failure(410, "Expired") : { body: { metadata: { continue: "x" }, items: [] } },
  );
  await refused(client.list(Gauge), "Expired");
  assert.equal(transport.requests.length, 8);
});

test("client list refuses what only a cache knows, a page of nothing, and an answer that is no list", async () => {
  const { transport, client } = setUp();
  transport.on({}, { body: { kind: "Status" } });
  await refused(
    client.list(Gauge, { index: ["byUnit", "m"] }),
    "InvalidOption",
    'Cannot list gauges.x.dev by index "byUnit": the server has no indexes, leave out `live` to read the cache',
  );
  await refused(
    client.list(Gauge, { pageSize: 0 }),
    "InvalidOption",
    "Cannot list gauges.x.dev: pageSize is 0, give a whole number above 0",
  );
  assert.equal(transport.requests.length, 0);
  await refused(client.list(Gauge), "ProtocolError");
});

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
  assert.equal(await client.patch(object, { spec: { replicas: 1 } }), object);
  assert.equal(await client.patch(object, { metadata: { labels: null } }), object);
  assert.equal(await client.patch(object, [{ op: "replace", path: "/spec/replicas", value: 1 }]), object);
  assert.equal(await client.patchStatus(object, { value: "low", marks: ["p"] }), object);
  const view = client.view({ known: () => gauge() });
  assert.equal(await view.update(object), object);
  assert.equal(await view.updateStatus(object), object);
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

// B12
test("client patchStatus of a deleted object is NotFound, and creates nothing", async () => {
  const { transport, client } = setUp();
  transport.on({ path: `${path}/status` }, failure(404, "NotFound"));
  await refused(
    client.patchStatus(gauge(), { value: "x" }),
    "NotFound",
    "Cannot patch gauges/status a/b: server says NotFound",
  );
  assert.deepEqual(sent(transport), [`PATCH ${path}/status`]);
  const other = setUp();
  other.transport.on({ method: "PATCH" }, failure(409, "Conflict"));
  other.transport.on({ method: "GET" }, failure(404, "NotFound"));
  await refused(
    other.client.patchStatus(gauge(), { value: "x" }),
    "NotFound",
    "Cannot patch gauges/status a/b: it has been deleted",
  );
  assert.deepEqual(sent(other.transport), [`PATCH ${path}/status`, `GET ${path}`]);
});

// B12
test("client patchStatus does not write onto a recreated namesake, nor onto another spec", async () => {
  for (const [now, why] of [
    [gauge({ version: "9", uid: "u2" }), "it was deleted and created again (uid u1, now u2)"],
    [gauge({ version: "9", generation: 2 }), "its spec has changed (generation 1, now 2)"],
  ] as const) {
    for (const write of ["patchStatus", "applyStatus"] as const) {
      const { transport, client } = setUp();
      transport.on({ method: "PATCH" }, failure(409, "Conflict"));
      transport.on({ method: "GET" }, { body: now });
      await assert.rejects(client[write](gauge(), { value: "x" }), (error) => {
        assert.ok(error instanceof StatusError && error.code === "Conflict" && error.cause instanceof StatusError);
        assert.equal(error.message, `Cannot patch gauges/status a/b: ${why}; read it again`);
        return true;
      });
      assert.deepEqual(sent(transport), [`PATCH ${path}/status`, `GET ${path}`]);
    }
  }
});

// B12
test("client patchStatus sends the patch once more, with the new version, when nothing but the version changed", async () => {
  for (const write of ["patchStatus", "applyStatus"] as const) {
    const { transport, client } = setUp();
    transport.on({ method: "PATCH" }, failure(409, "Conflict"), { body: gauge({ version: "10" }) });
    transport.on({ method: "GET" }, { body: gauge({ version: "9" }) });
    assert.equal((await client[write](gauge(), { value: "x" })).metadata.resourceVersion, "10");
    const versions = transport.requests.map(({ json }) => (json as Gauge | undefined)?.metadata.resourceVersion);
    assert.deepEqual(versions, ["7", undefined, "9"]);
    const types = contentTypes(transport);
    assert.equal(types[0], types[2]);
  }
});

test("client patchStatus gives up after the second conflict", async () => {
  const { transport, client } = setUp();
  transport.on({ method: "PATCH" }, failure(409, "Conflict"));
  transport.on({ method: "GET" }, { body: gauge({ version: "9" }) });
  await refused(
    client.patchStatus(gauge(), { value: "x" }),
    "Conflict",
    "Cannot patch gauges/status a/b: server says Conflict",
  );
  assert.equal(transport.requests.length, 3);
});

// B49
test("client patchStatus has the content type of a merge patch on the first try and on the retry", async () => {
  const { clock, transport, client } = setUp();
  const busy = { ...failure(503, "ServiceUnavailable"), headers: { "retry-after": "1" } };
  transport.on({}, ({ headers }) =>
    headers?.["content-type"] === "application/merge-patch+json"
      ? transport.requests.length === 1
        ? busy
        : { body: gauge({ version: "8" }) }
      : failure(415, "UnsupportedMediaType"),
  );
  const patched = client.patchStatus(gauge(), { value: "x" });
  await clock.advance("2s");
  assert.equal((await patched).metadata.resourceVersion, "8");
  assert.deepEqual(sent(transport), [`PATCH ${path}/status`, `PATCH ${path}/status`]);
  assert.deepEqual(contentTypes(transport), ["application/merge-patch+json", "application/merge-patch+json"]);
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
  await refused(patch(failure(404, "NotFound")), "NotFound", "Cannot patch gauges a/b: it has been deleted");
  await refused(patch({ body: gauge() }), "Invalid", "Cannot patch gauges a/b: server says Invalid");
});

test("client delete is false for what is not there, and sends preconditions and propagation", async () => {
  const { transport, client } = setUp();
  const deleted = { body: { kind: "Status", status: "Success", details: { uid: "u1" } } };
  transport.on({ method: "DELETE" }, deleted, failure(404, "NotFound"), failure(409, "Conflict"));
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

test("client finds the path of an object by the resources it was given, in any way", async () => {
  const { transport, client } = setUp({ resources: [] });
  transport.on({}, { body: gauge() });
  await refused(
    client.patch(gauge(), { spec: { replicas: 2 } }),
    "UnknownKind",
    "Cannot write Gauge a/b: the client knows no resource of x.dev/v1 Gauge; give one to createClient({ resources }) or to any of its methods first, made by defineResource or defineBuiltin",
  );
  await client.view({}).get(Gauge, { namespace: "a", name: "b" });
  await client.patch(gauge(), { spec: { replicas: 2 } });
  // Built-in kinds are known from the beginning.
  await client.patch(
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "a", name: "b", uid: "u", resourceVersion: "1" },
      data: {},
    } as ConfigMap,
    { data: { x: "1" } },
  );
  assert.equal(last(transport).path, "/api/v1/namespaces/a/configmaps/b");
});

test("client view reads from its reader, and from the server with live", async () => {
  const { transport, client } = setUp();
  transport.on({}, { body: gauge({ version: "live" }) });
  transport.on({ path: "/apis/x.dev/v1/gauges" }, { body: { items: [] } });
  const asked: unknown[] = [];
  const cached = gauge({ version: "cached" });
  const reads: Reader = {
    get: async (...args) => (asked.push(["get", ...args]), cached as never),
    find: async (...args) => (asked.push(["find", ...args]), cached as never),
    list: async (...args) => (asked.push(["list", ...args]), [cached] as never),
  };
  const view = client.view({ reads });
  const key = { namespace: "a", name: "b" };
  assert.equal(await view.get(Gauge, key), cached);
  assert.equal(await view.find(Gauge, key, { live: false }), cached);
  assert.deepEqual(await view.list(Gauge, { index: ["x", "y"] }), [cached]);
  assert.equal(transport.requests.length, 0);
  assert.deepEqual(asked, [
    ["get", Gauge, key, undefined],
    ["find", Gauge, key, { live: false }],
    ["list", Gauge, { index: ["x", "y"] }],
  ]);
  assert.equal((await view.get(Gauge, key, { live: true })).metadata.resourceVersion, "live");
  assert.deepEqual(await view.list(Gauge, { live: true }), []);
});

test("client view tells of each object written and each deletion, not of dry runs, other kinds and no-ops", async () => {
  const { transport, client } = setUp();
  const told: unknown[] = [];
  const view = client.view({ onWrite: (object, change) => told.push([object, change]) });
  transport.on({}, { body: gauge({ version: "8" }) });
  transport.on({ path: `${path}/scale` }, { body: { kind: "Scale", apiVersion: "autoscaling/v1", metadata: {} } });
  await view.patchStatus(gauge(), { value: "high" });
  await view.patchStatus(gauge(), { value: "high" }, { dryRun: true });
  await view.patchStatus(gauge(), { value: "low" });
  await view.patch(gauge(), { spec: { replicas: 2 } }, { subresource: "scale" });
  await client.patchStatus(gauge(), { value: "high" });
  assert.deepEqual(told.splice(0), [[gauge({ version: "8" }), "written"]]);

  const key = { namespace: "a", name: "b" };
  await view.delete(Gauge, key);
  assert.deepEqual(told.splice(0), [[gauge({ version: "8" }), "written"]]);
  transport.on({ method: "DELETE" }, { body: { kind: "Status", status: "Success", details: { uid: "u1" } } });
  await view.delete(Gauge, key, { dryRun: true });
  await view.delete(Gauge, key);
  const metadata = { namespace: "a", name: "b", uid: "u1", resourceVersion: "" };
  assert.deepEqual(told, [[{ apiVersion: "x.dev/v1", kind: "Gauge", metadata }, "deleted"]]);
});

function fencedView(
  client: ConnectedClient,
  view: ClientView = {},
): {
  readonly leader: LeaderClient;
  readonly lose: () => void;
  readonly abort: () => void;
  readonly notLeader: CodedError;
} {
  const notLeader = new CodedError("NotLeader", "Cannot write: the lease may have been lost");
  const controller = new AbortController();
  let lost = false;
  const fence: Fence = {
    signal: controller.signal,
    check(): void {
      if (lost) throw notLeader;
    },
  };
  return {
    leader: client.view({ ...view, fence }),
    lose() {
      lost = true;
    },
    abort: () => controller.abort(notLeader),
    notLeader,
  };
}

// Promise 12
test("client view with a fence starts no write once the fence refuses, and goes on reading", async () => {
  const { transport, client } = setUp();
  transport.on({}, { body: gauge() });
  const { leader, lose } = fencedView(client);
  await leader.patchStatus(gauge(), { value: "high" });
  lose();
  const key = { namespace: "a", name: "b" };
  const input = { metadata: key, spec: { replicas: 1 } };
  for (const write of [
    leader.create(Gauge, input),
    leader.apply(Gauge, input),
    leader.update(gauge()),
    leader.updateStatus(gauge()),
    leader.patch(gauge(), { spec: { replicas: 2 } }),
    leader.patch(gauge(), [{ op: "remove", path: "/status" }]),
    leader.patchStatus(gauge(), { value: "high" }),
    leader.applyStatus(gauge(), { value: "high" }),
    leader.delete(Gauge, key),
    leader.deleteCollection(Gauge, { namespace: "a" }),
  ]) {
    await refused(write, "NotLeader");
  }
  assert.equal(transport.requests.length, 1);
  await leader.get(Gauge, key);
  await client.patchStatus(gauge(), { value: "high" });
  assert.equal(transport.requests.length, 3);
});

// Promise 12
test("client view with a fence does not repeat a write once the fence refuses", async () => {
  const { clock, transport, client } = setUp();
  transport.on({}, { ...failure(429, "TooManyRequests"), headers: { "retry-after": "1" } });
  const { leader, lose } = fencedView(client);
  const write = leader.patchStatus(gauge(), { value: "high" });
  const settled = refused(write, "NotLeader");
  await clock.settle();
  lose();
  await clock.advance("2s");
  await settled;
  assert.equal(transport.requests.length, 1);
});

// Promise 12
test("client view with a fence aborts what is under way, with and without a signal of the caller", async () => {
  for (const signal of [undefined, new AbortController().signal]) {
    const { clock, transport, client } = setUp();
    transport.on({}, { silent: true });
    const { leader, abort, notLeader } = fencedView(client);
    const write = assert.rejects(
      leader.patchStatus(gauge(), { value: "high" }, { signal }),
      (error) => error === notLeader,
    );
    const read = leader.get(Gauge, { namespace: "a", name: "b" }, { signal });
    const timedOut = refused(read, "Timeout");
    await clock.settle();
    assert.equal(transport.open, 2);
    abort();
    await write;
    assert.equal(transport.open, 1);
    await clock.advance("30s");
    await timedOut;
    assert.equal(clock.pendingTimers, 0);
  }
});

test("client hands on the reason of the caller's signal, from every method", async () => {
  const { transport, client } = setUp();
  transport.on({}, { silent: true });
  const { leader } = fencedView(client);
  const reason = new Error("enough");
  const controller = new AbortController();
  const { signal } = controller;
  const key = { namespace: "a", name: "b" };
  const input = { metadata: key, spec: { replicas: 1 } };
  const calls = [client, leader].flatMap((any) => [
    any.get(Gauge, key, { signal }),
    any.find(Gauge, key, { signal }),
    any.list(Gauge, { signal }),
    any.create(Gauge, input, { signal }),
    any.apply(Gauge, input, { signal }),
    any.update(gauge(), { signal }),
    any.updateStatus(gauge(), { signal }),
    any.patch(gauge(), { spec: { replicas: 2 } }, { signal }),
    any.patchStatus(gauge(), { value: "high" }, { signal }),
    any.applyStatus(gauge(), { value: "high" }, { signal }),
    any.delete(Gauge, key, { signal }),
    any.deleteCollection(Gauge, { namespace: "a", signal }),
  ]);
  const ended = Promise.allSettled(calls);
  controller.abort(reason);
  for (const call of await ended) assert.equal(call.status === "rejected" ? call.reason : undefined, reason);
  assert.equal(transport.open, 0);
});

test("client tells of a broken configuration at the first request, not before", async () => {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  transport.on({}, { body: gauge() });
  const broken = Promise.reject(new CodedError("InvalidConfig", "Cannot read kubeconfig: broken"));
  await using client = createClient({ config: broken, transport, clock });
  await clock.settle();
  await refused(client.get(Gauge, { namespace: "a", name: "b" }), "InvalidConfig");
  await refused(client.config(), "InvalidConfig");
});

test("client leaves a transport that it was given open", async () => {
  const clock = createVirtualClock();
  let closed = 0;
  const transport = { ...createScriptedTransport(clock), [Symbol.asyncDispose]: async () => void (closed += 1) };
  const client = createClient({ config: staticConfig({ server: "https://api.test" }), transport, clock });
  await client[Symbol.asyncDispose]();
  await client[Symbol.asyncDispose]();
  assert.equal(closed, 0);
  await refused(
    client.get(Gauge, { namespace: "a", name: "b" }),
    "ConnectionFailed",
    "Cannot send a request: the client has been closed",
  );
});
