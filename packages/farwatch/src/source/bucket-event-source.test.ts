import assert from "node:assert/strict";
import { test } from "node:test";
import { instantOf } from "../clock/instant.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { untilAborted } from "../flow/until-aborted.ts";
import { request, type Sent } from "../ingress/scripted-sender.fixture.ts";
import { unguessablePath } from "../ingress/unguessable-path.ts";
import type { Verifier } from "../ingress/verifier.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import type { BucketChange } from "./bucket-change.ts";
import { type BucketEvent, type BucketEventSourceOptions, bucketEventSource } from "./bucket-event-source.ts";
import { channelSource } from "./channel-source.ts";
import { iterableSource } from "./iterable-source.ts";
import { opened } from "./pushed-source.fixture.ts";
import type { Source } from "./source.ts";
import { webhookSource } from "./webhook-source.ts";

const recordOf = (bucket: string, key: string) => ({
  eventName: "ObjectCreated:Put",
  eventTime: "2030-01-01T00:00:00.000Z",
  s3: { bucket: { name: bucket }, object: { key, size: 3, sequencer: "00A" } },
});
const notification = (...keys: readonly (readonly [string, string])[]): string =>
  JSON.stringify({ Records: keys.map(([bucket, key]) => recordOf(bucket, key)) });

/** A queue whose messages are texts, and how each was settled; `answer`: what it says to that. */
function queueOf(
  options: Omit<BucketEventSourceOptions, "from">,
  messages: readonly string[],
  answer: () => unknown = () => {},
) {
  const settled: string[] = [];
  const source = bucketEventSource({
    ...options,
    from: ({ read }) =>
      iterableSource(
        "queue",
        async function* ({ signal }) {
          yield* messages;
          await untilAborted(signal);
        },
        {
          durability: "origin",
          maxUnacknowledged: 10,
          event: (message) => ({
            type: "generic",
            object: read(message),
            ack: {
              done(): unknown {
                settled.push(`done ${message.length}`);
                return answer();
              },
              retry: (after) => settled.push(`retry ${message.length} ${after}`),
            },
          }),
        },
      ),
  } as BucketEventSourceOptions);
  const clock = createVirtualClock();
  const metrics = createMetrics();
  const hub = createScriptedHub({ clock, metrics });
  const watch = hub.subscribe(source, { name: "watch" });
  const stop = new AbortController();
  const closed = hub.open("leader", stop.signal);
  return {
    source,
    settled,
    async take() {
      const received = await watch.receive();
      assert.ok(received);
      return received;
    },
    async exposed(): Promise<string> {
      await clock.settle();
      return (await metrics.expose()).body;
    },
    settle: () => clock.settle(),
    async stop(): Promise<void> {
      stop.abort(new Error("no more"));
      await clock.advance("1m");
      await closed;
    },
  };
}

const s3 = { provider: "s3", buckets: ["photos", "videos"] } as const;

test("bucketEventSource says provider, endpoint and bucket of each event, and when it happened", async () => {
  const queue = queueOf({ ...s3, endpoint: "https://MinIO.example.com:443/" }, [notification(["photos", "a+b"])]);
  const { event } = await queue.take();
  const { object } = event;
  assert.deepEqual(
    { ...object, occurredAt: object.occurredAt.toISOString() },
    {
      provider: "s3",
      endpoint: "https://minio.example.com",
      bucket: "photos",
      key: "a b",
      type: "created",
      occurredAt: "2030-01-01T00:00:00.000Z",
      sequence: "00A",
      size: 3,
    },
  );
  assert.equal(event.type === "generic" && event.occurredAt, object.occurredAt);
});

test("bucketEventSource drops other buckets and what lies under .farwatch/, counted, and acknowledges them", async () => {
  const message = notification(
    ["others", "a"],
    ["photos", ".farwatch/cluster/uid"],
    ["photos", ".farwatch%2Fx"],
    ["__proto__", "a"],
  );
  const queue = queueOf(s3, [message, notification(["videos", "b"])]);
  const { event, hold } = await queue.take();
  assert.equal(event.object.bucket, "videos");
  hold.done();
  const text = await queue.exposed();
  assert.match(text, /^farwatch_source_ignored_events_total\{source="queue",reason="bucket"\} 2$/m);
  assert.match(text, /^farwatch_source_ignored_events_total\{source="queue",reason="key"\} 2$/m);
  assert.equal(queue.settled[0], `done ${message.length}`);
  assert.equal(queue.settled.length, 2);
});

// Promise 4
test("bucketEventSource acknowledges a message when all of its events are, and gives it back when one of them is", async () => {
  const [first, second] = [
    notification(["photos", "a"], ["videos", "b"]),
    notification(["photos", "a"], ["photos", "b"], ["photos", "c"]),
  ];
  const queue = queueOf(s3, [first, second]);
  const held: Awaited<ReturnType<typeof queue.take>>[] = [];
  for (let n = 0; n < 5; n += 1) held.push(await queue.take());
  held[1]?.hold.done();
  await queue.settle();
  assert.deepEqual(queue.settled, []);
  held[0]?.hold.done();
  held[3]?.hold.giveBack("7s");
  held[2]?.hold.done();
  await queue.settle();
  assert.deepEqual(queue.settled, [`done ${first.length}`]);
  held[4]?.hold.done();
  await queue.settle();
  assert.deepEqual(queue.settled, [`done ${first.length}`, `retry ${second.length} 7s`]);
});

test("bucketEventSource survives a message whose acknowledgement throws or rejects, and counts it", async () => {
  for (const answer of [() => assert.fail("queue gone"), async () => assert.fail("queue gone")]) {
    const queue = queueOf(s3, [notification(["others", "a"]), notification(["photos", "b"])], answer);
    const { hold } = await queue.take();
    hold.done();
    assert.match(await queue.exposed(), /^farwatch_source_acknowledgement_errors_total\{source="queue"\} 2$/m);
    assert.equal(queue.settled.length, 2);
    await queue.stop();
  }
});

test("bucketEventSource gives a message back of which it is not asked for all events any more", async () => {
  const message = notification(...Array.from({ length: 100 }, (_, n) => ["photos", `k${n}`] as const));
  const queue = queueOf(s3, [message]);
  const { hold } = await queue.take();
  hold.done();
  await queue.stop();
  assert.equal(queue.settled.length, 1);
  assert.match(queue.settled[0] ?? "", /^retry/);
});

// Promise 1
test("bucketEventSource keeps what is left of a message for the next opening, where nobody else would deliver it again", async () => {
  const carrier = channelSource<readonly BucketChange[]>({ maxUnacknowledged: 1 });
  const changes = ["a", "b", "c"].map(
    (key): BucketChange => ({ bucket: "photos", key, type: "created", occurredAt: instantOf(0) }),
  );
  const hub = createScriptedHub({ clock: createVirtualClock() });
  const watch = hub.subscribe(bucketEventSource({ ...s3, from: () => carrier }), { name: "watch" });
  const lead = opened({ hub });
  await carrier.send(changes);
  const first = await watch.receive();
  assert.equal(first?.event.object.key, "a");
  await lead.close();
  first?.hold.done();
  const next = opened({ hub });
  for (const key of ["b", "c"]) {
    const received = await watch.receive();
    assert.equal(received?.event.object.key, key);
    received?.hold.done();
  }
  await next.close();
});

test("bucketEventSource is what the source is that carries it", () => {
  const carrier = channelSource<readonly BucketChange[]>({ name: "carrier" });
  const { name, delivery, durability, capacity, overflow } = bucketEventSource({ ...s3, from: () => carrier });
  assert.deepEqual(
    [name, delivery, durability, capacity, overflow],
    ["carrier", carrier.delivery, carrier.durability, carrier.capacity, carrier.overflow],
  );
});

test("bucketEventSource throws at a message that it cannot read, naming the field and quoting nothing", () => {
  let read: (message: string | Uint8Array) => unknown = () => assert.fail("it was not called");
  const from: BucketEventSourceOptions["from"] = (notifications) => {
    read = notifications.read;
    return channelSource<readonly BucketChange[]>();
  };
  const account = "/subscriptions/0/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/photos";
  bucketEventSource({ ...s3, from });
  const throws = (message: string | Uint8Array, text: RegExp): void =>
    assert.throws(
      () => read(message),
      (error) => isCodedError(error, "ProtocolError") && text.test(error.message),
    );
  throws("secret", /: the body is no JSON$/);
  throws(Buffer.from([0xff]), /: the body is no UTF-8$/);
  throws('{"Records":[{"eventName":"secret"}]}', /: Records.0.s3.bucket.name is missing$/);
  bucketEventSource({ provider: "azure", topic: account, buckets: ["uploads"], from });
  const event = {
    id: "1",
    subject: "/blobServices/default/containers/uploads/blobs/a",
    eventType: "x",
    eventTime: "2030-01-01T00:00:00Z",
  };
  throws(JSON.stringify({ ...event, topic: `${account}2` }), /: topic is another$/);
  assert.deepEqual((read(JSON.stringify([{ ...event, topic: account }])) as readonly BucketChange[])[0]?.key, "a");
});

test("bucketEventSource refuses options that match nothing, or everything", () => {
  const from: BucketEventSourceOptions["from"] = () => channelSource<readonly BucketChange[]>();
  for (const wrong of [
    { ...s3, buckets: [] },
    { ...s3, buckets: [""] },
    { ...s3, endpoint: "minio.example.com" },
    { ...s3, endpoint: "https://minio.example.com/path" },
    { ...s3, endpoint: "https://user@minio.example.com" },
    { ...s3, endpoint: "ftp://minio.example.com" },
    { provider: "azure", topic: "photos", buckets: ["uploads"] },
  ] as const) {
    assert.throws(
      () => bucketEventSource({ ...wrong, from }),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
  const minio = { ...s3, provider: "minio" as "s3" };
  assert.throws(() => bucketEventSource({ ...minio, from }), /provider is "minio", give "s3" for all that speaks/);
  const coalescing = { ...channelSource<readonly BucketChange[]>(), overflow: { coalesce: () => "" } };
  assert.throws(() => bucketEventSource({ ...s3, from: () => coalescing }), /leave out its overflow/);
});

const believing: Verifier = {
  covers: "request",
  challenge: "None",
  verify: async () => ({ identity: "anybody" }),
};

/** A webhook, and everything that it has told. */
async function hookOf(
  options: Omit<BucketEventSourceOptions, "from">,
  auth: Verifier = believing,
  path: `/${string}` = "/hook",
) {
  const clock = createVirtualClock();
  const hub = createScriptedHub({ clock });
  const source = bucketEventSource({
    ...options,
    from: ({ body }) => webhookSource({ path, auth, body, deliver: "leader-only" }),
  } as BucketEventSourceOptions);
  const watch = hub.subscribe(source, { name: "watch" });
  const closed = hub.open("leader", new AbortController().signal);
  closed.catch(() => {});
  await clock.settle();
  const events: BucketEvent[] = [];
  const work = async (): Promise<void> => {
    for (let next = await watch.receive(); next !== undefined; next = await watch.receive()) {
      events.push(next.event.object);
      next.hold.done();
    }
  };
  work().catch(assert.fail);
  return {
    events,
    async post(body: unknown, sent: Sent = {}): Promise<readonly [number, string | undefined]> {
      const headers = { "content-type": "application/json; charset=utf-8", ...sent.headers };
      const answer = await hub.ingress.answer(request({ path, body: JSON.stringify(body), ...sent, headers }));
      await clock.settle();
      return [answer.status, answer.body];
    },
  };
}

test("bucketEventSource behind a webhook takes what versitygw sends, its test event too", async () => {
  const path = "/versitygw/x7Hq2LmVb9TzKc4RwN8sYd";
  const hook = await hookOf(s3, unguessablePath(), path);
  assert.deepEqual(
    await hook.post({ Service: "S3", Event: "s3:TestEvent", Time: "2030-01-01T00:00:00Z", Bucket: "Test-Bucket" }),
    [202, undefined],
  );
  assert.deepEqual(hook.events, []);
  assert.deepEqual(await hook.post({ Records: [recordOf("photos", "a"), recordOf("videos", "b")] }), [202, undefined]);
  assert.deepEqual(
    hook.events.map(({ bucket, key }) => [bucket, key]),
    [
      ["photos", "a"],
      ["videos", "b"],
    ],
  );
  assert.deepEqual(await hook.post({ Records: {} }), [400, "Records is no array"]);
});

test("bucketEventSource behind a webhook takes a push of Pub/Sub once", async () => {
  const hook = await hookOf({ provider: "gcs", buckets: ["photos"] });
  const attributes = {
    bucketId: "photos",
    objectId: "a",
    eventType: "OBJECT_DELETE",
    eventTime: "2030-01-01T00:00:00Z",
  };
  const push = { message: { attributes, data: "", messageId: "1" }, subscription: "projects/p/subscriptions/s" };
  for (let times = 0; times < 2; times += 1) assert.deepEqual(await hook.post(push), [202, undefined]);
  assert.deepEqual(
    hook.events.map(({ provider, key, type }) => [provider, key, type]),
    [["gcs", "a", "deleted"]],
  );
  assert.deepEqual(await hook.post({ message: {} }), [400, "message.attributes.bucketId is missing"]);
});

test("bucketEventSource behind a webhook shakes hands with Event Grid, and takes its events in both schemas", async () => {
  const topic = "/subscriptions/0/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/photos";
  const hook = await hookOf({ provider: "azure", topic, buckets: ["uploads"] });
  const handshake = { method: "OPTIONS", headers: { "webhook-request-origin": "eventgrid.azure.net" } };
  assert.equal((await hook.post({}, handshake))[0], 200);
  const validation = {
    id: "1",
    topic,
    eventType: "Microsoft.EventGrid.SubscriptionValidationEvent",
    eventTime: "2030-01-01T00:00:00Z",
    data: { validationCode: "512d38b6" },
  };
  assert.deepEqual(await hook.post([validation]), [200, '{"validationResponse":"512d38b6"}']);
  assert.equal((await hook.post([{ ...validation, topic: `${topic}2` }]))[0], 403);

  const subject = "/blobServices/default/containers/uploads/blobs/a";
  const inventory = {
    id: "9",
    topic,
    subject: "",
    eventType: "Microsoft.Storage.BlobInventoryPolicyCompleted",
    eventTime: "2030-01-01T00:00:00Z",
  };
  const created = {
    id: "2",
    topic,
    subject,
    eventType: "Microsoft.Storage.BlobCreated",
    eventTime: "2030-01-01T00:00:00Z",
  };
  const deleted = {
    specversion: "1.0",
    id: "3",
    source: topic,
    subject,
    type: "Microsoft.Storage.BlobDeleted",
    time: "2030-01-01T00:00:00Z",
  };
  assert.equal((await hook.post([created, inventory]))[0], 202);
  assert.equal((await hook.post([created]))[0], 202);
  assert.equal((await hook.post(deleted, { headers: { "content-type": "application/cloudevents+json" } }))[0], 202);
  assert.deepEqual(
    hook.events.map(({ bucket, type }) => [bucket, type]),
    [
      ["uploads", "created"],
      ["uploads", "deleted"],
    ],
  );
});

test("bucketEventSource behind a webhook for Amazon answers OPTIONS with 405", async () => {
  const hook = await hookOf(s3);
  assert.equal((await hook.post({}, { method: "OPTIONS" }))[0], 405);
});

test("bucketEventSource keeps what its carrier declares and promises, though it is an instance of a class", async () => {
  class Carrier implements Source<readonly BucketChange[]> {
    readonly name = "carrier";
    readonly delivery = "atLeastOnce";
    readonly overflow = "wait";
    readonly #capacity = 7;
    declared = 0;
    get durability(): "origin" {
      return "origin";
    }
    get capacity(): number {
      return this.#capacity;
    }
    declare(): Disposable {
      this.declared += 1;
      return { [Symbol.dispose]() {} };
    }
    async *events(): AsyncGenerator<GenericEvent<readonly BucketChange[]>> {}
  }
  const carrier = new Carrier();
  const source = bucketEventSource({ ...s3, from: () => carrier });
  assert.deepEqual([source.name, source.durability, source.capacity], ["carrier", "origin", 7]);
  createScriptedHub({ clock: createVirtualClock() }).subscribe(source, { name: "watch" });
  assert.equal(carrier.declared, 1);
});
