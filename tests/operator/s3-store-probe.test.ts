import assert from "node:assert/strict";
import { test } from "node:test";
import { createS3Store, type S3Store, type StoreFault } from "@farwatch/testing";
import { createVirtualClock, type VirtualClock } from "farwatch/doubles";
import { createS3Probe, type S3Probe } from "storage-bucket";

const owner = { accessKeyId: "owner", secretAccessKey: "owner-secret" };
const stranger = { accessKeyId: "stranger", secretAccessKey: "stranger-secret" };

interface Stage {
  readonly clock: VirtualClock;
  readonly store: S3Store;
  probe(change?: Change): ReturnType<S3Probe>;
}

interface Change {
  readonly bucket?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly addressing?: "Path" | "VirtualHost";
  /** Null: anonymous. */
  readonly keys?: typeof owner | null;
}

function stage(buckets: Parameters<typeof createS3Store>[0]["buckets"] = { photos: { owner: "owner" } }): Stage {
  const clock = createVirtualClock();
  const store = createS3Store({ clock, users: [owner, stranger], buckets });
  const ask = createS3Probe({ transport: store.transport, clock, env: {} });
  return {
    clock,
    store,
    async probe({ bucket = "photos", endpoint = "https://s3.test", keys = owner, addressing, region } = {}) {
      const probing = ask(
        {
          spec: { bucket, endpoint, addressing: addressing ?? "Auto", ...(region === undefined ? {} : { region }) },
          secret: keys === null ? undefined : { credentials: keys, allows: () => true },
          ca: undefined,
          connectPolicy: () => {},
          timeoutMs: 5_000,
        },
        new AbortController().signal,
      );
      await clock.advance("1m");
      return await probing;
    },
  };
}

test("probe tells the six outcomes of the demo apart on the store in this process, in virtual time", async () => {
  const cases: readonly (readonly [string, Change, StoreFault | undefined, readonly unknown[]])[] = [
    ["healthy", {}, undefined, ["Available", 200, 0, "the bucket answered the probe"]],
    ["missing bucket", { bucket: "missing" }, undefined, ["BucketNotFound", 404, 0, "bucket missing does not exist"]],
    [
      "wrong secret",
      { keys: { ...owner, secretAccessKey: "wrong" } },
      undefined,
      ["InvalidCredentials", 403, 0, "the service does not accept the credentials"],
    ],
    [
      "no permission",
      { keys: stranger },
      undefined,
      ["AccessDenied", 403, 0, "access to bucket photos is denied; on AWS the probe needs s3:ListBucket"],
    ],
    [
      "connection refused",
      {},
      { kind: "refused" },
      ["ConnectionRefused", undefined, 0, "s3.test refused the connection"],
    ],
    ["silent", {}, { kind: "silent" }, ["Timeout", undefined, 5_000, "s3.test did not answer within 5000 ms"]],
  ];
  for (const [name, change, fault, expected] of cases) {
    const { store, probe } = stage();
    if (fault !== undefined) store.faults.add(fault);
    const { reason, httpStatus, durationMs, message } = await probe(change);
    assert.deepEqual([reason, httpStatus, durationMs, message], expected, name);
    assert.equal(store.transport.inFlight, 0, name);
  }
});

test("probe names what each other fault of the store is", async () => {
  const cases: readonly (readonly [StoreFault, string])[] = [
    [{ kind: "dnsFailure" }, "DNSFailure"],
    [{ kind: "tlsFailure" }, "TLSFailure"],
    [{ kind: "reset" }, "ConnectionFailed"],
    [{ kind: "lostResponse" }, "ConnectionFailed"],
    [{ kind: "slow", by: "4s" }, "Available"],
    [{ kind: "slow", by: "6s" }, "Timeout"],
    [{ kind: "slow", by: "6s", on: "request" }, "Timeout"],
    [{ kind: "throttled" }, "Throttled"],
    [{ kind: "serverError" }, "ServerError"],
    [{ kind: "accessDenied" }, "AccessDenied"],
    [{ kind: "bucketDeleted" }, "BucketNotFound"],
    [{ kind: "clockSkew" }, "ClockSkew"],
    [
      { kind: "status", status: 200, headers: { "content-type": "text/html" }, body: "<p>Log in</p>" },
      "UnexpectedResponse",
    ],
    [{ kind: "status", status: 502 }, "ServerError"],
  ];
  for (const [fault, reason] of cases) {
    const { store, probe } = stage();
    using _ = store.faults.add(fault);
    assert.equal((await probe()).reason, reason, JSON.stringify(fault));
    assert.equal(store.transport.inFlight, 0);
  }
});

test("probe finds out where a bucket lives, and says so when the spec says otherwise", async () => {
  const elsewhere = { photos: { owner: "owner", region: "eu-central-1" } };
  const global = { endpoint: "https://s3.amazonaws.com", addressing: "VirtualHost" } as const;
  const found = await stage(elsewhere).probe(global);
  assert.deepEqual([found.reason, found.region], ["Available", "eu-central-1"]);
  const wrong = await stage(elsewhere).probe({ ...global, region: "us-west-2" });
  assert.deepEqual(
    [wrong.reason, wrong.message],
    ["WrongRegion", "bucket photos is in region eu-central-1, the spec says us-west-2"],
  );
});

test("probe asks a public bucket unsigned, and by virtual host", async () => {
  const { probe, store } = stage({ photos: { anonymous: ["list"] }, private: { owner: "owner" } });
  assert.equal((await probe({ keys: null, addressing: "VirtualHost" })).reason, "Available");
  assert.equal((await probe({ keys: null, bucket: "private" })).reason, "AccessDenied");
  assert.deepEqual(
    store.requests.map(({ user, bucket, operation }) => [user, bucket, operation]),
    [
      [undefined, "photos", "HeadBucket"],
      [undefined, "private", "HeadBucket"],
      [undefined, "private", "ListObjectsV2"],
    ],
  );
});
