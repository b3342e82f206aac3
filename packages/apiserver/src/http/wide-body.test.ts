import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "farwatch/doubles";
import { ask } from "./ask.fixture.ts";
import { createApiServer } from "./create-api-server.ts";

/** More than a call takes arguments. */
const many = 150_000;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Array.from({ length: many }, (_, index) => [`a${index.toString(36)}`, value]));

function definition(schema: object): object {
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  const names = { plural: "wides", kind: "Wide" };
  return {
    metadata: { name: "wides.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names, versions },
  };
}

test("A definition is refused with all of its faults, however many there are", async () => {
  await using server = createApiServer({ clock: createVirtualClock(), controllers: false });
  const body = definition({ type: "object", properties: fields({}) });
  const refused = await ask(server, `POST ${definitions}`, { body });
  assert.equal(refused.status, 422, refused.body.message);
  assert.ok(refused.body.details.causes.length >= many);
});

test("A definition may list as many words as its text holds, and a rule about them", async () => {
  await using server = createApiServer({ clock: createVirtualClock(), controllers: false });
  const words = { type: "string", enum: Object.keys(fields(1)) };
  const rules = [{ rule: "self.word != ''" }];
  const schema = { type: "object", properties: { word: words }, "x-kubernetes-validations": rules };
  const made = await ask(server, `POST ${definitions}`, { body: definition(schema) });
  assert.equal(made.status, 201, made.body.message);
});

test("An embedded object may have as many unknown fields as its text holds", async () => {
  await using server = createApiServer({ clock: createVirtualClock(), controllers: false });
  const inner = {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  };
  const schema = { type: "object", properties: { inner } };
  assert.equal((await ask(server, `POST ${definitions}`, { body: definition(schema) })).status, 201);
  const object = { apiVersion: "v1", kind: "Inner", metadata: fields(1) };
  const body = { apiVersion: "example.com/v1", kind: "Wide", metadata: { name: "a" }, inner: object };
  const made = await ask(server, "POST /apis/example.com/v1/namespaces/default/wides", { body });
  assert.equal(made.status, 201, made.body.message);
  assert.deepEqual(made.body.inner.metadata, {});
});
