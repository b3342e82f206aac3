import assert from "node:assert/strict";
import { test } from "node:test";
import { type AcceptedEventsOptions, createAcceptedEvents } from "./accepted-events.ts";

function setUp(options: Partial<AcceptedEventsOptions> = {}) {
  const accepted = createAcceptedEvents<{ readonly n: number }>({
    capacity: 3,
    maxBytes: 100,
    acknowledged: false,
    ...options,
  });
  const { signal } = new AbortController();
  return { accepted, put: (n: number, bytes: number) => accepted.put({ object: { n } }, bytes), signal };
}

test("accepted events have room up to a number and to bytes, until they are read", async () => {
  const { accepted, put, signal } = setUp();
  assert.deepEqual([accepted.hasRoom(3, 100), accepted.hasRoom(4, 4)], [true, false]);
  assert.deepEqual(await put(1, 60), { held: true });
  assert.deepEqual([accepted.hasRoom(2, 40), accepted.hasRoom(1, 41), accepted.hasRoom(3, 3)], [true, false, false]);
  const event = await accepted.next(signal);
  assert.equal(event && accepted.bytesOf(event.object), 60);
  assert.equal(accepted.hasRoom(3, 100), true);
});

test("accepted events have room for one of any size when there is none", async () => {
  const { accepted, put } = setUp();
  assert.equal(accepted.hasRoom(1, 1_000), true);
  await put(1, 1_000);
  assert.equal(accepted.hasRoom(1, 1), false);
});

test("accepted events that wait to be acknowledged are held then, or given back when nobody reads", async () => {
  const { accepted, put, signal } = setUp({ acknowledged: true });
  const outcomes = [put(1, 50), put(2, 50), put(3, 50), put(4, 50)];
  assert.deepEqual(await outcomes[3], { held: false }, "there are three already");
  (await accepted.next(signal))?.ack?.done();
  assert.deepEqual(await outcomes[0], { held: true });
  (await accepted.next(signal))?.ack?.retry("2s");
  assert.deepEqual(await outcomes[1], { held: false, retryAfterMs: 2_000 });
  accepted.giveBack();
  assert.deepEqual(await outcomes[2], { held: false, retryAfterMs: undefined });
  assert.equal(accepted.hasRoom(3, 100), true);
});

test("accepted events that are held as they are stay when nobody reads", async () => {
  const { accepted, put, signal } = setUp();
  await put(1, 50);
  accepted.giveBack();
  assert.equal((await accepted.next(signal))?.object.n, 1);
});
