import assert from "node:assert/strict";
import { test } from "node:test";
import { type BucketChange, bucketEventSource, channelSource, instantOf } from "farwatch";
import { startVirtualOperator, type VirtualOperator } from "./virtual-operator.fixture.ts";

const minio = "https://minio.example.com";

/** A source of bucket events, and the way in. */
function toldOf({
  endpoint,
  buckets = ["photos"],
}: {
  readonly endpoint?: string;
  readonly buckets?: readonly string[];
}) {
  const told = channelSource<readonly BucketChange[]>({ capacity: 10_000 });
  return {
    source: bucketEventSource({ provider: "s3", endpoint, buckets, from: () => told }),
    tell(bucket: string, ...keys: readonly string[]): Promise<void> {
      const changes = keys.map((key) => ({ bucket, key, type: "created", occurredAt: instantOf(0) }) as const);
      return told.send(changes);
    },
  };
}

/** Patches of StorageBuckets themselves: annotations. */
const annotations = ({ writes }: VirtualOperator) =>
  writes.flatMap(({ asked }) =>
    asked?.verb === "patch" && asked.resource === "storagebuckets" && asked.subresource === undefined ? [asked] : [],
  );

test("operator probes at once each bucket that names the bucket of an event, and no other", async () => {
  const events = toldOf({ endpoint: minio, buckets: ["photos", "videos"] });
  await using operator = await startVirtualOperator({ bucketEvents: [events.source] });
  const asked: string[] = [];
  operator.s3.on({}, ({ url }) => {
    asked.push(url);
    return {};
  });
  const probe = { periodSeconds: 0 };
  await operator.bucket("photos", { probe });
  await operator.bucket("same", { probe, s3: { bucket: "photos", endpoint: `${minio}:443/` } });
  await operator.bucket("elsewhere", { probe, s3: { bucket: "photos", endpoint: "https://other.example.com" } });
  await operator.bucket("amazon", { probe, s3: { bucket: "photos", endpoint: undefined } });
  await operator.bucket("videos", { probe, s3: { bucket: "videos" } });
  await operator.bucket("suspended", { probe, suspend: true });
  await operator.advance("60s");
  asked.length = 0;

  await events.tell("photos", "a");
  await operator.advance("1s");
  assert.deepEqual(asked, [`${minio}/photos`, `${minio}/photos`]);
  assert.equal(annotations(operator).length, 2);
  for (const name of ["photos", "same"]) {
    const { metadata } = operator.objectOf(name);
    assert.equal(operator.statusOf(name).lastHandledRequest, metadata.annotations?.["farwatch.dev/requested-at"]);
  }
  await events.tell("videos", "a");
  await operator.advance("1s");
  assert.equal(asked.at(-1), `${minio}/videos`);
  assert.equal(asked.length, 3);
});

test("operator takes Amazon's buckets for the same, whichever of its endpoints they name", async () => {
  const events = toldOf({});
  await using operator = await startVirtualOperator({ bucketEvents: [events.source] });
  operator.s3.on({}, {});
  const probe = { periodSeconds: 0 };
  const endpoint = "https://s3.eu-west-1.amazonaws.com";
  await operator.bucket("named", { probe, s3: { endpoint, region: "eu-west-1" } });
  await operator.bucket("fake", { probe, s3: { endpoint: "https://s3.amazonaws.com.example.com" } });
  await operator.advance("60s");
  await events.tell("photos", "a");
  await operator.advance("1s");
  assert.deepEqual(
    annotations(operator).map(({ name }) => name),
    ["named"],
  );
});

test("operator answers 10,000 uploads within ten seconds with four probes at the most, the last one included", async () => {
  const events = toldOf({ endpoint: minio });
  await using operator = await startVirtualOperator({ bucketEvents: [events.source] });
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { periodSeconds: 0 } });
  await operator.advance("60s");
  const before = operator.askedAt.length;
  for (let tenth = 0; tenth < 100; tenth += 1) {
    await events.tell("photos", ...Array.from({ length: 100 }, (_, n) => `${tenth}-${n}`));
    await operator.advance("100ms");
  }
  await operator.advance("60s");
  const probes = operator.askedAt.slice(before);
  assert.ok(probes.length >= 3 && probes.length <= 4, `probed at ${probes.join(", ")}`);
  assert.ok((probes.at(-1) ?? 0) >= 70, "the last uploads were not answered");
  const { metadata } = operator.objectOf("photos");
  assert.equal(operator.statusOf("photos").lastHandledRequest, metadata.annotations?.["farwatch.dev/requested-at"]);
  const { length } = annotations(operator);
  assert.ok(length >= 2 && length <= 12, `${length} annotations`);
});

test("operator is woken by nothing under .farwatch/", async () => {
  const events = toldOf({ endpoint: minio });
  await using operator = await startVirtualOperator({ bucketEvents: [events.source] });
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { periodSeconds: 0 } });
  await operator.advance("60s");
  await events.tell("photos", ".farwatch/cluster/uid");
  await operator.advance("60s");
  assert.equal(operator.askedAt.length, 1);
  assert.deepEqual(annotations(operator), []);
});

test("operator that takes over probes for an event that the one before has stored and not answered", async () => {
  const events = toldOf({ endpoint: minio });
  await using operator = await startVirtualOperator({ bucketEvents: [events.source] });
  operator.s3.on({}, {});
  await operator.bucket("photos", { probe: { periodSeconds: 0 } });
  await operator.advance("60s");
  operator.s3.on({}, { silent: true });
  await events.tell("photos", "a");
  await operator.advance("1s");
  await operator.run.stop();
  operator.s3.on({}, {});
  await operator.restart();
  await operator.advance("60s");
  const { metadata } = operator.objectOf("photos");
  assert.equal(operator.statusOf("photos").lastHandledRequest, metadata.annotations?.["farwatch.dev/requested-at"]);
});
