import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startNatsServer, startTcpRelay } from "@farwatch/testing";
import { AckPolicy } from "@nats-io/jetstream";
import {
  isCodedError,
  type JetStreamMessage,
  type JetStreamSourceOptions,
  jetStreamSource,
  systemClock,
} from "farwatch";
import type { Received } from "farwatch/doubles";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { deadLetters } from "./dead-letters.ts";
import { createJetStreamQueue, type JetStreamQueue, type JetStreamQueueOptions } from "./jetstream-queue.ts";
import { openSource, workOn } from "./opened-source.ts";
import { toleratesSilence } from "./silence.ts";

const { server, skip } = await availableServer(startNatsServer);

let made = 0;

async function queueOf(options: Omit<JetStreamQueueOptions, "stream"> = {}): Promise<JetStreamQueue> {
  assert.ok(server);
  made += 1;
  return await createJetStreamQueue(server, { stream: `tests-${made}`, ...options });
}

function sourceOf<T = number>(
  { url, stream, consumer }: Pick<JetStreamQueue, "url" | "stream" | "consumer">,
  options: Partial<JetStreamSourceOptions<T>> = {},
) {
  return jetStreamSource<T>({ servers: url, stream, consumer, ackWait: "1s", ...options });
}

const objectsOf = (all: readonly Received<unknown>[]): readonly unknown[] => all.map(({ event }) => event.object);

async function settled(queue: JetStreamQueue): Promise<void> {
  await eventually("every message is settled", async () => {
    const { pending, unacknowledged } = await queue.left();
    return pending === 0 && unacknowledged === 0;
  });
}

test("jetStreamSource acknowledges a message when its event was worked on, and not before", { skip }, async () => {
  const queue = await queueOf();
  await using source = openSource(sourceOf(queue));
  await queue.publish([1, 2, 3]);
  const all = await source.take(3);
  assert.deepEqual(objectsOf(all), [1, 2, 3]);
  assert.equal((await queue.left()).unacknowledged, 3);
  for (const { hold } of all) hold.done();
  await settled(queue);
});

test("jetStreamSource hands on all that a message says", { skip }, async () => {
  const queue = await queueOf();
  await using source = openSource(sourceOf(queue, { read: (message) => message }));
  await queue.send(Uint8Array.of(0xff, 0), { trace: "abc" });
  const [received] = await source.take(1);
  const message = received?.event.object as JetStreamMessage;
  assert.deepEqual([...message.data], [0xff, 0]);
  assert.deepEqual(message.headers, new Map([["trace", ["abc"]]]));
  assert.deepEqual([message.subject, message.sequence, message.deliveries], [`${queue.stream}.numbers`, 1, 1]);
  assert.ok(Math.abs(message.storedAt.getTime() - systemClock.now().getTime()) < 60_000);
  assert.ok(received?.event.type === "generic" && received.event.occurredAt === message.storedAt);
  received.hold.done();
});

test("jetStreamSource starts the deadline of a held message over, and waits as long as a message was given back for", {
  skip,
}, async () => {
  const queue = await queueOf();
  await using source = openSource(sourceOf(queue, { read: ({ sequence, deliveries }) => [sequence, deliveries] }));
  await queue.publish([1, 2]);
  const [held, givenBack] = await source.take(2);
  // Three deadlines of the message that is held.
  givenBack?.hold.giveBack("3s");
  const again = await source.next();
  assert.deepEqual(again.event.object, [2, 2]);
  assert.equal((await queue.left()).redelivered, 1);
  held?.hold.done();
  again.hold.done();
  await settled(queue);
});

test("jetStreamSource terminates what cannot be read, once the hook has it", { skip }, async () => {
  const queue = await queueOf();
  const { letters, remember } = deadLetters();
  await using source = openSource(sourceOf(queue, { onDeadLetter: remember }));
  await queue.send("{ no JSON");
  await queue.send(Uint8Array.of(0xff));
  await queue.publish([3]);
  (await source.next()).hold.done();
  await settled(queue);
  assert.deepEqual(
    letters.map(({ id, deliveries }) => [id, deliveries]),
    [
      ["1", 1],
      ["2", 1],
    ],
  );
  assert.ok(letters.every(({ reason }) => reason.startsWith("its body cannot be read")));
});

test("jetStreamSource terminates what is rejected, once the hook has it", { skip }, async () => {
  const queue = await queueOf();
  const { letters, remember } = deadLetters();
  await using source = openSource(sourceOf(queue, { onDeadLetter: remember }));
  await queue.publish([1, 2]);
  const [one, two] = await source.take(2);
  one?.hold.reject(new Error("there is no such bucket"));
  two?.hold.done();
  await settled(queue);
  assert.deepEqual(
    letters.map(({ deliveries, reason }) => [deliveries, reason]),
    [[1, "it was rejected: there is no such bucket"]],
  );
  assert.equal((await queue.left()).redelivered, 0);
});

test("jetStreamSource makes a dead letter of a message that comes more often than maxDeliveries", {
  skip,
}, async () => {
  const queue = await queueOf();
  const { letters, remember } = deadLetters();
  await using source = openSource(sourceOf(queue, { maxDeliveries: 2, onDeadLetter: remember }));
  await queue.publish([1]);
  for (let delivery = 1; delivery <= 2; delivery += 1) (await source.next()).hold.giveBack(0);
  await settled(queue);
  assert.deepEqual(
    letters.map(({ deliveries }) => deliveries),
    [3],
  );
});

test("jetStreamSource warns of a consumer that gives up first, and of a stream in memory", { skip }, async () => {
  const queue = await queueOf({ storage: "memory" });
  await queue.addConsumer({ max_deliver: 10 });
  await using source = openSource(sourceOf(queue));
  await queue.publish([1]);
  (await source.next()).hold.done();
  const texts = source.warnings.map(({ message }) => message).join("\n");
  assert.match(texts, /kept in memory/);
  assert.match(texts, /gives messages up before they are dead letters/);

  const enough = await queueOf();
  await enough.addConsumer({ max_deliver: 11 });
  await using other = openSource(sourceOf(enough));
  await enough.publish([1]);
  (await other.next()).hold.done();
  assert.deepEqual(other.warnings, []);
});

test("jetStreamSource refuses a stream that is not there, and a consumer that waits for no acknowledgement", {
  skip,
}, async () => {
  const queue = await queueOf();
  await using missing = openSource(sourceOf({ ...queue, stream: "nothing" }));
  assert.match((await missing.failing()).lastError ?? "", /^Cannot read stream nothing: there is none on this server/);
  await queue.addConsumer({ ack_policy: AckPolicy.None });
  await using unsafe = openSource(sourceOf(queue));
  assert.match((await unsafe.failing()).lastError ?? "", /it has ack_policy none/);
});

test("jetStreamSource refuses names that are none, and a deadline that is too short", () => {
  for (const wrong of [{ stream: "a.b" }, { consumer: "*" }, { stream: "" }, { ackWait: "10ms" } as const]) {
    assert.throws(
      () => sourceOf({ url: "nats://127.0.0.1:1", stream: "s", consumer: "c", ...wrong }, wrong),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
});

test("jetStreamSource keeps to the limits of a consumer that was there, and reads all", { skip }, async () => {
  const limits = [{ max_ack_pending: 3 }, { max_batch: 2 }, { max_expires: 500_000_000 }];
  for (const limit of limits) {
    const queue = await queueOf();
    await queue.addConsumer(limit);
    const numbers = Array.from({ length: 10 }, (_, index) => index);
    await queue.publish(numbers);
    await using source = openSource(sourceOf(queue));
    await workOn(source, numbers);
    // Long enough for a request that waits.
    await systemClock.sleep("1s");
    await queue.publish([10]);
    await workOn(source, [10]);
    await settled(queue);
    assert.equal(source.state.restarts, 0);
  }
});

test("jetStreamSource hands on what it got where other replicas have as much as their consumer allows", {
  skip,
}, async () => {
  const queue = await queueOf();
  await queue.addConsumer({ max_ack_pending: 6 });
  await queue.publish([1, 2, 3, 4, 5, 6, 7, 8]);
  await using one = openSource(sourceOf(queue, { maxUnacknowledged: 4 }));
  const held = [...(await one.take(4))];
  await using two = openSource(sourceOf(queue));
  held.push(...(await two.take(2)));
  assert.deepEqual(objectsOf(held), [1, 2, 3, 4, 5, 6]);
  assert.equal(two.state.restarts, 0);
});

// RULES 20
test("jetStreamSource is held where its consumer hands nothing more over, and what it has waits for failing requests", {
  skip,
}, async () => {
  const queue = await queueOf();
  await queue.addConsumer({ max_ack_pending: 6, max_expires: 500_000_000 });
  await queue.publish([1, 2, 3, 4, 5, 6, 7, 8]);
  await using one = openSource(sourceOf(queue, { maxUnacknowledged: 4 }));
  const ofOthers = await one.take(4);
  await using two = openSource(sourceOf(queue));
  const [stuck, other] = await two.take(2);
  stuck?.hold.stuckOn("default/photos");
  other?.hold.stuckOn("default/photos");
  await eventually("the source is held", () => two.state.reason?.request === "default/photos");
  assert.equal(one.state.reason, undefined, "its own requests do not fail");
  for (const { hold } of ofOthers) hold.done();
  const more = await two.next();
  assert.equal(two.state.reason, undefined);
  for (const each of [stuck, other, more]) each?.hold.done();
});

test("jetStreamSource makes a consumer of the subjects that it is told, and warns of one that was there with others", {
  skip,
}, async () => {
  const queue = await queueOf();
  const filterSubjects = [`${queue.stream}.numbers`];
  await using source = openSource(sourceOf(queue, { filterSubjects }));
  await queue.publish([1]);
  (await source.next()).hold.done();
  await settled(queue);
  assert.deepEqual(source.warnings, []);
  await source[Symbol.asyncDispose]();

  await using other = openSource(sourceOf(queue, { filterSubjects: [`${queue.stream}.letters`] }));
  await queue.publish([2]);
  (await other.next()).hold.done();
  assert.deepEqual(
    other.warnings.map(({ message, fields }) => [message, fields.reads]),
    [["The consumer was there and reads other subjects: make it anew, or name another", filterSubjects]],
  );
});

test("jetStreamSource shares a consumer with another replica, and no message comes to both", { skip }, async () => {
  const queue = await queueOf();
  await using one = openSource(sourceOf(queue, { maxUnacknowledged: 5 }));
  await using other = openSource(sourceOf(queue, { maxUnacknowledged: 5 }));
  await queue.publish(Array.from({ length: 10 }, (_, index) => index));
  const all = [...(await one.take(5)), ...(await other.take(5))];
  assert.deepEqual(new Set(objectsOf(all)).size, 10);
  for (const { hold } of all) hold.done();
  await settled(queue);
});

test("jetStreamSource fails when its server is killed, and goes on with what was not acknowledged", {
  skip,
}, async () => {
  const queue = await queueOf();
  await using source = openSource(sourceOf(queue));
  await queue.publish([1, 2]);
  const [first] = await source.take(2);
  first?.hold.done();
  await eventually("one is acknowledged", async () => (await queue.left()).unacknowledged === 1);
  await server?.kill();
  assert.match((await source.failing()).lastError ?? "", /^Cannot read source jetstream-/);
  await server?.restart();
  await queue.publish([3]);
  await workOn(source, [2, 3]);
});

test("jetStreamSource reads a stream that was deleted and made anew, and what it held of the old one settles nothing there", {
  skip,
}, async () => {
  const queue = await queueOf();
  await using source = openSource(sourceOf(queue));
  await queue.publish([1, 2]);
  const old = await source.take(2);
  old[0]?.hold.done();
  await queue.remove();
  await source.failing();
  await createJetStreamQueue({ url: queue.url }, queue);
  await queue.publish([3, 4]);
  const anew = await source.take(2);
  assert.deepEqual(objectsOf(anew), [3, 4]);
  old[1]?.hold.done();
  anew[0]?.hold.done();
  await eventually("one is settled", async () => (await queue.left()).unacknowledged === 1);
  anew[1]?.hold.done();
  await settled(queue);
});

test("jetStreamSource fails when its connection is cut, and is opened again", { skip }, async () => {
  const queue = await queueOf();
  await using relay = await startTcpRelay({ targetPort: server?.port ?? 0 });
  await using source = openSource(sourceOf({ ...queue, url: `nats://127.0.0.1:${relay.port}` }));
  await queue.publish([1]);
  await workOn(source, [1]);
  relay.cut();
  await source.failing();
  await queue.publish([2]);
  await workOn(source, [2]);
});

test("jetStreamSource shows who it is, reads a secret again at each opening, and never tells it", {
  skip,
}, async () => {
  await using guarded = await startNatsServer({ flags: ["--auth", "secret-token-2"] });
  let token = "secret-token-1";
  const place = { url: guarded.url, stream: "nothing", consumer: "farwatch" };
  await using source = openSource(sourceOf(place, { auth: async () => ({ token }) }));
  const refused = await source.failing();
  assert.match(
    refused.lastError ?? "",
    /^Cannot read source jetstream-nothing-farwatch from NATS: no connection to nats:\/\/127\.0\.0\.1:\d+: Authorization/i,
  );
  token = "secret-token-2";
  await eventually("it is let in", () => /there is none on this server/.test(source.state.lastError ?? ""));
  assert.doesNotMatch(JSON.stringify([source.warnings, source.state]), /secret-token/);
});

test("jetStreamSource needs no rights but those that its page names", { skip }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "farwatch-nats-"));
  const config = join(folder.path, "nats.conf");
  const api = ["STREAM.INFO.rights", "CONSUMER.INFO.rights.operator", "CONSUMER.MSG.NEXT.rights.operator"];
  const publish = [...api.map((name) => `$JS.API.${name}`), "$JS.ACK.rights.operator.>"];
  const operator = { publish, subscribe: ["_INBOX_operator.>"] };
  const reader = { publish: publish.slice(0, -1), subscribe: ["_INBOX.>"] };
  await writeFile(
    config,
    `authorization { users = [ { user: admin, password: a }, { user: operator, password: o, permissions: ${JSON.stringify(operator)} },
      { user: reader, password: r, permissions: ${JSON.stringify(reader)} } ] }`,
  );
  await using guarded = await startNatsServer({ flags: ["--config", config] });
  const admin = guarded.url.replace("://", "://admin:a@");
  const queue = await createJetStreamQueue({ url: admin }, { stream: "rights", consumer: "operator" });
  await queue.addConsumer({ ack_wait: 1_000_000_000 });
  const auth = { user: "operator", password: "o" };
  await using source = openSource(sourceOf({ ...queue, url: guarded.url }, { auth, inboxPrefix: "_INBOX_operator" }));
  await queue.publish([1]);
  (await source.next()).hold.giveBack(0);
  await workOn(source, [1]);
  await settled(queue);
  assert.equal(source.state.restarts, 0);

  const may = { name: "reader", auth: { user: "reader", password: "r" } };
  await queue.publish([2]);
  await source[Symbol.asyncDispose]();
  await using reading = openSource(sourceOf({ ...queue, url: guarded.url }, may));
  await workOn(reading, [2]);
  assert.match(
    (await reading.failing()).lastError ?? "",
    /Violation.*; let the user publish to \$JS\.ACK\.rights\.operator\.>$/,
  );

  // A reconcile that takes long is noticed as well, before another replica makes a dead letter of it.
  const slow = { ...queue, url: guarded.url, consumer: "operator" };
  await queue.publish([3]);
  await reading[Symbol.asyncDispose]();
  await using holding = openSource(sourceOf(slow, { ...may, name: "holding" }));
  await holding.next();
  assert.match((await holding.failing()).lastError ?? "", /; let the user publish to \$JS\.ACK/);

  const foreign = { ...queue, url: guarded.url, stream: "secret-stream" };
  await using other = openSource(sourceOf(foreign, { name: "other", auth, inboxPrefix: "_INBOX_operator" }));
  assert.match(
    (await other.failing()).lastError ?? "",
    /^Cannot read stream secret-stream: .*; let the user of source other publish to \$JS\.API\.STREAM\.INFO/,
  );
});

test("jetStreamSource reads messages so large that a server would close a connection that asks for many", {
  skip,
}, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "farwatch-nats-"));
  const config = join(folder.path, "nats.conf");
  await writeFile(config, "max_payload: 16MB");
  await using generous = await startNatsServer({ flags: ["--config", config] });
  const queue = await createJetStreamQueue(generous, { stream: "large" });
  const body = new Uint8Array(8_000_000);
  for (let sent = 0; sent < 12; sent += 1) await queue.send(body);
  await using source = openSource(sourceOf(queue, { read: ({ sequence }) => sequence, ackWait: "30s" }));
  for (let sequence = 1; sequence <= 12; sequence += 1) {
    const { event, hold } = await source.next();
    assert.equal(event.object, sequence);
    hold.done();
  }
  assert.equal(source.state.restarts, 0);
});

test("jetStreamSource says that JetStream is off for its user", { skip }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "farwatch-nats-"));
  const config = join(folder.path, "nats.conf");
  const users = "accounts { plain { users = [ { user: operator, password: o } ] }, full { jetstream: enabled } }";
  await writeFile(config, users);
  await using guarded = await startNatsServer({ flags: ["--config", config] });
  const place = { url: guarded.url, stream: "uploads", consumer: "farwatch" };
  await using source = openSource(sourceOf(place, { name: "plain", auth: { user: "operator", password: "o" } }));
  assert.match(
    (await source.failing()).lastError ?? "",
    /^Cannot read stream uploads: .*; switch JetStream on for the user of source plain$/,
  );
});

toleratesSilence({
  name: "jetStreamSource",
  skip,
  async create() {
    assert.ok(server);
    const queue = await queueOf();
    return {
      source: sourceOf<number>(queue),
      server,
      publish: (number) => queue.publish([number]),
      async [Symbol.asyncDispose](): Promise<void> {},
    };
  },
  at: (port) => sourceOf<number>({ url: `nats://127.0.0.1:${port}`, stream: "tests", consumer: "farwatch" }),
});
