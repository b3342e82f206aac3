import assert from "node:assert/strict";
import { test } from "node:test";
import { startRedisServer, startTcpRelay } from "@farwatch/testing";
import {
  isCodedError,
  type RedisStreamMessage,
  type RedisStreamSourceOptions,
  redisStreamSource,
  systemClock,
} from "farwatch";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { deadLetters } from "./dead-letters.ts";
import { openSource, workOn } from "./opened-source.ts";
import { askRedis, createRedisQueue, type RedisQueue } from "./redis-queue.ts";
import { toleratesSilence } from "./silence.ts";

const { server, skip } = await availableServer(startRedisServer);

let made = 0;

function queueOf(): RedisQueue {
  assert.ok(server);
  made += 1;
  return createRedisQueue(server, `tests:${made}`);
}

function sourceOf<T = number>(
  { url, stream, group }: Pick<RedisQueue, "url" | "stream" | "group">,
  options: Partial<RedisStreamSourceOptions<T>> = {},
) {
  // Where a test reads something else it says so.
  const read = ({ fields }: RedisStreamMessage): T => Number(fields.n) as T;
  return redisStreamSource<T>({ url, stream, group, claimAfter: "1s", read, ...options });
}

const settled = (queue: RedisQueue): Promise<boolean> =>
  eventually("every message is settled", async () => (await queue.left()) === 0);

test("redisStreamSource acknowledges a message when its event was worked on, and not before", { skip }, async () => {
  const queue = queueOf();
  await queue.publish([1]);
  await using source = openSource(sourceOf(queue));
  const first = await source.next();
  await queue.publish([2, 3]);
  const all = [first, ...(await source.take(2))];
  assert.deepEqual(
    all.map(({ event }) => event.object),
    [1, 2, 3],
  );
  assert.equal((await queue.pending()).size, 3);
  for (const { hold } of all) hold.done();
  await settled(queue);
  assert.equal(await queue.ask("XLEN", queue.stream), 3);
  assert.deepEqual(source.warnings, []);
});

test("redisStreamSource deletes what was worked on when it is told to", { skip }, async () => {
  const queue = queueOf();
  await using source = openSource(sourceOf(queue, { finished: "delete" }));
  await queue.publish([1, 2]);
  await workOn(source, [1, 2]);
  await eventually("the stream is empty", async () => (await queue.ask("XLEN", queue.stream)) === 0);
});

test("redisStreamSource hands on all that a message says", { skip }, async () => {
  const queue = queueOf();
  await using source = openSource(sourceOf<RedisStreamMessage>(queue, { read: (message) => message }));
  await queue.ask("XADD", queue.stream, "5-1", "a", "1", "__proto__", "ä", "b", "");
  await queue.ask("XADD", queue.stream, "*", "a", "2");
  const [old, now] = await source.take(2);
  const message = old?.event.object;
  assert.deepEqual(Object.entries(message?.fields ?? {}), [
    ["a", "1"],
    ["__proto__", "ä"],
    ["b", ""],
  ]);
  assert.deepEqual([message?.id, message?.deliveries, message?.addedAt], ["5-1", 1, undefined]);
  const addedMs = now?.event.object.addedAt?.getTime() ?? 0;
  assert.ok(Math.abs(addedMs - systemClock.now().getTime()) < 60_000);
  for (const { hold } of [old, now].filter((each) => each !== undefined)) hold.done();
  await settled(queue);
});

test("redisStreamSource keeps a held message from being claimed, and waits as long as one was given back for", {
  skip,
}, async () => {
  const queue = queueOf();
  const read = ({ fields, deliveries }: RedisStreamMessage): string => `${fields.n} for the ${deliveries}.`;
  await using source = openSource(sourceOf(queue, { read }));
  await queue.publish([1, 2]);
  const [held, second] = await source.take(2);
  let givenBack = second;
  // By then the one that is held could have been claimed four times.
  for (let times = 2; times <= 5; times += 1) {
    const startMs = systemClock.elapsed();
    givenBack?.hold.giveBack("900ms");
    givenBack = await source.next();
    assert.ok(systemClock.elapsed() - startMs >= 850, "it came too soon");
    assert.equal(givenBack.event.object, `2 for the ${times}.`);
    const thief = ["XAUTOCLAIM", queue.stream, queue.group, "thief", "1000", "0-0", "JUSTID"];
    assert.deepEqual(await queue.ask(...thief), ["0-0", [], []]);
  }
  givenBack?.hold.done();
  held?.hold.done();
  await settled(queue);
});

test("redisStreamSource claims what a reader left that died", { skip }, async () => {
  const queue = queueOf();
  await queue.publish([1, 2, 3]);
  await queue.ask("XGROUP", "CREATE", queue.stream, queue.group, "0");
  await queue.ask("XREADGROUP", "GROUP", queue.group, "farwatch-dead", "COUNT", "2", "STREAMS", queue.stream, ">");
  await using source = openSource(sourceOf(queue, { read: ({ fields, deliveries }) => [fields.n, deliveries] }));
  const all = await source.take(3);
  assert.deepEqual(
    all.map(({ event }) => event.object),
    [
      ["3", 1],
      ["1", 2],
      ["2", 2],
    ],
  );
  for (const { hold } of all) hold.done();
  await settled(queue);
});

test("redisStreamSource hands a dead letter over at once when it cannot be read, or after maxDeliveries", {
  skip,
}, async () => {
  const queue = queueOf();
  const { letters, remember } = deadLetters();
  const read = ({ fields }: RedisStreamMessage): number => {
    if (fields.n === "1") throw new Error("cannot be read");
    return Number(fields.n);
  };
  await using source = openSource(sourceOf(queue, { read, maxDeliveries: 2, onDeadLetter: remember }));
  await queue.publish([1, 2]);
  for (let delivery = 1; delivery <= 2; delivery += 1) (await source.next()).hold.giveBack(0);
  await settled(queue);
  assert.deepEqual(
    letters.map(({ deliveries, reason }) => [deliveries, reason]),
    [
      [1, "its body cannot be read: cannot be read"],
      [3, "it was handed over 2 times without an end"],
    ],
  );
});

test("redisStreamSource says which messages were trimmed before they were worked on", { skip }, async () => {
  const queue = queueOf();
  await queue.publish([1, 2]);
  await queue.ask("XGROUP", "CREATE", queue.stream, queue.group, "0");
  await queue.ask("XREADGROUP", "GROUP", queue.group, "farwatch-dead", "COUNT", "1", "STREAMS", queue.stream, ">");
  await queue.ask("XTRIM", queue.stream, "MAXLEN", "=", "1");
  await using source = openSource(sourceOf(queue));
  await workOn(source, [2]);
  await settled(queue);
  const [warning] = source.warnings;
  assert.match(warning?.message ?? "", /deleted or trimmed before they were worked on/);
  assert.match(JSON.stringify(warning?.fields.ids), /^\["\d+-\d+"\]$/);
});

test("redisStreamSource leaves its group when it is closed, unless something is left with it", { skip }, async () => {
  const queue = queueOf();
  {
    await using source = openSource(sourceOf(queue));
    await queue.publish([1]);
    await workOn(source, [1]);
    assert.equal(await queue.readers(), 1);
  }
  assert.equal(await queue.readers(), 0);
  {
    await using source = openSource(sourceOf(queue));
    await queue.publish([2]);
    await source.next();
  }
  assert.equal(await queue.readers(), 1);
  assert.equal((await queue.pending()).size, 1);
});

test("redisStreamSource fails when its server is killed, and goes on with what was not acknowledged", {
  skip,
}, async () => {
  const queue = queueOf();
  await using source = openSource(sourceOf(queue));
  await queue.publish([1, 2]);
  const [first] = await source.take(2);
  first?.hold.done();
  await eventually("one is acknowledged", async () => (await queue.pending()).size === 1);
  await server?.kill();
  assert.match((await source.failing()).lastError ?? "", /^Cannot read source redis-tests:\d+-farwatch from Redis: /);
  await server?.restart();
  await queue.publish([3]);
  const again = await source.take(2);
  // What Redis has acknowledged holds: the first does not come again.
  assert.deepEqual(again.map(({ event }) => event.object).toSorted(), [2, 3]);
  for (const { hold } of again) hold.done();
  await settled(queue);
});

test("redisStreamSource fails when its connection is cut, or its stream is deleted, and is opened again", {
  skip,
}, async () => {
  const queue = queueOf();
  await using relay = await startTcpRelay({ targetPort: server?.port ?? 0 });
  await using source = openSource(sourceOf({ ...queue, url: `redis://127.0.0.1:${relay.port}` }));
  await queue.publish([1]);
  await workOn(source, [1]);
  relay.cut();
  await source.failing();
  await queue.publish([2]);
  await workOn(source, [2]);
  await queue.ask("DEL", queue.stream);
  assert.match(
    (await source.failing()).lastError ?? "",
    /^Cannot read source redis-.* from Redis: (NOGROUP|UNBLOCKED)/,
  );
  await queue.publish([3]);
  await workOn(source, [3]);
});

test("redisStreamSource warns of a server that may lose what it has acknowledged", { skip }, async () => {
  await using careless = await startRedisServer({ settings: { appendfsync: "everysec" } });
  const queue = createRedisQueue(careless, "careless");
  await using source = openSource(sourceOf(queue));
  await queue.publish([1]);
  await workOn(source, [1]);
  const [warning] = source.warnings;
  assert.match(warning?.message ?? "", /^Redis may lose messages that it has acknowledged/);
  assert.equal(warning?.fields.appendfsync, "everysec");
});

test("redisStreamSource shows who it is, reads its URL again at each opening, and never tells it", {
  skip,
}, async () => {
  await using guarded = await startRedisServer({ settings: { requirepass: "secret-2" } });
  let password = "secret-1";
  const urlNow = (): string => guarded.url.replace("://", `://default:${password}@`);
  const place = { url: "", stream: "guarded", group: "farwatch" };
  await using source = openSource(sourceOf(place, { url: urlNow }));
  assert.match(
    (await source.failing()).lastError ?? "",
    /^Cannot read source redis-guarded-farwatch from Redis: WRONGPASS/,
  );
  password = "secret-2";
  await askRedis(urlNow(), ["XADD", "guarded", "*", "n", "1"]);
  await workOn(source, [1]);
  assert.doesNotMatch(JSON.stringify([source.warnings, source.state]), /secret-/);
});

test("redisStreamSource refuses names that are none, an idle time that is too short, and a URL of something else", async () => {
  const place = { url: "redis://127.0.0.1:1", stream: "s", group: "g" };
  for (const wrong of [{ stream: "" }, { group: "" }, { claimAfter: 999 }]) {
    assert.throws(
      () => redisStreamSource({ ...place, ...wrong }),
      (error) => isCodedError(error, "InvalidOption"),
    );
  }
  await using source = openSource(redisStreamSource({ ...place, url: () => "http://user:secret@127.0.0.1" }));
  assert.equal((await source.failing()).lastError, "Cannot open source redis-s-g: its URL is none of Redis, redis://…");
});

test("redisStreamSource says what the server refuses, and what to do", { skip }, async () => {
  const queue = queueOf();
  await queue.ask("SET", queue.stream, "no stream");
  await using source = openSource(sourceOf(queue, { name: "text" }));
  assert.match(
    (await source.failing()).lastError ?? "",
    /^Cannot read source text from Redis: WRONGTYPE .*; name a key that holds a stream, or none yet$/,
  );
});

test("redisStreamSource reads from a server whose memory is full, which takes nothing in", { skip }, async () => {
  const queue = queueOf();
  await queue.ask("XGROUP", "CREATE", queue.stream, queue.group, "0", "MKSTREAM");
  await queue.publish([1, 2]);
  await queue.ask("CONFIG", "SET", "maxmemory", "1");
  try {
    await using source = openSource(sourceOf(queue, { finished: "delete" }));
    await workOn(source, [1, 2]);
    await eventually("the stream is empty", async () => (await queue.ask("XLEN", queue.stream)) === 0);
    await using other = openSource(sourceOf({ ...queue, stream: `${queue.stream}:new` }, { name: "other" }));
    assert.match((await other.failing()).lastError ?? "", /OOM/);
  } finally {
    await queue.ask("CONFIG", "SET", "maxmemory", "0");
  }
});

test("redisStreamSource fails while it may not acknowledge, and hands nothing over again that was worked on", {
  skip,
}, async () => {
  const queue = queueOf();
  const password = crypto.randomUUID();
  await queue.ask("ACL", "SETUSER", "reader", "on", `>${password}`, "~*", "+@all", "-xack");
  const url = queue.url.replace("://", `://reader:${password}@`);
  await using source = openSource(sourceOf({ ...queue, url }));
  await queue.publish([1]);
  await workOn(source, [1]);
  assert.match((await source.failing()).lastError ?? "", /NOPERM .*'xack'.*; give the user the right/);
  await queue.publish([2]);
  // Longer than a message waits that nobody holds.
  await systemClock.sleep("1500ms");
  // The second may have come by a read that was under way.
  assert.deepEqual([...new Set((await queue.pending()).values())], [1]);
  await queue.ask("ACL", "SETUSER", "reader", "+xack");
  await workOn(source, [2]);
  await settled(queue);
  await eventually("it serves", () => source.state.phase === "serving");
  assert.equal(source.state.restarts, 0);
});

test("redisStreamSource needs no rights but those that its page names", { skip }, async () => {
  const queue = queueOf();
  const rights = "xgroup xinfo xreadgroup xautoclaim xpending xclaim xack".split(" ").map((name) => `+${name}`);
  await queue.ask("ACL", "SETUSER", "operator", "on", ">secret-3", `~${queue.stream}`, ...rights);
  const url = queue.url.replace("://", "://operator:secret-3@");
  {
    await using source = openSource(sourceOf({ ...queue, url }));
    await queue.publish([1]);
    (await source.next()).hold.giveBack(0);
    await workOn(source, [1]);
    await settled(queue);
    assert.deepEqual(source.warnings, []);
    assert.equal(source.state.restarts, 0);
  }
  // It may not take itself out of the group.
  assert.equal(await queue.readers(), 1);
});

toleratesSilence({
  name: "redisStreamSource",
  skip,
  async create() {
    assert.ok(server);
    const queue = queueOf();
    return {
      source: sourceOf<number>(queue),
      server,
      publish: (number) => queue.publish([number]),
      async [Symbol.asyncDispose](): Promise<void> {},
    };
  },
  at: (port) => sourceOf<number>({ url: `redis://127.0.0.1:${port}`, stream: "tests", group: "farwatch" }),
});
