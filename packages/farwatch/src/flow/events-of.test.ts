import assert from "node:assert/strict";
// biome-ignore lint/style/noRestrictedImports: what is read is somebody else's emitter.
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { isCodedError } from "../error/coded-error.ts";
import { eventsOf } from "./events-of.ts";

function emitter() {
  const target = new EventEmitter();
  const controller = new AbortController();
  return {
    target,
    controller,
    signal: controller.signal,
    listeners: () => target.eventNames().reduce((sum, name) => sum + target.listenerCount(name), 0),
  };
}

async function firstOf<T>(events: AsyncIterable<T>, count: number): Promise<T[]> {
  const first: T[] = [];
  for await (const event of events) {
    first.push(event);
    if (first.length === count) break;
  }
  return first;
}

test("events of an emitter are its arguments, in order, from the call on", async () => {
  const { target, signal, listeners } = emitter();
  target.emit("change", "before");
  const events = eventsOf(target, "change", { signal });
  target.emit("change", "a", 1);
  target.emit("other", "x");
  target.emit("change", "b", 2);
  assert.deepEqual(await firstOf(events, 2), [
    ["a", 1],
    ["b", 2],
  ]);
  assert.equal(listeners(), 0, "who leaves the loop leaves no listener");
});

test("events of an event target are its events", async () => {
  const target = new EventTarget();
  const events = eventsOf(target, "change", { signal: new AbortController().signal });
  const event = new Event("change");
  target.dispatchEvent(new Event("other"));
  target.dispatchEvent(event);
  assert.deepEqual(await firstOf(events, 1), [event]);
});

test("events end without error when their signal aborts, whether or not somebody waits", async () => {
  for (const waits of [true, false]) {
    const { target, controller, signal, listeners } = emitter();
    const iterator = eventsOf(target, "change", { signal })[Symbol.asyncIterator]();
    const pending = waits ? iterator.next() : undefined;
    if (!waits) target.emit("change", "late");
    controller.abort(new Error("stop"));
    assert.deepEqual(await (pending ?? iterator.next()), { done: true, value: undefined });
    assert.equal(listeners(), 0);
    assert.deepEqual(await iterator.next(), { done: true, value: undefined });
  }
  const { target, signal, listeners } = { ...emitter(), signal: AbortSignal.abort() };
  assert.deepEqual(await firstOf(eventsOf(target, "change", { signal }), 1), []);
  assert.equal(listeners(), 0);
});

test("events end when the reader leaves while it waits", async () => {
  const { target, signal, listeners } = emitter();
  const iterator = eventsOf(target, "change", { signal })[Symbol.asyncIterator]();
  const pending = iterator.next();
  await iterator.return?.();
  assert.deepEqual(await pending, { done: true, value: undefined });
  assert.equal(listeners(), 0);
});

test("events of an emitter that fails come first, then its error, which crashes nothing", async () => {
  const { target, signal, listeners } = emitter();
  const events = eventsOf(target, "change", { signal });
  target.emit("change", 1);
  target.emit("error", new Error("lost"));
  const seen: unknown[] = [];
  await assert.rejects(
    (async () => {
      for await (const event of events) seen.push(event);
    })(),
    /lost/,
  );
  assert.deepEqual(seen, [[1]]);
  assert.equal(listeners(), 0);
});

test("errors of an emitter are events when they are what is asked for", async () => {
  const { target, signal } = emitter();
  const events = eventsOf(target, "error", { signal });
  target.emit("error", "e");
  assert.deepEqual(await firstOf(events, 1), [["e"]]);
});

test("events that nobody reads are bounded: the oldest go, and are counted", async () => {
  const { target, signal } = emitter();
  let dropped = 0;
  const events = eventsOf(target, "change", {
    signal,
    capacity: 3,
    dropped() {
      dropped += 1;
    },
  });
  for (let n = 1; n <= 100_000; n += 1) target.emit("change", n);
  assert.equal(dropped, 99_997);
  assert.deepEqual(await firstOf(events, 3), [[99_998], [99_999], [100_000]]);
  assert.throws(
    () => eventsOf(target, "change", { signal, capacity: 0 }),
    (error) => isCodedError(error, "InvalidOption"),
  );
  assert.equal(target.listenerCount("change"), 0);
});
