import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { instantOf } from "../clock/instant.ts";
import { azureBucketChange } from "./azure-bucket-change.ts";

const time = instantOf(1_893_456_000_000);
const event = {
  id: "831e1650",
  topic: "/subscriptions/0000/resourcegroups/storage/providers/microsoft.storage/storageaccounts/photos",
  subject: "/blobServices/default/containers/uploads/blobs/2030/a+b c.jpg",
  type: "Microsoft.Storage.BlobCreated",
  time,
  data: { api: "PutBlockList", contentLength: 524_288, sequencer: "00000000000004420000000000028963" },
};

test("azureBucketChange reads container and name from the subject, where they are not encoded", () => {
  assert.deepEqual(azureBucketChange(event), {
    bucket: "uploads",
    key: "2030/a+b c.jpg",
    type: "created",
    occurredAt: time,
    sequence: "00000000000004420000000000028963",
    size: 524_288,
  });
});

test("azureBucketChange tells created from deleted, and both from the rest", () => {
  for (const [type, expected] of [
    ["Microsoft.Storage.BlobDeleted", "deleted"],
    ["Microsoft.Storage.BlobRenamed", "other"],
    ["toString", "other"],
  ] as const) {
    assert.equal(azureBucketChange({ ...event, type })?.type, expected);
  }
});

test("azureBucketChange makes nothing of what is no blob's", () => {
  for (const subject of [
    "",
    "/blobServices/default/containers/uploads",
    "/blobServices/default/containers//blobs/a",
    "/queueServices/default/queues/uploads/blobs/a",
    "x/blobServices/default/containers/uploads/blobs/a",
  ]) {
    assert.equal(azureBucketChange({ ...event, subject }), undefined, subject);
  }
});

test("azureBucketChange throws at nothing, and gives every name as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.anything(), (key, data) => {
      const subject = `/blobServices/default/containers/uploads/blobs/${key}`;
      assert.equal(azureBucketChange({ ...event, subject, data })?.key, key);
    }),
  );
});
