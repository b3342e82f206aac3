import assert from "node:assert/strict";
import { request } from "node:https";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import {
  apiVersionOf,
  builtInKinds,
  builtInSchema,
  decodeBuiltIn,
  decodeProtobuf,
  typeNameOf,
} from "@farwatch/apiserver/built-in";
import { httpCall, sharedKubeApiserver } from "@farwatch/testing";
import { type RichObject, richObjects } from "./rich-objects.ts";

const server = sharedKubeApiserver();
const namespace = "rich-protobuf";
const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };

async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const text = body === undefined ? {} : { body: JSON.stringify(body).replaceAll("NAMESPACE", namespace) };
  const answer = await httpCall(`${server.url}${path}`, { method, headers, ca: server.ca, ...text });
  assert.ok(answer.status < 300, `${method} ${path} ${answer.text}`);
  return JSON.parse(answer.text) as Record<string, unknown>;
}

/** The answer in protobuf. */
async function readProtobuf(path: string, { method = "GET", body = "" } = {}): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const accept = "application/vnd.kubernetes.protobuf";
    const sent = request(`${server.url}${path}`, {
      method,
      headers: { ...headers, accept },
      ca: server.ca,
      agent: false,
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("error", reject);
      response.once("end", () => {
        assert.equal(response.headers["content-type"], accept);
        resolve(Buffer.concat(parts));
      });
    });
    sent.end(body);
  });
}

/** Both forms of the same state: a new definition, say, changes until it is established. */
async function readBoth(path: string): Promise<{ readonly json: Record<string, unknown>; readonly message: Buffer }> {
  let json = await call("GET", path);
  for (;;) {
    const message = await readProtobuf(path);
    const again = await call("GET", path);
    if (isDeepStrictEqual(json, again)) return { json, message };
    json = again;
  }
}

function collectionOf(object: RichObject): string {
  const [group, version = ""] = object.apiVersion.includes("/")
    ? object.apiVersion.split("/")
    : ["", object.apiVersion];
  const kind = builtInKinds().find((one) => one.group === group && one.kind === object.kind);
  assert.ok(kind, `${object.apiVersion} ${object.kind}`);
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${base}${kind.namespaced ? `/namespaces/${namespace}` : ""}/${kind.plural}`;
}

/** What Go makes of a decoded message, as it would write it in JSON. */
function asGo(message: Record<string, unknown>): unknown {
  const apiVersion = String(message.apiVersion);
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const what = { group, version, kind: String(message.kind) };
  return decodeBuiltIn(builtInSchema(typeNameOf(what) ?? ""), message, what).object;
}

/** A claim in a StatefulSet has no type in protobuf; the server's defaults give it one. */
function withoutClaimTypes(object: Record<string, unknown>): unknown {
  return JSON.parse(
    JSON.stringify(object).replaceAll(
      '"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"v"}',
      '"metadata":{"name":"v"}',
    ),
  );
}

before(() => call("POST", "/api/v1/namespaces", { metadata: { name: namespace } }));
after(async () => {
  for (const object of [...richObjects].reverse()) await remove(`${collectionOf(object)}/${object.metadata.name}`);
  await remove(`/api/v1/namespaces/${namespace}`);
});

/** No controller runs here: what they would take away is ours to take, but for what the API server does itself. */
async function remove(path: string): Promise<void> {
  const left = await call("DELETE", path);
  const { name, finalizers } = left.metadata as { readonly name?: string; readonly finalizers?: readonly string[] };
  if (left.kind === "Namespace") await call("PUT", `${path}/finalize`, { metadata: { name }, spec: {} });
  if (left.kind !== "CustomResourceDefinition" && finalizers !== undefined)
    await call("PUT", path, { ...left, metadata: { ...(left.metadata as object), finalizers: [] } });
}

test("richObjects has one object at least of each stored built-in kind and version", () => {
  const stored = builtInKinds().filter(({ verbs }) => verbs.includes("get"));
  const wanted = stored.flatMap(({ group, kind, versions }) =>
    versions.map(({ version }) => `${apiVersionOf(group, version)} ${kind}`),
  );
  const have = new Set(richObjects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
  assert.deepEqual([...have].sort(), wanted.sort());
});

for (const object of richObjects) {
  test(`decodeProtobuf reads ${object.apiVersion} ${object.kind} as the real server's JSON has it`, async () => {
    const collection = collectionOf(object);
    await call("POST", collection, object);
    for (const path of [`${collection}/${object.metadata.name}`, collection]) {
      const { json, message } = await readBoth(path);
      assert.deepEqual(asGo(decodeProtobuf(message)), withoutClaimTypes(json));
    }
  });
}

const reviews: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  [
    "authentication.k8s.io/v1/tokenreviews",
    { kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", spec: { token: server.token, audiences: ["a"] } },
  ],
  [
    "authentication.k8s.io/v1/selfsubjectreviews",
    { kind: "SelfSubjectReview", apiVersion: "authentication.k8s.io/v1" },
  ],
  [
    "authorization.k8s.io/v1/selfsubjectaccessreviews",
    { spec: { resourceAttributes: { verb: "get", resource: "pods", subresource: "log", namespace: "n", name: "p" } } },
  ],
  [
    "authorization.k8s.io/v1/subjectaccessreviews",
    {
      spec: {
        user: "u",
        groups: ["g"],
        extra: { k: ["a", "b"], none: [] },
        nonResourceAttributes: { path: "/", verb: "get" },
      },
    },
  ],
  [
    "authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews",
    { spec: { user: "u", resourceAttributes: { verb: "*", group: "*", namespace: "default" } } },
  ],
  ["authorization.k8s.io/v1/selfsubjectrulesreviews", { spec: { namespace: "default" } }],
];
for (const [path, body] of reviews) {
  test(`decodeProtobuf reads the answer to ${path} as the real server's JSON has it`, async () => {
    const message = await readProtobuf(`/apis/${path}`, { method: "POST", body: JSON.stringify(body) });
    const json = await call("POST", `/apis/${path}`, body);
    assert.deepEqual(stripTime(asGo(decodeProtobuf(message))), stripTime(json));
  });
}

/** A review is of its own moment, and rules come in any order. */
function stripTime(value: unknown): unknown {
  const text = JSON.stringify(value, (name, each: unknown) => {
    if (name === "creationTimestamp" || name === "time") return undefined;
    const rules = name.endsWith("Rules") && Array.isArray(each) ? (each as readonly unknown[]) : undefined;
    return rules?.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)) ?? each;
  });
  return JSON.parse(text);
}
