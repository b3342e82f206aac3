import assert from "node:assert/strict";
import { test } from "node:test";
import type { Secret } from "farwatch";
import fc from "fast-check";
import { credentialsSecretType } from "../resource/storage-bucket.ts";
import { type BucketSecret, readBucketSecret } from "./bucket-secret.ts";

function secretOf(data: Readonly<Record<string, string>>, type = credentialsSecretType): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "default", name: "keys", uid: "1", resourceVersion: "1" },
    type,
    data: Object.fromEntries(encoded),
  };
}

function usable(data: Readonly<Record<string, string>>): BucketSecret {
  const read = readBucketSecret(secretOf(data));
  return "problem" in read ? assert.fail(read.problem) : read;
}

const pair = { accessKeyId: "AK", secretAccessKey: "SK" };

test("bucket secret takes keys with the newline that they were pasted with", () => {
  assert.deepEqual(usable({ accessKeyId: "AK\n", secretAccessKey: " SK\r\n" }).credentials, pair);
  assert.deepEqual(usable({ ...pair, sessionToken: "" }).credentials, pair);
  assert.deepEqual(usable({ ...pair, sessionToken: "ST\n" }).credentials, { ...pair, sessionToken: "ST" });
});

test("bucket secret goes to the provider's own hosts over TLS when it names no others", () => {
  const { allows } = usable(pair);
  const to = (host: string, port = 443, secure = true): boolean => allows({ host, port, secure });
  for (const host of [
    "s3.us-east-1.amazonaws.com",
    "photos.s3.eu-west-1.amazonaws.com",
    "my.dotted.photos.s3.eu-west-1.amazonaws.com",
    "s3.amazonaws.com",
    "s3.cn-north-1.amazonaws.com.cn",
    "s3.dualstack.us-east-1.amazonaws.com",
    "s3-fips.us-gov-west-1.amazonaws.com",
  ])
    assert.equal(to(host), true, host);
  for (const host of [
    "minio.example.com",
    "s3.us-east-1.amazonaws.com.evil.example",
    "evils3.us-east-1.amazonaws.com",
    "s3.us-east-1.evilamazonaws.com",
    "ec2.us-east-1.amazonaws.com",
    "amazonaws.com",
    "s3.us-east-1.amazonaws.com.",
    "",
  ])
    assert.equal(to(host), false, host);
  assert.equal(to("s3.amazonaws.com", 8443), false);
  assert.equal(to("s3.amazonaws.com", 443, false), false);
});

test("bucket secret goes to the exact hosts and ports that it names, and to no others", () => {
  const { allows } = usable({
    ...pair,
    allowedEndpoints: "minio.example.com, Ceph.store.svc:9000\n[fd12::1]:9000 10.0.0.1:80",
  });
  const to = (host: string, port: number): boolean => allows({ host, port, secure: false });
  for (const [host, port] of [
    ["minio.example.com", 443],
    ["ceph.store.svc", 9000],
    ["fd12::1", 9000],
    ["10.0.0.1", 80],
  ] as const) {
    assert.equal(to(host, port), true, host);
    assert.equal(to(host, port + 1), false, host);
    assert.equal(to(`sub.${host}`, port), false, host);
  }
  assert.equal(to("s3.us-east-1.amazonaws.com", 443), false);
});

test("bucket secret refuses an allowed endpoint that is no host", () => {
  for (const entry of [
    "https://minio.example.com",
    "minio.example.com/photos",
    "user@minio",
    "minio:port",
    "minio:99999",
    "a?b",
    "[::1",
  ]) {
    assert.deepEqual(readBucketSecret(secretOf({ ...pair, allowedEndpoints: entry })), {
      problem: "Secret keys has a key allowedEndpoints with an entry that is not host[:port]",
    });
  }
});

test("bucket secret refuses a long host name as fast as a short one", () => {
  const { allows } = usable(pair);
  // Names like this take a careless pattern time that doubles with each part.
  for (const host of [
    `s3${"-a".repeat(1_000)}.example`,
    `s3${"-".repeat(2_000)}`,
    `${"s3.".repeat(700)}x`,
    `${"a-".repeat(1_000)}s3`,
  ]) {
    assert.equal(allows({ host, port: 443, secure: true }), false);
  }
});

test("bucket secret never puts a header in the place of a key, and never repeats one in a problem", () => {
  const text = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(text, text, text, (accessKeyId, secretAccessKey, sessionToken) => {
      const read = readBucketSecret(secretOf({ accessKeyId, secretAccessKey, sessionToken }));
      if ("problem" in read) {
        assert.match(
          read.problem,
          /^Secret keys has (?:no key|a key) (?:accessKeyId|secretAccessKey|sessionToken)(?: that is not plain printable text)?$/,
        );
      } else {
        for (const value of Object.values(read.credentials)) assert.match(value, /^[\x21-\x7e]+$/);
      }
    }),
  );
});
