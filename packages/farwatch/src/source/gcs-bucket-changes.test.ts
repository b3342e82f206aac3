import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { gcsBucketChanges } from "./gcs-bucket-changes.ts";

const object = {
  kind: "storage#object",
  name: "2030/a+b c.jpg",
  bucket: "photos",
  generation: "1893456000000000",
  size: "2048",
};
const attributes = {
  notificationConfig: "projects/_/buckets/photos/notificationConfigs/1",
  eventType: "OBJECT_FINALIZE",
  payloadFormat: "JSON_API_V1",
  bucketId: "photos",
  objectId: "2030/a+b c.jpg",
  objectGeneration: "1893456000000000",
  eventTime: "2030-01-01T00:00:00.000001Z",
};
const message = {
  attributes,
  data: Buffer.from(JSON.stringify(object)).toString("base64"),
  messageId: "136969346945",
  publishTime: "2030-01-01T00:00:01Z",
};
const push = { message, subscription: "projects/p/subscriptions/buckets" };

const withAttributes = (changed: object) => ({
  ...push,
  message: { ...message, attributes: { ...attributes, ...changed } },
});

test("gcsBucketChanges reads a push of Pub/Sub, whose names are not encoded", () => {
  const told = gcsBucketChanges(push);
  assert.ok(told.ok);
  const [{ change, id } = assert.fail()] = told.changes;
  assert.deepEqual(
    { ...change, occurredAt: change.occurredAt.toISOString() },
    {
      bucket: "photos",
      key: "2030/a+b c.jpg",
      type: "created",
      occurredAt: "2030-01-01T00:00:00.000Z",
      sequence: "1893456000000000",
      size: 2048,
    },
  );
  assert.equal(id, JSON.stringify(["projects/p/subscriptions/buckets", "136969346945"]));
});

test("gcsBucketChanges reads a message alone, and one without a payload", () => {
  const told = gcsBucketChanges({ attributes: { ...attributes, payloadFormat: "NONE" }, data: "", messageId: "1" });
  assert.ok(told.ok);
  assert.deepEqual([told.changes[0]?.change.key, told.changes[0]?.change.size], ["2030/a+b c.jpg", undefined]);
});

test("gcsBucketChanges tells created from deleted, and both from the rest", () => {
  const overwritten = { overwrittenByGeneration: "1893456000000001" };
  for (const [changed, type] of [
    [{ eventType: "OBJECT_FINALIZE" }, "created"],
    [{ eventType: "OBJECT_FINALIZE", overwroteGeneration: "1893455999999999" }, "created"],
    [{ eventType: "OBJECT_DELETE" }, "deleted"],
    [{ eventType: "OBJECT_ARCHIVE" }, "deleted"],
    [{ eventType: "OBJECT_DELETE", ...overwritten }, "other"],
    [{ eventType: "OBJECT_ARCHIVE", ...overwritten }, "other"],
    [{ eventType: "OBJECT_METADATA_UPDATE" }, "other"],
    [{ eventType: "constructor" }, "other"],
  ] as const) {
    const told = gcsBucketChanges(withAttributes(changed));
    assert.equal(told.ok && told.changes[0]?.change.type, type, JSON.stringify(changed));
  }
});

test("gcsBucketChanges names the field that is wrong", () => {
  for (const [value, reason] of [
    [{}, "message.attributes.bucketId is missing"],
    [withAttributes({ eventType: 1 }), "message.attributes.eventType is missing"],
    [
      { message: { attributes: { ...attributes, eventTime: "x" } } },
      "message.attributes.eventTime is no RFC 3339 time",
    ],
    [{ ...push, message: { ...message, data: "%%%" } }, "message.data is no base64 of JSON"],
    [{ ...push, message: { ...message, data: "aGVsbG8=" } }, "message.data is no base64 of JSON"],
  ] as const) {
    assert.deepEqual(gcsBucketChanges(value), { ok: false, reason });
  }
});

test("gcsBucketChanges throws at nothing", () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (value, part) => {
      gcsBucketChanges(value);
      gcsBucketChanges({ message: { attributes: value, data: part } });
      gcsBucketChanges({ message: { attributes: { ...attributes, objectId: part }, data: value } });
    }),
  );
});
