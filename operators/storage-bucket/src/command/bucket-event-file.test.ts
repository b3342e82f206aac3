import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isCodedError } from "farwatch";
import { readBucketEventFile } from "./bucket-event-file.ts";

const folder = mkdtempSync(join(tmpdir(), "bucket-event-file-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const secret = "x7Hq2LmVb9TzKc4RwN8sYd";

function read(value: unknown): ReturnType<typeof readBucketEventFile> {
  const file = join(folder, "bucket-events.json");
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  return readBucketEventFile(file);
}

const photos = { name: "photos", endpoint: "https://minio.example.com", buckets: ["photos"] };

test("bucket event file makes a source of each entry, by each way", async () => {
  const queueUrl = "https://sqs.eu-west-1.amazonaws.com/123456789012/uploads";
  const topics = ["arn:aws:sns:eu-west-1:123456789012:uploads"];
  const nats = { servers: ["nats://nats:4222"], auth: { token: secret } };
  const { sources, needsIngress } = await read([
    { ...photos, name: "webhook", webhook: { path: `/minio/${secret}` } },
    { ...photos, name: "mutual-tls", webhook: { path: "/minio", mutualTls: { subjects: ["CN=minio"] } } },
    { name: "sns", buckets: ["photos"], sns: { path: "/sns", topics } },
    { name: "sqs", provider: "s3", buckets: ["photos"], sqs: { queueUrl } },
    { ...photos, name: "nats", nats: { ...nats, subject: "buckets" } },
    { ...photos, name: "jetstream", jetStream: { ...nats, stream: "buckets", consumer: "storage-bucket" } },
  ]);
  assert.deepEqual(
    sources.map(({ name, delivery, durability }) => [name, delivery, durability]),
    [
      ["bucket-events-webhook", "atLeastOnce", "origin"],
      ["bucket-events-mutual-tls", "atLeastOnce", "origin"],
      ["bucket-events-sns", "atLeastOnce", "origin"],
      ["bucket-events-sqs", "atLeastOnce", "origin"],
      ["bucket-events-nats", "atMostOnce", "process"],
      ["bucket-events-jetstream", "atLeastOnce", "origin"],
    ],
  );
  assert.equal(needsIngress, true);
  assert.equal((await read([{ ...photos, nats: { ...nats, subject: "buckets" } }])).needsIngress, false);
});

test("bucket event file that is wrong is refused by its field, and nothing of it is quoted", async () => {
  const webhook = { path: `/minio/${secret}` };
  const sqs = { queueUrl: "https://sqs.eu-west-1.amazonaws.com/1/a" };
  for (const [value, text] of [
    [`{ "token": "${secret}`, /: it is no JSON$/],
    [{}, /: entries: /],
    [[], /: entries: /],
    [[{ ...photos }], /: entries\.0: give exactly one of webhook, sns, sqs, nats, jetStream$/],
    [[{ ...photos, webhook, sqs }], /: entries\.0: give exactly one of /],
    [[{ ...photos, webhook, buckets: [] }], /: entries\.0\.buckets: /],
    [[{ ...photos, webhook, provider: "gcs" }], /: entries\.0\.provider: /],
    [[{ ...photos, webhook: { path: secret } }], /: entries\.0\.webhook\.path: /],
    [[{ ...photos, webhook, more: 1 }], /: entries\.0: .*more/],
    [
      [{ ...photos, nats: { servers: ["nats://nats:4222"], subject: "a", auth: { tokn: secret } } }],
      /: entries\.0\.nats\.auth: /,
    ],
  ] as const) {
    await assert.rejects(read(value), (error) => {
      assert.ok(isCodedError(error, "InvalidConfig"), String(error));
      assert.match(error.message, text);
      assert.doesNotMatch(error.message, new RegExp(secret));
      return true;
    });
  }
  await assert.rejects(readBucketEventFile(join(folder, "missing")), (error) => isCodedError(error, "InvalidConfig"));
});

test("bucket event file names the entry of which no source can be made, or that shares what must be its own", async () => {
  const webhook = { path: `/minio/${secret}` };
  const good = { ...photos, webhook };
  for (const [second, text] of [
    [{ webhook: { path: "/minio" } }, /: entries\.1: .*its path can be guessed/],
    [{ webhook: { path: `/b/${secret}` }, endpoint: "minio" }, /: entries\.1: .*its endpoint is no URL/],
    [{ sqs: { queueUrl: "uploads" } }, /: entries\.1: .*queueUrl/],
    [{ name: "photos", webhook: { path: `/b/${secret}` } }, /: entries\.1: entries\.0 has the same name/],
    [{ webhook }, /: entries\.1: entries\.0 has the same path/],
    [
      { sns: { path: webhook.path, topics: ["arn:aws:sns:eu-west-1:1:a"] } },
      /: entries\.1: entries\.0 has the same path/,
    ],
  ] as const) {
    await assert.rejects(read([good, { ...photos, name: "more", ...second }]), (error) => {
      assert.ok(isCodedError(error, "InvalidConfig"), String(error));
      assert.match(error.message, text);
      assert.doesNotMatch(error.message, new RegExp(secret));
      return true;
    });
  }
});
