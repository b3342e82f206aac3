import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ApiError } from "../failure/api-error.ts";
import { decodeProtobuf } from "./protobuf.ts";

const configMap = { group: "", version: "v1", kind: "ConfigMap" };

/** A field of bytes: its tag, its length, its content. */
function bytesField(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  assert.ok(bytes.length < 128 && number < 16);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const typeMeta = Buffer.concat([bytesField(1, apiVersion), bytesField(2, kind)]);
  return Buffer.concat([Buffer.from("k8s\0"), bytesField(1, typeMeta), bytesField(2, raw)]);
}

function refusal(bytes: Buffer): string {
  try {
    decodeProtobuf(bytes, configMap);
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 400, String(error));
    return error.message;
  }
  return assert.fail("It was read");
}

test("decodeProtobuf reads a ConfigMap's maps, an absent value as empty", () => {
  const data = Buffer.concat([bytesField(1, "k"), bytesField(2, "v")]);
  const raw = Buffer.concat([
    bytesField(2, data),
    bytesField(2, bytesField(1, "empty")),
    bytesField(3, bytesField(1, "b")),
  ]);
  assert.deepEqual(decodeProtobuf(envelope("v1", "ConfigMap", raw)), {
    kind: "ConfigMap",
    apiVersion: "v1",
    data: { k: "v", empty: "" },
    binaryData: { b: "" },
  });
});

test("decodeProtobuf takes the expected kind where the envelope names none", () => {
  const bytes = Buffer.concat([Buffer.from("k8s\0"), bytesField(2, Buffer.alloc(0))]);
  assert.deepEqual(decodeProtobuf(bytes, configMap), { kind: "ConfigMap", apiVersion: "v1" });
});

test("decodeProtobuf reads DeleteOptions of meta/v1 in any group, and keeps a zero", () => {
  const raw = Buffer.concat([
    Buffer.from([1 << 3, 0]),
    bytesField(4, "Foreground"),
    bytesField(2, bytesField(1, "uid")),
  ]);
  assert.deepEqual(decodeProtobuf(envelope("apps/v1", "DeleteOptions", raw)), {
    kind: "DeleteOptions",
    apiVersion: "apps/v1",
    gracePeriodSeconds: 0,
    propagationPolicy: "Foreground",
    preconditions: { uid: "uid" },
  });
});

test("decodeProtobuf sets a key of a map that is called __proto__ as a key like any other", () => {
  const data = Buffer.concat([bytesField(1, "__proto__"), bytesField(2, "v")]);
  const { data: map } = decodeProtobuf(envelope("v1", "ConfigMap", bytesField(2, data)));
  assert.deepEqual(Object.entries(map as object), [["__proto__", "v"]]);
  assert.equal(Object.getPrototypeOf(map), Object.prototype);
});

test("decodeProtobuf refuses what is no message with the real server's text", () => {
  const must = "the object provided is unrecognized (must be of type ConfigMap): ";
  const prefix = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
  const cannot = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: ';
  assert.equal(refusal(Buffer.alloc(0)), `${must}empty data (<empty>)`);
  assert.equal(refusal(Buffer.from("abc")), `${must}${prefix} (616263)`);
  assert.equal(refusal(Buffer.from("k8s\0")), `${must}empty body (6b387300)`);
  assert.equal(refusal(Buffer.from("k8s\0\x0a\x02\x08")), `${must}unexpected EOF (6b3873000a0208)`);
  assert.equal(
    refusal(envelope("v1", "Foo", Buffer.alloc(0))),
    'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
  );
  assert.equal(
    refusal(envelope("v1", "ConfigMap", Buffer.from([8, 1]))),
    `${cannot}proto: wrong wireType = 0 for field ObjectMeta`,
  );
  assert.equal(refusal(envelope("v1", "ConfigMap", Buffer.from([10, 5]))), `${cannot}unexpected EOF`);
});

test("decodeProtobuf refuses a schema in a schema without end", () => {
  let schema = Buffer.alloc(0);
  const longField = (number: number, bytes: Buffer): Buffer => {
    const length = [(bytes.length & 127) | 128, ((bytes.length >> 7) & 127) | 128, bytes.length >> 14];
    return Buffer.concat([Buffer.from([(((number << 3) | 2) & 127) | 128, (number << 3) >> 7, ...length]), bytes]);
  };
  for (let depth = 0; depth < 2_000; depth += 1) schema = Buffer.from(longField(28, schema));
  const version = bytesField(4, Buffer.alloc(0));
  const crd = longField(2, longField(7, Buffer.concat([version, longField(4, longField(1, schema))])));
  const bytes = Buffer.concat([
    Buffer.from("k8s\0"),
    bytesField(1, Buffer.concat([bytesField(1, "apiextensions.k8s.io/v1"), bytesField(2, "CustomResourceDefinition")])),
    longField(2, crd),
  ]);
  assert.throws(() => decodeProtobuf(bytes), /nested too deeply/);
});

test("decodeProtobuf answers any bytes with an object or a refusal", () => {
  const kinds = fc.constantFrom("Pod", "Secret", "Service", "Node", "Event");
  fc.assert(
    fc.property(kinds, fc.uint8Array({ maxLength: 100 }), (kind, raw) => {
      try {
        const object = decodeProtobuf(envelope("v1", kind, Buffer.from(raw)));
        assert.equal(object.kind, kind);
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error));
      }
    }),
  );
});
