// What a real S3 server tells of keys that must be encoded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startNatsServer, startVersitygw } from "@farwatch/testing";
import { type BucketEvent, bucketEventSource, natsSource } from "farwatch";
import { availableServer } from "./available-server.ts";
import { createNatsPublisher } from "./nats-publisher.ts";
import { type OpenedSource, openSource } from "./opened-source.ts";

const { server: nats, skip } = await availableServer(startNatsServer);

async function nextOf(source: OpenedSource<BucketEvent>): Promise<readonly [string, string, number | undefined]> {
  const { event, hold } = await source.next();
  hold.done();
  const { bucket, key, type, size } = event.object;
  assert.equal(bucket, "photos");
  return [type, key, type === "created" ? size : undefined];
}

test("bucketEventSource gives keys as they were put into versitygw, whatever had to be encoded", { skip }, async () => {
  assert.ok(nats);
  const subject = "buckets";
  await using s3 = await startVersitygw({ flags: ["--event-nats-url", nats.url, "--event-nats-topic", subject] });
  await s3.createBucket("photos");
  await s3.createBucket("others");
  const { url: servers } = nats;
  await using source = openSource(
    bucketEventSource({
      provider: "s3",
      endpoint: s3.url,
      buckets: ["photos"],
      from: ({ read }) => natsSource({ servers, subject, read: ({ data }) => read(data) }),
    }),
  );
  await createNatsPublisher(nats).publishHeard(subject, '{"Event":"s3:TestEvent"}');

  const put = async (bucket: string, key: string): Promise<void> => {
    const path = `/${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
    const { status, text } = await s3.request(s3.admin, { method: "PUT", path, body: "hello" });
    assert.equal(status, 200, text);
  };
  for (const key of ["a.jpg", "2030/red flower.jpg", "a+b", "100%", "20%20", "äβ😀", "a&b=c"]) {
    await put("others", key);
    await put("photos", `.farwatch/${key}`);
    await put("photos", key);
    assert.deepEqual(await nextOf(source), ["created", key, 5]);
  }

  const path = `/photos/${encodeURIComponent("a+b")}`;
  assert.equal((await s3.request(s3.admin, { method: "DELETE", path })).status, 204);
  assert.deepEqual(await nextOf(source), ["deleted", "a+b", undefined]);
});
