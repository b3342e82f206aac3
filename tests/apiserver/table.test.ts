import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApiServer } from "@farwatch/apiserver";
import { builtInKinds } from "@farwatch/apiserver/built-in";
import { httpCall, sharedKubeApiserver } from "@farwatch/testing";
import { minimalObjects } from "./minimal-objects.ts";
import type { RichObject } from "./rich-objects.ts";
import { shownObjects } from "./shown-objects.ts";

const real = sharedKubeApiserver();
const namespace = "shown-in-tables";
const embedded = createApiServer({ controllers: false });

interface Server {
  readonly url: string;
  readonly token: string;
  readonly ca?: string | undefined;
}

let servers: readonly Server[] = [];

async function call(server: Server, method: string, path: string, body?: object): Promise<string> {
  const accept = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json";
  const answer = await httpCall(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${server.token}`,
      "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      ...(method === "GET" ? { accept } : {}),
    },
    ...(server.ca === undefined ? {} : { ca: server.ca }),
    ...(body === undefined ? {} : { body: JSON.stringify(body).replaceAll("NAMESPACE", namespace) }),
  });
  assert.ok(answer.status < 300, `${method} ${path} ${answer.text}`);
  return answer.text;
}

function collectionOf({ apiVersion, kind }: RichObject): string {
  const [group, version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const found = builtInKinds().find((one) => one.group === group && one.kind === kind);
  assert.ok(found, `${apiVersion} ${kind}`);
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${base}${found.namespaced ? `/namespaces/${namespace}` : ""}/${found.plural}`;
}

interface Table {
  readonly columnDefinitions: readonly { readonly description: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** What the server gives to an object: an age, an address, a uid, a time. */
const given = /^\d+s$|^10\.0\.0\.\d+$|(?<==)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^20[3-9]\d-\S+Z$/;

/** Without prose, and without what is given. */
function plain(text: string): unknown {
  const { columnDefinitions, rows } = JSON.parse(text) as Table;
  return {
    columns: columnDefinitions.map(({ description: _, ...column }) => column),
    rows: rows.map((row) => ({
      ...row,
      cells: row.cells.map((cell) => (typeof cell === "string" ? cell.replace(given, "<given>") : cell)),
    })),
  };
}

before(async () => {
  const { url } = await embedded.listen();
  servers = [real, { url, token: embedded.token() }];
  for (const server of servers) {
    await call(server, "POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    await call(server, "POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "default" } });
  }
});
after(async () => {
  await embedded[Symbol.asyncDispose]();
  const path = `/api/v1/namespaces/${namespace}`;
  // No controller empties it.
  await call(real, "DELETE", `${path}/serviceaccounts/default`);
  await call(real, "DELETE", path);
  await call(real, "PUT", `${path}/finalize`, { metadata: { name: namespace }, spec: {} });
});

async function shown(server: Server, object: RichObject): Promise<unknown> {
  const { status, ...rest } = object;
  const collection = collectionOf(object);
  const path = `${collection}/${object.metadata.name}`;
  await call(server, "POST", collection, rest);
  try {
    if (status !== undefined) await call(server, "PATCH", `${path}/status`, { status });
    return plain(await call(server, "GET", `${path}?includeObject=None`));
  } finally {
    // Nobody else takes away what protects an object that is in use.
    await call(server, "PATCH", path, { metadata: { finalizers: null } });
    await call(server, "DELETE", `${path}?gracePeriodSeconds=0&propagationPolicy=Background`);
  }
}

const others = minimalObjects.filter(({ kind }) => kind !== "CustomResourceDefinition" && kind !== "Namespace");

for (const object of [...others, ...shownObjects]) {
  const { apiVersion, kind, metadata } = object;
  test(`a table shows ${apiVersion} ${kind} ${metadata.name} as the real server does`, async () => {
    const [wanted, got] = await Promise.all(servers.map((server) => shown(server, object)));
    assert.deepEqual(got, wanted);
  });
}
