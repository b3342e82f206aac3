import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { after, before, test } from "node:test";
import { createCertificateAuthority, type S3Credentials, startVersitygw, type Versitygw } from "@farwatch/testing";
import { isCodedError } from "farwatch";

const owner: S3Credentials = { accessKeyId: "owner", secretAccessKey: "owner-secret" };
const other: S3Credentials = { accessKeyId: "other", secretAccessKey: "other-secret" };

let s3: Versitygw;
before(async () => {
  s3 = await startVersitygw({ users: [owner, other] });
  await s3.createBucket("owned", { owner });
  await s3.createBucket("shared");
  await s3.putBucketPolicy("shared", {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: [other.accessKeyId] },
        Action: "s3:ListBucket",
        Resource: "arn:aws:s3:::shared",
      },
    ],
  });
});
after(() => s3[Symbol.asyncDispose]());

/** The answer to HEAD, and the code that the same GET explains it with. */
async function probe(credentials: S3Credentials, bucket: string): Promise<readonly [number, string | undefined]> {
  const head = await s3.request(credentials, { method: "HEAD", path: `/${bucket}` });
  const list = await s3.request(credentials, {
    method: "GET",
    path: `/${bucket}`,
    query: { "list-type": "2", "max-keys": "1" },
  });
  return [head.status, /<Code>(\w+)<\/Code>/.exec(list.text)?.[1]];
}

test("versitygw lets a bucket's owner and the admin in, and whom a policy allows", async () => {
  assert.deepEqual(await probe(owner, "owned"), [200, undefined]);
  assert.deepEqual(await probe(s3.admin, "owned"), [200, undefined]);
  assert.deepEqual(await probe(other, "shared"), [200, undefined]);
});

test("versitygw answers 403 to HEAD for a missing permission, a wrong secret and an unknown key, and tells them apart to GET", async () => {
  assert.deepEqual(await probe(other, "owned"), [403, "AccessDenied"]);
  assert.deepEqual(await probe({ ...owner, secretAccessKey: "wrong" }, "owned"), [403, "SignatureDoesNotMatch"]);
  assert.deepEqual(await probe({ accessKeyId: "nobody", secretAccessKey: "x" }, "owned"), [403, "InvalidAccessKeyId"]);
  assert.deepEqual(await probe(owner, "missing"), [404, "NoSuchBucket"]);
});

test("versitygw knows a user from when it was created", async () => {
  const late: S3Credentials = { accessKeyId: "late", secretAccessKey: "late-secret" };
  assert.deepEqual(await probe(late, "owned"), [403, "InvalidAccessKeyId"]);
  await s3.createUser(late);
  assert.deepEqual(await probe(late, "owned"), [403, "AccessDenied"]);
  await assert.rejects(s3.createUser(late), (error) => {
    assert.ok(isCodedError(error, "BadRequest"));
    assert.match(error.message, /^Cannot run versitygw admin create-user: .*already exists/);
    assert.ok(!error.message.includes(late.secretAccessKey));
    return true;
  });
});

test("versitygw keeps buckets, users and port over a kill and a restart", async () => {
  const { pid } = s3;
  s3.kill();
  await s3.restart();
  assert.notEqual(s3.pid, pid);
  assert.deepEqual(await probe(owner, "owned"), [200, undefined]);
  assert.deepEqual(await probe(other, "shared"), [200, undefined]);
});

test("versitygw refuses what it cannot do with its own words", async () => {
  await assert.rejects(s3.createBucket("owned"), {
    code: "BadRequest",
    message: /^Cannot create bucket owned: versitygw answers 409 [\s\S]*BucketAlreadyExists/,
  });
  await s3.createBucket("short-lived");
  await s3.deleteBucket("short-lived");
  assert.deepEqual(await probe(s3.admin, "short-lived"), [404, "NoSuchBucket"]);
});

test("versitygw serves https with a given certificate", async () => {
  const authority = await createCertificateAuthority();
  const issued = await authority.issue({ commonName: "s3", hosts: ["127.0.0.1"], usage: "server" });
  await using secure = await startVersitygw({ users: [owner], tls: { ...issued, ca: authority.cert } });
  assert.match(secure.url, /^https:/);
  await secure.createBucket("owned", { owner });
  assert.equal((await secure.request(owner, { method: "HEAD", path: "/owned" })).status, 200);
});

test("versitygw that does not start says so with the end of its log, and leaves the log", async () => {
  const error: unknown = await startVersitygw({ flags: ["--no-such-flag"] }).catch((thrown: unknown) => thrown);
  assert.ok(isCodedError(error, "ServerUnavailable"), String(error));
  const found = /^Cannot start versitygw: it ended with exit code 1; its log is (\S+)\/versitygw\.log and ends:\n/.exec(
    error.message,
  );
  assert.match(error.message, /no-such-flag/);
  assert.ok(found?.[1] !== undefined && existsSync(`${found[1]}/versitygw.log`));
  await rm(found[1], { recursive: true });
});
