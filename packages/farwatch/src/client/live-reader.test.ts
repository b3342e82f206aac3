import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedRequest, ScriptedTransport } from "../doubles/scripted-transport.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { failure, Gauge, gauge, path, refused, setUp } from "./scripted-gauge.fixture.ts";

const last = ({ requests }: ScriptedTransport): RecordedRequest => {
  const request = requests.at(-1);
  assert.ok(request !== undefined);
  return request;
};

test("client find is undefined when the API server says NotFound, and get throws", async () => {
  const { transport, client } = setUp();
  transport.on({ path }, failure(404, "NotFound", { name: "b", group: "x.dev", kind: "gauges" }));
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
  // What kube-apiserver answers for a kind that a built-in group does not have.
  transport.on({}, failure(404, "NotFound"));
  await refused(client.find(Gauge, key), "NotFound", /is the CRD installed/);
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

test("client list does not follow a continue token that leads to itself, at once or by others", async () => {
  for (const after of [{ x: "x" }, { x: "y", y: "z", z: "x" }] as readonly Readonly<Record<string, string>>[]) {
    const { transport, client } = setUp();
    transport.on({}, ({ query }) => ({
      body: { metadata: { continue: after[query.get("continue") ?? ""] ?? "x" }, items: [gauge()] },
    }));
    await refused(client.list(Gauge), "ProtocolError", /the list would never end/);
    assert.equal(transport.requests.length, Object.keys(after).length + 1);
  }
});

test("client list follows pages without objects, and gives up a list whose pages never end", async () => {
  const { transport, client } = setUp();
  let asked = 0;
  let end = 200;
  transport.on({}, () => {
    asked += 1;
    return {
      body: { metadata: asked < end ? { continue: String(asked) } : {}, items: asked < end ? null : [gauge()] },
    };
  });
  assert.equal((await client.list(Gauge)).length, 1);
  asked = 0;
  end = Number.POSITIVE_INFINITY;
  await refused(
    client.list(Gauge),
    "ProtocolError",
    "Cannot list gauges: the list would never end, it has no end after 10000 pages",
  );
});

// B76
test("client list gives up when continue tokens keep expiring", async () => {
  const { transport, client } = setUp();
  transport.on({}, ({ query }) =>
    query.has("continue") ? failure(410, "Expired") : { body: { metadata: { continue: "x" }, items: [] } },
  );
  await refused(client.list(Gauge), "Expired");
  assert.equal(transport.requests.length, 6);
});

// B76
test("client list asks for everything at once when the continue token expires again and again", async () => {
  const { transport, client } = setUp();
  transport.on({}, ({ query }) => {
    if (query.has("continue")) return failure(410, "Expired");
    return { body: { metadata: query.has("limit") ? { continue: "x" } : {}, items: [gauge()] } };
  });
  assert.equal((await client.list(Gauge)).length, 1);
  assert.equal(transport.requests.at(-1)?.query.get("limit"), null);
});

test("client list takes no label value that the server would read as another selector", async () => {
  const { transport, client } = setUp();
  await refused(
    client.list(Gauge, { labels: { app: "x,tier!=y" } }),
    "InvalidSelector",
    /^Cannot select by label "app" with value "x,tier!=y": no object can have it, /,
  );
  assert.equal(transport.requests.length, 0);
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
