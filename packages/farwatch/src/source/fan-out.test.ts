import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hold } from "../event/delivery.ts";
import { channelSource } from "./channel-source.ts";
import { isEmpty, opened, pushed, type Settled, setUp, take } from "./pushed-source.fixture.ts";
import type { SourceHealth } from "./source.ts";
import { sourceLike } from "./source-like.ts";

// Promise 4
test("fan-out acknowledges an event once all its watches have finished with it", async () => {
  const env = setUp();
  const acks: Settled[] = [];
  const { source, push } = pushed({ acks });
  const one = env.hub.subscribe(source, { name: "one" });
  const two = env.hub.subscribe(source, { name: "two" });
  const scope = opened(env);
  push("a", "b");
  await take(one, 2);
  assert.deepEqual(acks, []);
  await take(two, 1);
  assert.deepEqual(acks, [["done", "a"]]);
  await take(two, 1, "giveBack");
  assert.deepEqual(acks.slice(1), [["retry", "b"]]);
  await scope.close();
});

// Promise 4
test("fan-out does not hand the acknowledgement itself to watches", async () => {
  const env = setUp();
  const { source, push } = pushed({ acks: [] });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a");
  const received = await watch.receive();
  assert.equal(received?.event.ack, undefined);
  received?.hold.done();
  await scope.close();
});

// Promise 4
test("fan-out lets no more be read at maxUnacknowledged, and goes on when an event is settled", async () => {
  const env = setUp();
  const { source, push, read } = pushed({ acks: [], maxUnacknowledged: 2 });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a", "b", "c", "d");
  const [first, second] = [await watch.receive(), await watch.receive()];
  await env.clock.settle();
  assert.deepEqual(read, ["a", "b"]);
  assert.equal(env.hub.states[0]?.unacknowledged, 2);
  first?.hold.done();
  const third = await watch.receive();
  assert.equal(third?.event.object, "c");
  await env.clock.settle();
  assert.deepEqual(read, ["a", "b", "c"]);
  second?.hold.done();
  third.hold.done();
  await scope.close();
});

test("fan-out says that a source is held only while it is not read, for requests that mostly fail", async () => {
  const env = setUp();
  const { source, push } = pushed({ acks: [], maxUnacknowledged: 3 });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  const reason = () => env.hub.states[0]?.reason;
  push("a", "b");
  const [a, b] = [await watch.receive(), await watch.receive()];
  a?.hold.stuckOn("x/a");
  b?.hold.stuckOn("x/b");
  assert.equal(reason(), undefined, "there is room for a third");
  push("c");
  const c = await watch.receive();
  assert.deepEqual(reason(), { type: "Held", request: "x/a" });
  assert.equal(env.hub.states[0]?.phase, "serving");
  a?.hold.stuckOn(undefined);
  assert.equal(reason(), undefined, "what works will make room");
  for (const received of [a, b, c]) received?.hold.done();
  await scope.close();
});

test("fan-out says that a source is held while its stream says that it is blocked, and no longer than that", async () => {
  const env = setUp();
  const told: SourceHealth["blocked"][] = [];
  const { source, push } = pushed({ acks: [] });
  const watch = env.hub.subscribe(
    sourceLike(source, {
      events(ctx) {
        told.push(ctx.health.blocked);
        return source.events(ctx);
      },
    }),
    { name: "w" },
  );
  const scope = opened(env);
  const reason = () => env.hub.states[0]?.reason?.request;
  push("a", "b", "c");
  const received = [await watch.receive(), await watch.receive(), await watch.receive()];
  const [blocked] = told;
  blocked?.("full");
  received[0]?.hold.stuckOn("x/a");
  assert.equal(reason(), undefined, "most are not stuck");
  blocked?.("oldest");
  assert.equal(reason(), "x/a");
  received[1]?.hold.stuckOn("x/b");
  blocked?.("full");
  assert.equal(reason(), "x/a");
  blocked?.(undefined);
  assert.equal(reason(), undefined);
  blocked?.("full");
  for (const each of received) each?.hold.done();
  await scope.close();
  assert.equal(reason(), undefined);
  blocked?.("full");
  assert.equal(reason(), undefined, "its stream has closed");
});

for (const [how, done] of [
  ["throws", (): never => assert.fail("broker gone")],
  ["rejects", async (): Promise<never> => assert.fail("broker gone")],
] as const) {
  test(`fan-out survives an acknowledgement that ${how}, and counts it`, async () => {
    const env = setUp();
    const { source } = pushed({
      ends: true,
      async *events() {
        yield { type: "generic", object: "a", ack: { done, retry() {} } };
      },
    });
    const watch = env.hub.subscribe(source, { name: "w" });
    const scope = opened(env);
    await take(watch, 1);
    await env.clock.settle();
    const errors = env.metrics.counter({
      name: "farwatch_source_acknowledgement_errors_total",
      help: "",
      labelNames: ["source"],
    });
    assert.equal(errors.read({ source: "pushed" }), 1);
    assert.equal(env.hub.states[0]?.unacknowledged, 0);
    await scope.close();
  });
}

// Promise 2
test("fan-out lets no more be read than maxUnacknowledged of a source whose events are all given back", async () => {
  const env = setUp();
  const { source, push, read } = pushed({ maxUnacknowledged: 2 });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a", "b", "c", "d", "e", "f");
  for (let round = 0; round < 5; round += 1) {
    assert.deepEqual(await take(watch, 2, "giveBack"), ["a", "b"]);
    await env.clock.settle();
    assert.equal(env.hub.states[0]?.unacknowledged, 2);
    await env.clock.advance("1s");
  }
  assert.deepEqual(read, ["a", "b"]);
  assert.deepEqual(await take(watch, 6), ["a", "b", "c", "d", "e", "f"]);
  await scope.close();
});

// Promise 1
test("fan-out gives back to the origin what waits in buffers when the lead is lost", async () => {
  const env = setUp();
  const acks: Settled[] = [];
  const { source, push, openings } = pushed({ acks });
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a", "b");
  await env.clock.settle();
  await scope.close();
  assert.deepEqual(acks, [
    ["retry", "a"],
    ["retry", "b"],
  ]);
  assert.equal(openings[0]?.aborted, true);
  assert.equal(await isEmpty(watch), true);
  assert.equal(env.hub.states[0]?.phase, "waiting");
});

// Promise 1
test("fan-out keeps events without an origin over a change of leader, in order, and delivers them before newer ones", async () => {
  const env = setUp();
  const { source, push } = pushed({ capacity: 2 });
  const watch = env.hub.subscribe(source, { name: "w" });
  const first = opened(env);
  push("a", "b", "c", "d");
  await env.clock.settle();
  const held = await watch.receive();
  await env.clock.settle();
  await first.close();
  held?.hold.giveBack();
  assert.equal(env.hub.states[0]?.kept, 4);
  push("e");
  await env.clock.advance("1h");
  assert.equal(await isEmpty(watch), true);
  const second = opened(env);
  assert.deepEqual(await take(watch, 5), ["a", "b", "c", "d", "e"]);
  assert.equal(env.hub.states[0]?.kept, 0);
  await second.close();
});

// Promise 1
test("fan-out keeps events without an origin for the next manager of this process", async () => {
  const env = setUp();
  const { source, push } = pushed();
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a");
  await env.clock.settle();
  await scope.close();
  await watch[Symbol.asyncDispose]();
  const next = setUp();
  const again = next.hub.subscribe(source, { name: "w" });
  const reopened = opened(next);
  assert.deepEqual(await take(again, 1), ["a"]);
  await reopened.close();
});

test("fan-out keeps the order in which events came first when their source is removed and added", async () => {
  const { source, push } = pushed();
  /** Reads so many of a source that is added, and removed again; the holds that are not released. */
  const readOnce = async (count: number, done: number): Promise<readonly Hold[]> => {
    const env = setUp();
    const watch = env.hub.subscribe(source, { name: "w" });
    const scope = opened(env);
    const holds: Hold[] = [];
    for (let n = 0; n < count; n += 1) {
      const { hold } = (await watch.receive()) ?? assert.fail("nothing came");
      if (n < done) hold.done();
      else holds.push(hold);
    }
    await scope.close();
    await watch[Symbol.asyncDispose]();
    return holds;
  };
  push("a", "b", "c", "d");
  const ofFirst = await readOnce(4, 3);
  push("e");
  for (const hold of await readOnce(1, 0)) hold.giveBack();
  for (const hold of ofFirst) hold.giveBack();
  const env = setUp();
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  assert.deepEqual(await take(watch, 2), ["d", "e"]);
  await scope.close();
});

// Promise 2
test("fan-out keeps an event that comes again before younger ones", async () => {
  const env = setUp();
  const { source, push } = pushed();
  const watch = env.hub.subscribe(source, { name: "w" });
  const first = opened(env);
  push("a", "b");
  const [a, b] = [await watch.receive(), await watch.receive()];
  a?.hold.giveBack("1s");
  await env.clock.advance("1s");
  const again = await watch.receive();
  assert.equal(again?.event.object, "a");
  await first.close();
  b?.hold.giveBack();
  again?.hold.giveBack();
  const second = opened(env);
  assert.deepEqual(await take(watch, 2), ["a", "b"]);
  await second.close();
});

test("fan-out delivers what another manager gave back when it opens the source in its place", async () => {
  const [first, second] = [setUp(), setUp()];
  const source = channelSource<string>();
  first.hub.subscribe(source, { name: "w" });
  const watch = second.hub.subscribe(source, { name: "w" });
  const [open, waiting] = [opened(first), opened(second)];
  await source.send("a");
  await first.clock.settle();
  await second.clock.settle();
  await open.close();
  await source.send("b");
  await second.clock.advance("2s");
  assert.deepEqual(await take(watch, 2), ["a", "b"]);
  await waiting.close();
});

test("fan-out drops what waits of a source that tells everything anew when it is opened", async () => {
  const env = setUp();
  const { source, push } = pushed({ restates: true });
  const watch = env.hub.subscribe(source, { name: "w" });
  const first = opened(env);
  push("a");
  await env.clock.settle();
  await first.close();
  assert.equal(env.hub.states[0]?.kept, 0);
  const second = opened(env);
  await env.clock.settle();
  assert.equal(await isEmpty(watch), true);
  await second.close();
});

test("fan-out delivers a given-back event again after the time that was asked for", async () => {
  const env = setUp();
  const { source, push } = pushed();
  const watch = env.hub.subscribe(source, { name: "w" });
  const scope = opened(env);
  push("a");
  (await watch.receive())?.hold.giveBack("30s");
  await env.clock.advance("29s");
  assert.equal(await isEmpty(watch), true);
  await env.clock.advance("1s");
  assert.deepEqual(await take(watch, 1), ["a"]);
  await scope.close();
});

// Promise 1
test("fan-out delivers an event whose size its source cannot tell, and goes on", async () => {
  const throws = (): number => {
    throw new Error("no size");
  };
  for (const bytesOf of [throws, () => Number.NaN, () => -1]) {
    const env = setUp();
    const { source, push, read } = pushed({ bytesOf });
    const watch = env.hub.subscribe(source, { name: "w" });
    const scope = opened(env);
    push("a", "b", "c");
    await env.clock.advance("1m");
    assert.deepEqual(read, ["a", "b", "c"]);
    assert.deepEqual(await take(watch, 3), ["a", "b", "c"]);
    assert.equal(env.log.lines.filter(({ level }) => level === "error").length, 3);
    await scope.close();
  }
});
