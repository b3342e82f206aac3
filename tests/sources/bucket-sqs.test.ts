// Notifications of Amazon S3 that come through a queue, as S3 and SNS put them there.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startSqs } from "@farwatch/testing";
import { bucketEventSource, sqsSource } from "farwatch";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { deadLetters } from "./dead-letters.ts";
import { openSource } from "./opened-source.ts";
import { createQueue } from "./sqs-queues.ts";

const { server, skip } = await availableServer(startSqs);

function notification(...keys: readonly string[]): string {
  const recordOf = (key: string) => ({
    eventVersion: "2.1",
    eventSource: "aws:s3",
    awsRegion: "eu-west-1",
    eventTime: "2030-01-01T00:00:00.000Z",
    eventName: "ObjectCreated:Put",
    s3: { bucket: { name: "photos" }, object: { key, size: 1, sequencer: "00" } },
  });
  return JSON.stringify({ Records: keys.map(recordOf) });
}

/** As SNS puts it into a queue without raw message delivery. */
function enveloped(message: string): string {
  const TopicArn = "arn:aws:sns:eu-west-1:123456789012:uploads";
  return JSON.stringify({
    Type: "Notification",
    MessageId: "1",
    TopicArn,
    Subject: "Amazon S3 Notification",
    Message: message,
  });
}

test("bucketEventSource takes notifications out of SQS, bare and in the envelope of SNS, and deletes those that tell of nothing", {
  skip,
}, async () => {
  assert.ok(server);
  await using queue = await createQueue(server);
  const { letters, remember } = deadLetters();
  const from = sourceOf(queue.at, remember);
  await using source = openSource(from);
  const testEvent = JSON.stringify({ Service: "Amazon S3", Event: "s3:TestEvent", Bucket: "photos" });
  await queue.send([
    testEvent,
    enveloped(testEvent),
    notification("red+flower.jpg", ".farwatch/a", "b"),
    enveloped(notification("c")),
  ]);
  const taken = await source.take(3);
  assert.deepEqual(taken.map(({ event }) => event.object.key).toSorted(), ["b", "c", "red flower.jpg"]);
  await eventually("test events are deleted", async () => (await queue.left()) === 2);
  for (const { hold } of taken) hold.done();
  await eventually("all are deleted", async () => (await queue.left()) === 0);
  assert.deepEqual(letters, []);

  await queue.send(["no JSON", '{"Records":{}}']);
  await eventually("what cannot be read is a dead letter", () => letters.length === 2);
  assert.deepEqual(letters.map(({ reason }) => reason).toSorted(), [
    "its body cannot be read: Cannot read a notification of a bucket: Records is no array",
    "its body cannot be read: Cannot read a notification of a bucket: the body is no JSON",
  ]);
});

function sourceOf(at: Parameters<typeof sqsSource>[0], onDeadLetter: ReturnType<typeof deadLetters>["remember"]) {
  return bucketEventSource({
    provider: "s3",
    buckets: ["photos"],
    from: ({ read }) => sqsSource({ ...at, onDeadLetter, read: ({ body }) => read(body) }),
  });
}
