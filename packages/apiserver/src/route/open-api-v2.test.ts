import assert from "node:assert/strict";
import { test } from "node:test";
import protobuf from "protobufjs/minimal.js";
import { openApiV2 } from "./open-api-v2.ts";

test("openApiV2 describes no kind, as JSON to whoever does not ask for protobuf", () => {
  const { status, body } = openApiV2("v1.35.4", "application/json");
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(String(body)), {
    swagger: "2.0",
    info: { title: "Kubernetes", version: "v1.35.4" },
    paths: {},
  });
});

test("openApiV2 is protobuf to kubectl, with its fields where a reader of OpenAPIv2.proto looks", () => {
  const { body } = openApiV2("v1.35.4", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf");
  assert.ok(body instanceof Uint8Array);
  const document = readFields(body);
  assert.equal(document.get(1)?.toString(), "2.0");
  const info = readFields(document.get(2) ?? Buffer.of());
  assert.deepEqual([info.get(1)?.toString(), info.get(2)?.toString()], ["Kubernetes", "v1.35.4"]);
  assert.equal(document.get(8)?.length, 0);
});

function readFields(bytes: Uint8Array): ReadonlyMap<number, Buffer> {
  const reader = protobuf.Reader.create(bytes);
  const fields = new Map<number, Buffer>();
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    assert.equal(tag & 7, 2);
    fields.set(tag >>> 3, Buffer.from(reader.bytes()));
  }
  return fields;
}
