import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInKinds, createRegistry, kindFromCrd, openApiDocument, openApiIndex } from "@farwatch/apiserver/built-in";
import { httpCall, sharedKubeApiserver } from "@farwatch/testing";
import { systemClock } from "farwatch";
import { richObjects } from "./rich-objects.ts";

const server = sharedKubeApiserver();
const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };

interface Document {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}
type PathItem = Readonly<Record<string, unknown>>;

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await httpCall(`${server.url}${path}`, { method, headers, ca: server.ca, ...text });
  return { status: answer.status, json: answer.text === "" ? undefined : JSON.parse(answer.text) };
}

async function realDocument(path: string): Promise<Document> {
  const { status, json } = await call("GET", `/openapi/v3/${path}`);
  assert.equal(status, 200, path);
  return json as Document;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Media types that the embedded server does not write, and the watches as paths that Kubernetes deprecated long ago. */
const leftOutTypes = /protobuf|stream=watch/;
/** Every group of the real server, also those that are left out. */
const optionsOfAllGroups = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

/** Without what is said in prose, and in one form where there are two with the same meaning. */
function facts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(facts);
  if (!isObject(value)) return value;
  const { description, allOf, ...rest } = value;
  const entries = Object.entries(typeof description === "string" ? rest : value).filter(
    ([name]) => name !== "allOf" && !leftOutTypes.test(name),
  );
  const [only, ...others] = Array.isArray(allOf) ? (allOf as readonly unknown[]) : [];
  const same = entries.length === 0 && only !== undefined && others.length === 0;
  if (same) return facts(only);
  return Object.fromEntries([
    ...entries.map(([name, each]) => [name, facts(each)]),
    ...(allOf === undefined ? [] : [["allOf", facts(allOf)]]),
  ]);
}

/** The paths of kinds that are served, with the operations that are. */
function servedPaths(document: Document, ours: Document): Record<string, unknown> {
  const plurals = new Set(Object.keys(ours.paths).map((path) => /\/([a-z]+)(?:\/\{name\}.*)?$/.exec(path)?.[1]));
  const entries = Object.entries(document.paths).flatMap(([path, item]) => {
    const plural = /\/([a-z]+)(?:\/\{name\}.*)?$/.exec(path)?.[1];
    const action = Object.values(item).map((one) => isObject(one) && one["x-kubernetes-action"]);
    const left = path.includes("/watch/") || action.includes("connect") || path.endsWith("/log");
    return left || (plural !== undefined && !plurals.has(plural)) ? [] : [[path, item]];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function compare(ours: Document, real: Document): void {
  assert.deepEqual(facts(ours.paths), facts(servedPaths(real, ours)));
  for (const [name, schema] of Object.entries(ours.components.schemas)) {
    if (name === optionsOfAllGroups) continue;
    assert.deepEqual({ [name]: facts(schema) }, { [name]: facts(real.components.schemas[name]) });
  }
}

const registry = createRegistry(builtInKinds());
const index = openApiIndex(registry).paths as Readonly<Record<string, { readonly serverRelativeURL: string }>>;

test("openApiIndex names each document as the real server does", async () => {
  const { json } = await call("GET", "/openapi/v3");
  const real = (json as { readonly paths: typeof index }).paths;
  const form = (url: string | undefined): string => (url ?? "").replace(/hash=[0-9A-F]{128}$/, "hash=HASH");
  for (const [path, { serverRelativeURL }] of Object.entries(index)) {
    assert.equal(form(serverRelativeURL), form(real[path]?.serverRelativeURL));
  }
});

for (const path of Object.keys(index)) {
  test(`openApiDocument says of ${path} what the real server does`, async () => {
    compare(openApiDocument(registry, path) as unknown as Document, await realDocument(path));
  });
}

test("openApiDocument says of a custom kind what the real server does", async () => {
  const crd = richObjects.find(({ kind }) => kind === "CustomResourceDefinition");
  assert.ok(crd);
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const created = await call("POST", definitions, crd);
  assert.equal(created.status, 201, JSON.stringify(created.json));
  try {
    const path = "apis/rich.farwatch.dev/v1";
    using deadline = systemClock.timeout("20s");
    while ((await call("GET", `/openapi/v3/${path}`)).status !== 200) await systemClock.sleep("100ms", deadline);
    const kind = kindFromCrd(created.json as Parameters<typeof kindFromCrd>[0]);
    const ours = openApiDocument(createRegistry([...builtInKinds(), kind]), path) as unknown as Document;
    compare(ours, await realDocument(path));
    assert.match(JSON.stringify(ours.components.schemas["dev.farwatch.rich.v1.Rich"]), /"description":"d"/);
  } finally {
    await call("DELETE", `${definitions}/${crd.metadata.name}`);
  }
});
