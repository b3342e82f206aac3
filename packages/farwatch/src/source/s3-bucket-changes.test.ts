import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ToldChanges } from "./bucket-change.ts";
import { s3BucketChanges } from "./s3-bucket-changes.ts";

/** As Amazon's user guide shows it, shortened. */
const record = {
  eventVersion: "2.1",
  eventSource: "aws:s3",
  awsRegion: "us-west-2",
  eventTime: "2030-01-01T00:00:00.000Z",
  eventName: "ObjectCreated:Put",
  responseElements: { "x-amz-request-id": "C3D13FE58DE4C810" },
  s3: {
    s3SchemaVersion: "1.0",
    configurationId: "testConfigRule",
    bucket: { name: "photos", ownerIdentity: { principalId: "A3NL1KOZZKExample" }, arn: "arn:aws:s3:::photos" },
    object: {
      key: "red+flower.jpg",
      size: 1024,
      eTag: "d41d8cd98f00b204e9800998ecf8427e",
      sequencer: "0055AED6DCD90281E5",
    },
  },
};

function changesOf(told: ToldChanges) {
  assert.ok(told.ok, told.ok ? "" : told.reason);
  return told.changes.map(({ change }) => change);
}

const withKey = (key: unknown) => ({ Records: [{ ...record, s3: { ...record.s3, object: { key } } }] });
const withName = (eventName: string) => ({ Records: [{ ...record, eventName }] });

test("s3BucketChanges reads a notification of Amazon, all of its records", () => {
  const [change, second] = changesOf(
    s3BucketChanges({ Records: [record, { ...record, eventName: "ObjectRemoved:Delete" }] }),
  );
  assert.deepEqual(
    { ...change, occurredAt: change?.occurredAt.toISOString() },
    {
      bucket: "photos",
      key: "red flower.jpg",
      type: "created",
      occurredAt: "2030-01-01T00:00:00.000Z",
      sequence: "0055AED6DCD90281E5",
      size: 1024,
    },
  );
  assert.equal(second?.type, "deleted");
});

test("s3BucketChanges reads what MinIO and versitygw send", () => {
  const minio = {
    EventName: "s3:ObjectCreated:CompleteMultipartUpload",
    Key: "photos/2030/a%2Bb.jpg",
    Records: [
      {
        ...record,
        eventSource: "minio:s3",
        eventName: "s3:ObjectCreated:CompleteMultipartUpload",
        s3: { ...record.s3, object: { key: "2030%2Fa%2Bb.jpg", size: 7, sequencer: "15CFEDF8D5304D1A" } },
      },
    ],
  };
  const versitygw = {
    Records: [{ ...record, eventTime: "2030-01-01T01:00:00+01:00", eventName: "s3:ObjectRemoved:Delete" }],
  };
  const [first] = changesOf(s3BucketChanges(minio));
  assert.deepEqual([first?.key, first?.type, first?.size], ["2030/a+b.jpg", "created", 7]);
  const [second] = changesOf(s3BucketChanges(versitygw));
  assert.deepEqual([second?.type, second?.occurredAt.toISOString()], ["deleted", "2030-01-01T00:00:00.000Z"]);
});

test("s3BucketChanges opens the envelope of SNS", () => {
  const enveloped = (message: unknown) => ({ Type: "Notification", TopicArn: "arn", Message: JSON.stringify(message) });
  assert.equal(changesOf(s3BucketChanges(enveloped({ Records: [record] }))).length, 1);
  assert.deepEqual(changesOf(s3BucketChanges(enveloped({ Event: "s3:TestEvent" }))), []);
  assert.deepEqual(s3BucketChanges({ Type: "Notification", Message: "hello" }), {
    ok: false,
    reason: "Message: the body is no JSON",
  });
});

test("s3BucketChanges makes nothing of test events", () => {
  const amazon = { Service: "Amazon S3", Event: "s3:TestEvent", Time: "2030-01-01T00:00:00.000Z", Bucket: "photos" };
  const versitygw = { Service: "S3", Event: "s3:TestEvent", Time: "2030-01-01T00:00:00Z", Bucket: "Test-Bucket" };
  for (const value of [amazon, versitygw]) assert.deepEqual(changesOf(s3BucketChanges(value)), []);
});

test("s3BucketChanges tells created from deleted, and both from the rest", () => {
  for (const [name, type] of [
    ["ObjectCreated:Copy", "created"],
    ["s3:ObjectCreated:Post", "created"],
    ["ObjectRemoved:DeleteMarkerCreated", "deleted"],
    ["LifecycleExpiration:Delete", "deleted"],
    ["s3:BucketRemoved", "other"],
    ["ObjectTagging:Put", "other"],
    ["XObjectCreated:Put", "other"],
  ] as const) {
    assert.equal(changesOf(s3BucketChanges(withName(name)))[0]?.type, type, name);
  }
});

test("s3BucketChanges gives every key as it was put", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (key) => {
      const encoded = encodeURIComponent(key).replaceAll("%20", "+");
      assert.equal(changesOf(s3BucketChanges(withKey(encoded)))[0]?.key, key);
    }),
  );
  assert.equal(changesOf(s3BucketChanges(withKey("100%")))[0]?.key, "100%");
  assert.equal(changesOf(s3BucketChanges(withKey(undefined)))[0]?.key, "");
});

test("s3BucketChanges decodes no key of versitygw, which encodes none", () => {
  for (const by of ["kafka", "nats", "rabbitmq", "webhook"]) {
    for (const key of ["a+b", "20%20", "100%"]) {
      const told = s3BucketChanges({
        Records: [{ ...record, s3: { ...record.s3, configurationId: `${by}-global`, object: { key } } }],
      });
      assert.equal(changesOf(told)[0]?.key, key);
    }
  }
});

test("s3BucketChanges names the field that is wrong", () => {
  const { eventTime: _, ...timeless } = record;
  for (const [value, reason] of [
    [{}, "Records is no array"],
    [{ Records: "x" }, "Records is no array"],
    [{ Records: [{}] }, "Records.0.eventName is missing"],
    [{ Records: [record, { ...record, s3: { bucket: {} } }] }, "Records.1.s3.bucket.name is missing"],
    [{ Records: [timeless] }, "Records.0.eventTime is no RFC 3339 time"],
  ] as const) {
    assert.deepEqual(s3BucketChanges(value), { ok: false, reason });
  }
});

test("s3BucketChanges throws at nothing, and takes no wrong size", () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (value, part) => {
      s3BucketChanges(value);
      s3BucketChanges({ Records: [value, part] });
      const sized = s3BucketChanges({
        Records: [{ ...record, s3: { ...record.s3, object: { key: part, size: value } } }],
      });
      for (const { size } of changesOf(sized))
        assert.ok(size === undefined || (Number.isSafeInteger(size) && size >= 0));
    }),
  );
});
