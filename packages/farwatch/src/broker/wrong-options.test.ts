import assert from "node:assert/strict";
import { test } from "node:test";
import { jetStreamSource } from "./jetstream-source.ts";
import { kafkaSource } from "./kafka-source.ts";
import { natsSource } from "./nats-source.ts";
import { postgresNotifySource } from "./postgres-notify-source.ts";
import { postgresOutboxSource } from "./postgres-outbox-source.ts";
import { redisStreamSource } from "./redis-stream-source.ts";
import { sqsSource } from "./sqs-source.ts";

type Options = Readonly<Record<string, unknown>>;

/** As plain JavaScript calls it. */
const plain =
  (make: unknown, right: Options) =>
  (wrong: Options): unknown =>
    (make as (options: Options) => unknown)({ ...right, ...wrong });

function refuses(make: (wrong: Options) => unknown, wrong: Options, message: RegExp): void {
  assert.ok(make({}));
  assert.throws(() => make(wrong), { code: "InvalidOption", message });
}

test("jetStreamSource and natsSource refuse at once what is no NATS server, no stream and no subject", () => {
  const jetStream = plain(jetStreamSource, { servers: "nats://nats:4222", stream: "s", consumer: "c" });
  const nats = plain(natsSource, { servers: ["nats:4222", "tls://nats:4222"], subject: "s" });
  const give = "give nats://HOST:4222 or tls://HOST:4222, and who connects as `auth`$";
  for (const make of [jetStream, nats]) {
    for (const servers of [
      "http://me:secret@nats:4222",
      "nats://me:secret@nats",
      "nats://a#b",
      "nats://[a",
      4222,
      ["nats://a:4222", "http://b"],
    ]) {
      refuses(make, { servers }, new RegExp(`^Cannot read from NATS: servers is none, ${give}`));
    }
    for (const servers of [undefined, []]) refuses(make, { servers }, new RegExp(`servers is missing, ${give}`));
  }
  refuses(jetStream, { stream: undefined }, /stream is missing, give a name/);
  for (const filterSubjects of ["uploads.*", [""]])
    refuses(jetStream, { filterSubjects }, /filterSubjects is .*give a list/);
  refuses(jetStream, { consumer: "a.b" }, /consumer is none, give a name/);
  refuses(nats, { subject: undefined }, /subject is missing, give one without spaces$/);
  refuses(nats, { queue: "" }, /queue is empty, give one without spaces$/);
});

test("redisStreamSource refuses at once what is no URL of Redis, no stream and no group", () => {
  const make = plain(redisStreamSource, { url: "redis://redis:6379", stream: "s", group: "g" });
  const give = "give redis://HOST:6379, rediss://HOST:6379 or a function that gives it$";
  for (const url of ["localhost:6379", "http://me:secret@redis", "redis://[bad"]) {
    refuses(make, { url }, new RegExp(`^Cannot read from Redis: url is none, ${give}`));
  }
  refuses(make, { url: undefined }, new RegExp(`url is missing, ${give}`));
  assert.ok(make({ url: () => "read when it is opened" }));
  for (const what of ["stream", "group"])
    refuses(make, { [what]: undefined }, new RegExp(`${what} is missing, give a`));
});

test("kafkaSource, sqsSource and postgresNotifySource refuse at once what names nothing to read", () => {
  const kafka = plain(kafkaSource, { brokers: ["kafka:9092"], topics: ["t"], group: "g" });
  for (const what of ["brokers", "topics", "group"]) {
    refuses(kafka, { [what]: undefined }, new RegExp(`^Cannot read from Kafka: ${what} is missing, give `));
  }
  refuses(kafka, { topics: "uploads" }, /topics is missing, give a list/);
  refuses(kafka, { topics: ["t", ""] }, /topics is empty, give a list/);
  const sqs = plain(sqsSource, { queueUrl: "https://sqs.eu-west-1.amazonaws.com/1/uploads" });
  for (const queueUrl of [undefined, "uploads", "https://sqs.test"]) {
    refuses(
      sqs,
      { queueUrl },
      /^Cannot read from SQS: queueUrl is (missing|none), give https:\/\/HOST\/ACCOUNT\/QUEUE$/,
    );
  }
  refuses(plain(postgresNotifySource, { channel: "c" }), { channel: undefined }, /give 1 to 63 bytes/);
});

test("postgresOutboxSource and postgresNotifySource refuse at once what is no URL of PostgreSQL, and do not repeat it", () => {
  const give = "give postgres://USER@HOST:5432/DATABASE or a function that gives it$";
  const outbox = plain(postgresOutboxSource, {});
  const notify = plain(postgresNotifySource, { channel: "c" });
  for (const make of [outbox, notify]) {
    for (const url of ["me:secret@host/db", "mysql://me:secret@host/db", "postgres://me:secret@[bad/", 5432, {}])
      refuses(make, { url }, new RegExp(`^Cannot read from PostgreSQL: url is none, ${give}`));
    refuses(make, { url: "" }, new RegExp(`url is empty, ${give}`));
    const hosts = ["postgres://me:p%20w@host:5432/db?sslmode=verify-full", "postgresql://%2Fvar%2Frun%2Fpostgresql/db"];
    for (const url of [
      ...hosts,
      "postgres:///db",
      "postgres://me:secret@/db?host=/tmp",
      () => "read when it is opened",
    ])
      assert.ok(make({ url }));
  }
});

test("sources of brokers refuse at once a reader and a hook that are no functions, and a choice that is none", () => {
  const names = {
    stream: "s",
    consumer: "c",
    group: "g",
    subject: "s",
    channel: "c",
    topics: ["t"],
    brokers: ["kafka:9092"],
  };
  const queueUrl = "https://sqs.eu-west-1.amazonaws.com/1/uploads";
  const heard = [plain(natsSource, { ...names, servers: "nats:4222" }), plain(postgresNotifySource, { ...names })];
  const jetStream = plain(jetStreamSource, { ...names, servers: "nats:4222" });
  const redis = plain(redisStreamSource, { ...names, url: "redis://redis" });
  const outbox = plain(postgresOutboxSource, {});
  const kafka = plain(kafkaSource, names);
  const brokers = [jetStream, redis, outbox, kafka, plain(sqsSource, { queueUrl })];
  for (const make of [...heard, ...brokers]) {
    refuses(make, { read: "json" }, /^Cannot make source .*: read is no function, give one or leave it out$/);
    for (const name of ["", 5]) refuses(make, { name }, /^Cannot make source .*: name is (empty|none), give a text/);
  }
  for (const make of brokers) refuses(make, { onDeadLetter: {} }, /onDeadLetter is no function/);
  refuses(redis, { finished: "Delete" }, /finished is "Delete", give "keep" or "delete"$/);
  refuses(outbox, { finished: "keep" }, /finished is "keep", give "delete" or "mark"$/);
  refuses(kafka, { startAt: "Earliest" }, /startAt is "Earliest", give "earliest" or "latest"$/);
});
