import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "farwatch/doubles";
import { ask, eventsOf, open } from "./ask.fixture.ts";
import { type ApiServer, type ApiServerOptions, createApiServer } from "./create-api-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";

/** Without controllers, in virtual time. */
function served(options: ApiServerOptions = {}): ApiServer {
  return createApiServer({ clock: createVirtualClock(), controllers: false, ...options });
}

test("API server knows its users by their tokens, and nobody else", async () => {
  await using server = served({
    users: [
      { name: "ann", groups: ["system:masters"] },
      { name: "bob", token: "secret" },
    ],
  });
  assert.equal((await ask(server, `GET ${configMaps}`)).status, 200);
  assert.equal((await ask(server, `GET ${configMaps}`, { as: server.configOf("ann") })).status, 200);
  const { status, body } = await ask(server, `GET ${configMaps}`, { as: server.configOf("bob") });
  assert.deepEqual([status, body.reason], [403, "Forbidden"]);
  assert.equal(server.token("bob"), "secret");
  assert.notEqual(server.token("ann"), server.token());
  assert.equal((await ask(server, `GET ${configMaps}`, { headers: { authorization: "Bearer wrong" } })).status, 401);
  assert.throws(() => server.configOf("eve"), { code: "NotFound" });
});

test("API server gives the same uids and names in every run of a seed", async () => {
  const made = async (seed: number): Promise<unknown> => {
    await using server = served({ seed });
    const { body } = await ask(server, `POST ${configMaps}`, { body: { metadata: { generateName: "a-" } } });
    return body;
  };
  assert.deepEqual(await made(1), await made(1));
  assert.notDeepEqual(await made(1), await made(2));
});

test("API server ends every watch when it goes to another state, whose versions may be older", async () => {
  await using server = served();
  const state = structuredClone(server.state());
  await ask(server, `POST ${configMaps}`, { body: { metadata: { name: "a" } } });
  const { body: stream } = await open(server, `GET ${configMaps}?watch=1`, { streaming: true });
  const events = eventsOf(stream);
  assert.equal((await events.next()).value.object.metadata.name, "a");
  server.restore(state);
  assert.deepEqual(await events.next(), { done: true, value: undefined });
  const { body } = await ask(server, `GET ${configMaps}`);
  assert.deepEqual([body.items, body.metadata.resourceVersion], [[], String(state.version)]);
});

test("API server serves the kinds of a state that it goes to, and no others", async () => {
  await using server = served();
  const before = structuredClone(server.state());
  await ask(server, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: definition() });
  assert.equal((await ask(server, "GET /apis/example.com/v1/widgets")).status, 200);
  const after = structuredClone(server.state());
  server.restore(before);
  assert.equal((await ask(server, "GET /apis/example.com/v1/widgets")).status, 404);
  server.restore(after);
  assert.equal((await ask(server, "GET /apis/example.com/v1/widgets")).status, 200);
});

test("API server answers a watch of before a compaction with 410 in the stream", async () => {
  await using server = served();
  const { body: made } = await ask(server, `POST ${configMaps}`, { body: { metadata: { name: "a" } } });
  await ask(server, `PATCH ${configMaps}/a`, { body: { data: { a: "1" } } });
  server.compact();
  const version = made.metadata.resourceVersion;
  const { status, body } = await ask(server, `GET ${configMaps}?watch=1&resourceVersion=${version}`);
  assert.deepEqual([status, body.type, body.object.code, body.object.reason], [200, "ERROR", 410, "Expired"]);
});

test("API server tells two thousand watches of a change, and forgets those that are left", async () => {
  await using server = served();
  const stop = new AbortController();
  const watches = await Promise.all(
    Array.from({ length: 2000 }, async () => {
      const { body } = await open(server, `GET ${configMaps}?watch=1`, { streaming: true, signal: stop.signal });
      return eventsOf(body);
    }),
  );
  await ask(server, `POST ${configMaps}`, { body: { metadata: { name: "a" } } });
  const heard = await Promise.all(watches.map(async (events) => (await events.next()).value.object.metadata.name));
  assert.deepEqual(new Set(heard), new Set(["a"]));
  await Promise.all(watches.slice(1000).map((events) => events.return()));
  stop.abort("enough");
  await Promise.all(watches.slice(0, 1000).map((events) => assert.rejects(events.next())));
  assert.equal(server.transport.inFlight, 0);
});

test("API server ends a watch when its time is up, and reads of it when the server is disposed of", async () => {
  const clock = createVirtualClock();
  const server = served({ clock });
  const timed = await open(server, `GET ${configMaps}?watch=1&timeoutSeconds=5&allowWatchBookmarks=1`, {
    streaming: true,
  });
  const endless = await open(server, `GET ${configMaps}?watch=1`, { streaming: true });
  const events = eventsOf(timed.body);
  const first = events.next();
  await clock.advance("5s");
  assert.equal((await first).value.type, "BOOKMARK", "one more comes before the end");
  assert.deepEqual(await events.next(), { done: true, value: undefined });
  const next = eventsOf(endless.body).next();
  await server[Symbol.asyncDispose]();
  assert.deepEqual(await next, { done: true, value: undefined });
  await assert.rejects(ask(server, "GET /version"), { code: "ConnectionFailed" });
});

test("API server answers hostile requests with a refusal", async () => {
  await using server = served();
  const deep = `{"metadata":{"name":"a"},"data":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  for (const [line, body, status] of [
    [`POST ${configMaps}`, `"${"x".repeat(3 * 1024 * 1024)}"`, 413],
    [`POST ${configMaps}`, deep, undefined],
    [`POST ${configMaps}`, '{"metadata":{"name":"__proto__"}}', 422],
    [`POST ${configMaps}`, '{"__proto__":{"metadata":{"name":"a"}}}', 422],
    [`POST ${configMaps}`, '{"metadata":{"name":1e400}}', 400],
    ["GET /api/v1/namespaces/%E0%A4%A/pods/%", undefined, undefined],
    [`GET ${configMaps}?labelSelector=%E0%A4%A&limit=%`, undefined, 400],
    [`GET ${configMaps}?fieldSelector=${"metadata.name=a,".repeat(10_000)}`, undefined, 200],
    [`GET ${configMaps}/../../../../etc/passwd`, undefined, undefined],
    ["GET /__proto__/constructor", undefined, 404],
    ["GET /apis/__proto__/v1/toString", undefined, 404],
    [`PATCH ${configMaps}/constructor`, '{"data":{}}', 404],
  ] as const) {
    const answer = await ask(server, line, { body });
    if (status === undefined) assert.ok(answer.status >= 400 && answer.status < 600, line);
    else assert.equal(answer.status, status, `${line} ${JSON.stringify(answer.body).slice(0, 300)}`);
  }
  assert.equal(({} as { readonly metadata?: unknown }).metadata, undefined);
  assert.equal((await ask(server, "GET /version")).status, 200);
});

test("API server keeps keys that every object has as data like any other", async () => {
  await using server = served();
  const body = '{"metadata":{"name":"a"},"data":{"__proto__":"1","constructor":"2"}}';
  assert.equal((await ask(server, `POST ${configMaps}`, { body })).status, 201);
  const { body: read } = await ask(server, `GET ${configMaps}/a`);
  assert.deepEqual(Object.entries(read.data).sort(), [
    ["__proto__", "1"],
    ["constructor", "2"],
  ]);
});

test("API server lets no text of a body into its headers but as a warning", async () => {
  await using server = served();
  const body = '{"metadata":{"name":"a"},"x\\r\\nset-cookie: y":1}';
  const { status, headers } = await ask(server, `POST ${configMaps}`, { body });
  assert.equal(status, 201);
  assert.match(headers.warning ?? "", /^299 - "unknown field /);
  assert.doesNotMatch(headers.warning ?? "", /[\r\n]/);
  assert.equal(headers["set-cookie"], undefined);
});

async function pod(server: ApiServer, name: string, spec: object = {}): Promise<void> {
  await ask(server, "POST /api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "default" } } });
  const containers = [{ name: "c", image: "i" }];
  const { status, body } = await ask(server, `POST ${pods}`, {
    body: { metadata: { name }, spec: { containers, ...spec } },
  });
  assert.equal(status, 201, body.message);
}

test("API server has no logs and no terminals, and says so as far as a server without nodes can", async () => {
  await using server = served();
  await pod(server, "pending");
  await pod(server, "lost", { nodeName: "gone" });
  await pod(server, "placed", {
    nodeName: "here",
    containers: [
      { name: "c", image: "i" },
      { name: "d", image: "i" },
    ],
  });
  await ask(server, "POST /api/v1/nodes", { body: { metadata: { name: "here" } } });
  for (const [line, status, message] of [
    [`GET ${pods}/none/log`, 404, /^pods "none" not found$/],
    [`GET ${pods}/pending/log`, 204, undefined],
    [`POST ${pods}/pending/exec?command=x`, 400, /^pod pending does not have a host assigned$/],
    [`GET ${pods}/lost/log`, 404, /^pods "gone" not found$/],
    [`GET ${pods}/placed/log`, 400, /^a container name must be specified for pod placed, choose one of: \[c d\]$/],
    [`GET ${pods}/placed/log?container=e`, 400, /^container e is not valid for pod placed$/],
    [`GET ${pods}/placed/log?container=d`, 501, /^this server has no pods\/log: nothing runs on it/],
    [`POST ${pods}/placed/portforward`, 501, /pods\/portforward/],
    ["GET /api/v1/nodes/here/proxy/metrics", 501, /nodes\/proxy\/metrics/],
    ["GET /api/v1/nodes/gone/proxy", 404, /^nodes "gone" not found$/],
  ] as const) {
    const { status: got, body } = await ask(server, line);
    assert.equal(got, status, line);
    if (message !== undefined) assert.match(body.message, message);
  }
});

test("API server gives a pod the node that a Binding names, once", async () => {
  await using server = served();
  await pod(server, "a");
  await pod(server, "b");
  const body = { metadata: { name: "a" }, target: { name: "here" } };
  const bound = await ask(server, `POST ${pods}/a/binding`, { body });
  assert.deepEqual([bound.status, bound.body.status], [201, "Success"]);
  const { body: placed } = await ask(server, `GET ${pods}/a`);
  assert.equal(placed.spec.nodeName, "here");
  assert.equal(placed.status.conditions[0].type, "PodScheduled");
  const again = await ask(server, "POST /api/v1/namespaces/default/bindings", { body });
  assert.deepEqual(
    [again.status, again.body.message],
    [409, 'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "here"'],
  );
  assert.equal((await ask(server, `POST ${pods}/b/binding`, { body })).status, 400, "another name than the path's");
  assert.equal((await ask(server, `POST ${pods}/b/binding`, { body: { metadata: { name: "b" } } })).status, 500);
  const late = { metadata: { name: "none" }, target: { name: "here" } };
  assert.equal((await ask(server, "POST /api/v1/namespaces/default/bindings", { body: late })).status, 404);
});

test("API server deletes the Endpoints of a Service with it, and no others", async () => {
  await using server = served();
  const path = "/api/v1/namespaces/default";
  for (const name of ["a", "b"]) {
    await ask(server, `POST ${path}/services`, { body: { metadata: { name }, spec: { ports: [{ port: 80 }] } } });
    await ask(server, `POST ${path}/endpoints`, { body: { metadata: { name } } });
  }
  await ask(server, `DELETE ${path}/services/a?dryRun=All`);
  assert.equal((await ask(server, `GET ${path}/endpoints/a`)).status, 200);
  await ask(server, `DELETE ${path}/services/a`);
  assert.equal((await ask(server, `GET ${path}/endpoints/a`)).status, 404);
  assert.equal((await ask(server, `GET ${path}/endpoints/b`)).status, 200);
});

test("API server sends documents that a client has already no second time", async () => {
  await using server = served();
  const aggregated = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };
  const first = await ask(server, "GET /apis", { headers: aggregated });
  const etag = first.headers.etag ?? "";
  const again = await ask(server, "GET /apis", { headers: { ...aggregated, "if-none-match": etag } });
  assert.deepEqual([again.status, again.body], [304, ""]);
  await ask(server, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: definition() });
  const changed = await ask(server, "GET /apis", { headers: { ...aggregated, "if-none-match": etag } });
  assert.equal(changed.status, 200);
  const { body: index } = await ask(server, "GET /openapi/v3");
  const url: string = index.paths["apis/example.com/v1"].serverRelativeURL;
  const document = await ask(server, `GET ${url}`);
  assert.equal(document.headers["cache-control"], "public, immutable");
  const moved = await ask(server, `GET ${url.replace(/hash=.*/, "hash=OLD")}`);
  assert.deepEqual([moved.status, moved.headers.location], [301, url]);
  const known = await ask(server, `GET ${url}`, { headers: { "if-none-match": document.headers.etag ?? "" } });
  assert.equal(known.status, 304);
});

function definition(conversion?: object): object {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", singular: "widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
      ...(conversion === undefined ? {} : { conversion }),
    },
  };
}
