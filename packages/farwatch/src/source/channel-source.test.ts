import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedCache } from "../doubles/scripted-cache.ts";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { type ChannelSource, channelSource } from "./channel-source.ts";
import { opened } from "./pushed-source.fixture.ts";
import type { Received } from "./watch-buffer.ts";

function watched<T>(source: ChannelSource<T>) {
  const clock = createVirtualClock();
  const hub = createScriptedHub({ clock, metrics: createMetrics(), cache: createScriptedCache(), log: silentLogger });
  const watch = hub.subscribe(source, { name: "w" });
  return {
    clock,
    hub,
    watch,
    lead: () => opened({ hub }).close,
    async next(): Promise<Received<T>> {
      const received = await watch.receive();
      if (received === undefined) throw new Error("The subscription was left");
      return received;
    },
  };
}

/** How a promise stands now. */
async function standing(clock: { settle(): Promise<void> }, promise: Promise<void>): Promise<string> {
  let state = "pending";
  promise.then(
    () => {
      state = "resolved";
    },
    (error: unknown) => {
      state = isCodedError(error) ? error.code : String(error);
    },
  );
  await clock.settle();
  return state;
}

// Promise 1
// B09
test("channel accepts at once before it is open, and delivers in order, once each, when a slow start is over", async () => {
  const source = channelSource<string>();
  const { clock, lead, next } = watched(source);
  await source.send("e1");
  await source.send("e2");
  await clock.advance("2s");
  const stop = lead();
  const [first, second] = [await next(), await next()];
  assert.deepEqual(
    [first.event, second.event],
    [
      { type: "generic", object: "e1" },
      { type: "generic", object: "e2" },
    ],
  );
  first.hold.done();
  second.hold.done();
  await stop();
});

// Promise 2
// B19
test("channel that nobody reads fills its buffer, then refuses at once with a code that says so", async () => {
  const source = channelSource<number>({ name: "uploads", capacity: 3 });
  const { clock, lead, next } = watched(source);
  for (const value of [1, 2, 3]) await source.send(value);
  await assert.rejects(source.send(4), (error) => {
    return (
      isCodedError(error, "SourceNotOpen") &&
      error.message ===
        "Cannot send to source uploads: its buffer of 3 is full and nobody reads it, since no manager with it has started or another replica leads; send again later"
    );
  });
  const stop = lead();
  const values: number[] = [];
  for (let index = 0; index < 3; index += 1) {
    const { event, hold } = await next();
    values.push(event.object);
    hold.done();
  }
  assert.deepEqual(values, [1, 2, 3]);
  await clock.settle();
  await stop();
});

// Promise 2
test("channel that is read lets senders wait while its watch is slow", async () => {
  const source = channelSource<number>({ capacity: 1 });
  const { clock, lead, next } = watched(source);
  const stop = lead();
  await clock.settle();
  // One with the watch's buffer, one waiting before it, one in the channel.
  for (const value of [1, 2, 3]) assert.equal(await standing(clock, source.send(value)), "resolved");
  const waiting = source.send(4);
  assert.equal(await standing(clock, waiting), "pending");
  (await next()).hold.done();
  assert.equal(await standing(clock, waiting), "resolved");
  await stop();
});

// B19
test("channel refuses senders that wait when the lead is lost: none waits for ever", async () => {
  const source = channelSource<number>({ capacity: 1 });
  const { clock, lead } = watched(source);
  const stop = lead();
  await clock.settle();
  for (const value of [1, 2, 3]) await source.send(value);
  const waiting = source.send(4);
  const state = standing(clock, waiting);
  await stop();
  assert.equal(await state, "SourceNotOpen");
});

test("channel's send ends with the reason of its signal", async () => {
  const source = channelSource<number>({ capacity: 1 });
  const { clock, lead } = watched(source);
  const stop = lead();
  await clock.settle();
  for (const value of [1, 2, 3]) await source.send(value);
  const controller = new AbortController();
  const waiting = source.send(4, { signal: controller.signal });
  controller.abort("enough");
  assert.equal(await standing(clock, waiting), "enough");
  await assert.rejects(source.send(5, { signal: controller.signal }), (reason) => reason === "enough");
  await stop();
});

// Promise 1
// B19
test("channel keeps what it accepted over changes of leader, handed out or not", async () => {
  const source = channelSource<number>({ capacity: 8 });
  const { lead, next, clock } = watched(source);
  for (const value of [1, 2, 3, 4, 5]) await source.send(value);
  let stop = lead();
  const held = await next();
  await clock.settle();
  await stop();
  held.hold.giveBack();
  await source.send(6);
  stop = lead();
  const values: number[] = [];
  for (let index = 0; index < 6; index += 1) {
    const { event, hold } = await next();
    values.push(event.object);
    hold.done();
  }
  assert.deepEqual(values, [1, 2, 3, 4, 5, 6]);
  await stop();
});

test("channel carries an event without object, as a mere nudge", async () => {
  const source = channelSource();
  const { lead, next } = watched(source);
  await source.send(undefined);
  const stop = lead();
  const { event, hold } = await next();
  assert.deepEqual(event, { type: "generic", object: undefined });
  hold.done();
  await stop();
});

test("closed channel delivers what it accepted, then has ended, and accepts no more", async () => {
  const source = channelSource<number>();
  const { lead, next, hub, clock } = watched(source);
  await source.send(1);
  source.close();
  source.close();
  await assert.rejects(source.send(2), {
    code: "ChannelClosed",
    message: `Cannot send to source ${source.name}: it was closed, make another to send more`,
  });
  const stop = lead();
  (await next()).hold.giveBack();
  await clock.settle();
  assert.equal(hub.states[0]?.phase, "ended");
  await clock.advance("1s");
  const again = await next();
  assert.equal(again.event.object, 1, "given back after the end, delivered all the same");
  again.hold.done();
  await stop();
});

// Promise 4
test("channel hands on no more than maxUnacknowledged objects that are not worked on", async () => {
  const source = channelSource<number>({ maxUnacknowledged: 2 });
  const { lead, next, clock, hub } = watched(source);
  const stop = lead();
  for (const value of [1, 2, 3]) await source.send(value);
  const first = await next();
  await next();
  await clock.settle();
  assert.equal(hub.states[0]?.unacknowledged, 2);
  first.hold.done();
  assert.equal((await next()).event.object, 3);
  await stop();
});

test("channel that two managers open at once fails in the second, and says why", async () => {
  const source = channelSource<number>();
  const first = watched(source);
  const second = watched(source);
  const stopFirst = first.lead();
  await first.clock.settle();
  const stopSecond = second.lead();
  await second.clock.settle();
  assert.equal(
    second.hub.states[0]?.lastError,
    "Cannot open source channel: another manager has it open, give each its own",
  );
  await Promise.all([stopFirst(), stopSecond()]);
});
