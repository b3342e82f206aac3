import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "farwatch/doubles";
import { maxJsonLevels } from "../failure/read-json.ts";
import { ask, type Body } from "./ask.fixture.ts";
import { type ApiServer, createApiServer } from "./create-api-server.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const configMaps = "/api/v1/namespaces/default/configmaps";
const deeps = "/apis/example.com/v1/namespaces/default/deeps";
const typeMeta = { apiVersion: "example.com/v1", kind: "Deep" };

/** Lists in each other, or objects; this many levels. */
const lists = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
const objects = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`);

function definition(schema: object, plural = "deeps"): object {
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind: plural === "deeps" ? "Deep" : "Other" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...(plural === "deeps" ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: [{ name: "Spec", type: "string", jsonPath: ".spec" }],
        },
      ],
    },
  };
}

const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

async function served(): Promise<ApiServer> {
  const server = createApiServer({ clock: createVirtualClock(), controllers: false });
  const schema = { type: "object", properties: { spec: free, status: free, pruned: { type: "object" } } };
  assert.equal((await ask(server, `POST ${definitions}`, { body: definition(schema) })).status, 201);
  return server;
}

/** What still goes round when it comes back with its managed fields, which stand five levels deeper. */
const inSpec = maxJsonLevels - 7;

test("A body of as many levels as there may be goes through every verb", async () => {
  for (const deep of [lists(inSpec), objects(inSpec)]) {
    await using server = await served();
    const statusOf = async (line: string, body?: object, headers = {}): Promise<number> =>
      (await ask(server, line, { ...(body === undefined ? {} : { body }), headers })).status;
    const one = (name: string, rest: object): object => ({ ...typeMeta, metadata: { name }, ...rest });
    const apply = { "content-type": "application/apply-patch+yaml" };
    const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

    assert.equal(await statusOf(`POST ${deeps}?fieldValidation=Strict`, one("a", { spec: { x: deep } })), 201);
    assert.equal(await statusOf(`POST ${deeps}`, one("b", { pruned: { x: deep } })), 201);
    assert.equal(
      await statusOf(`POST ${deeps}`, one("y", { spec: { x: deep } }), { "content-type": "application/yaml" }),
      201,
    );
    const { body: stored } = await ask(server, `GET ${deeps}/b`);
    assert.equal(await statusOf(`PUT ${deeps}/b/status`, { ...stored, status: { x: deep } }), 200);
    const { body: told } = await ask(server, `GET ${deeps}/b`);
    assert.equal(await statusOf(`PUT ${deeps}/b`, { ...told, spec: { x: deep } }), 200);
    assert.equal(await statusOf(`PATCH ${deeps}/b`, { spec: { x: null, y: deep } }), 200);
    assert.equal(
      await statusOf(`PATCH ${deeps}/a?fieldManager=me&force=true`, one("a", { spec: { x: deep } }), apply),
      200,
    );
    assert.equal(await statusOf(`PATCH ${deeps}/c?fieldManager=me`, one("c", { spec: { x: deep } }), apply), 201);
    assert.equal(await statusOf(`PATCH ${deeps}/c?fieldManager=you`, one("c", { spec: { x: [] } }), apply), 409);
    const strategic = { "content-type": "application/strategic-merge-patch+json" };
    assert.equal(await statusOf(`PATCH ${configMaps}/kube-root-ca.crt`, { data: { a: deep } }, strategic), 404);
    assert.equal(await statusOf(`POST ${configMaps}`, { metadata: { name: "a" }, data: { x: deep } }), 400);
    assert.equal(await statusOf(`POST ${configMaps}`, { metadata: { name: "a" } }), 201);
    assert.equal(await statusOf(`PATCH ${configMaps}/a`, { data: { a: deep } }, strategic), 422);
    assert.equal(await statusOf(`PATCH ${configMaps}/a`, { data: { a: deep } }), 422);
    assert.equal(await statusOf(`DELETE ${deeps}/y`, { apiVersion: "v1", kind: "DeleteOptions", x: deep }), 200);
    assert.equal((await ask(server, `GET ${deeps}`)).body.items.length, 3);
    assert.equal(await statusOf(`GET ${deeps}`, undefined, asTable), 200);
    assert.equal(await statusOf(`GET ${deeps}/a`, undefined, { accept: "application/yaml" }), 200);
    assert.equal(await statusOf(`GET ${deeps}/a?pretty=1`), 200);
  }
});

test("A definition of as many levels as there may be is served, explained, and asks its objects for them", async () => {
  await using server = await served();
  // A level of an object is two of its schema.
  let schema: object = { type: "object", default: {}, properties: { end: { type: "string", default: "x" } } };
  const levels = (maxJsonLevels - 12) / 2;
  for (let level = 0; level < levels; level += 1) {
    schema = { type: "object", default: {}, properties: { a: schema } };
  }
  const rules = [{ rule: "!has(self.a) || !has(oldSelf.a) || self.a == oldSelf.a" }];
  const whole = { ...free, properties: { a: schema }, "x-kubernetes-validations": rules };
  const { status, body } = await ask(server, `POST ${definitions}`, { body: definition(whole, "others") });
  assert.equal(status, 201, body.message);
  const others = "/apis/example.com/v1/namespaces/default/others";
  const other = { ...typeMeta, kind: "Other", metadata: { name: "a" } };
  const made = await ask(server, `POST ${others}`, { body: other });
  assert.equal(made.status, 201, made.body.message);
  const endOf = (value: Body): unknown => {
    let at = value;
    while (at.a !== undefined) at = at.a;
    return at.end;
  };
  assert.equal(endOf(made.body), "x");
  assert.equal((await ask(server, `PUT ${others}/a`, { body: made.body })).status, 200);
  const changed = await ask(server, `PATCH ${others}/a`, { body: { a: { a: { b: lists(maxJsonLevels - 4) } } } });
  assert.equal(changed.status, 200, changed.body.message);
  assert.equal((await ask(server, "GET /openapi/v3/apis/example.com/v1")).status, 200);
  const withDefault = { type: "object", properties: { spec: { ...free, default: { x: lists(maxJsonLevels - 12) } } } };
  const redefined = await ask(server, `PATCH ${definitions}/others.example.com`, {
    body: { spec: (definition(withDefault, "others") as Body).spec },
  });
  assert.equal(redefined.status, 200, redefined.body.message);
  assert.equal((await ask(server, `POST ${others}`, { body: { ...other, metadata: { name: "b" } } })).status, 201);
});

test("A body of one level more is refused as the real server refuses one of 10,001, whatever it is", async () => {
  await using server = await served();
  const json = `{"apiVersion":"example.com/v1","kind":"Deep","metadata":{"name":"a"},"spec":${JSON.stringify(lists(maxJsonLevels))}}`;
  const refusals: readonly (readonly [line: string, contentType: string, message: RegExp])[] = [
    [
      `POST ${deeps}`,
      "application/json",
      /Deep\): couldn't get version\/kind; json parse error: invalid character '\[' exceeded max depth/,
    ],
    [`POST ${deeps}`, "application/yaml", /Deep\): yaml: exceeded max depth of 1000 /],
    [
      `PATCH ${deeps}/a`,
      "application/merge-patch+json",
      /^error decoding patch: invalid character '\[' exceeded max depth$/,
    ],
    [
      `PATCH ${deeps}/a`,
      "application/json-patch+json",
      /^error decoding patch: invalid character '\[' exceeded max depth$/,
    ],
    [`PATCH ${configMaps}/a`, "application/strategic-merge-patch+json", /^invalid character '\[' exceeded max depth$/],
    [
      `PATCH ${deeps}/a?fieldManager=me`,
      "application/apply-patch+yaml",
      /^error decoding YAML: error converting YAML to JSON: yaml: exceeded max depth of 1000$/,
    ],
    [
      `DELETE ${deeps}/a`,
      "application/json",
      /^couldn't get version\/kind; json parse error: invalid character '\[' exceeded max depth$/,
    ],
  ];
  assert.equal((await ask(server, `POST ${deeps}`, { body: { ...typeMeta, metadata: { name: "a" } } })).status, 201);
  assert.equal((await ask(server, `POST ${configMaps}`, { body: { metadata: { name: "a" } } })).status, 201);
  for (const [line, contentType, message] of refusals) {
    const { status, body } = await ask(server, line, { body: json, headers: { "content-type": contentType } });
    assert.equal(status, 400, line);
    assert.match(body.message, message);
  }
});

test("A body whose aliases nest what its text does not is refused", async () => {
  await using server = await served();
  const links = Array.from({ length: maxJsonLevels }, (_, index) => `  l${index + 1}: &l${index + 1} [*l${index}]\n`);
  const yaml = `apiVersion: example.com/v1\nkind: Deep\nmetadata: {name: a}\nspec:\n  l0: &l0 [1]\n${links.join("")}`;
  const { status, body } = await ask(server, `POST ${deeps}`, {
    body: yaml,
    headers: { "content-type": "application/yaml" },
  });
  assert.deepEqual([status, body.reason], [400, "BadRequest"]);
  assert.match(body.message, /exceeded max depth/);
});

test("A JSON patch cannot nest what no body may hold, by one operation or by many", async () => {
  await using server = await served();
  const headers = { "content-type": "application/json-patch+json" };
  const half = objects(maxJsonLevels / 2);
  const end = "/a".repeat(maxJsonLevels / 2 - 1);
  const body = { ...typeMeta, metadata: { name: "a" }, spec: { x: half } };
  assert.equal((await ask(server, `POST ${deeps}`, { body })).status, 201);
  const patched = (...operations: readonly object[]): ReturnType<typeof ask> =>
    ask(server, `PATCH ${deeps}/a`, { body: operations, headers });
  for (const op of ["copy", "move"]) {
    const added = { op: "add", path: "/spec/y", value: half };
    const refused = await patched(added, { op, from: "/spec/y", path: `/spec/x${end}/a` });
    assert.deepEqual([op, refused.status, refused.body.reason], [op, 422, "Invalid"]);
  }
  assert.equal((await patched({ op: "add", path: `/spec/x${end}/a`, value: half })).status, 422);
  assert.equal((await patched({ op: "copy", from: "/spec/x", path: "/spec/y" })).status, 200);
  assert.equal((await patched({ op: "move", from: "/spec/y", path: "/spec/z" })).status, 200);
});
