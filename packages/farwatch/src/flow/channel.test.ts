import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import { type Channel, createChannel } from "./channel.ts";

/** One turn of the event loop, in which every promise that can settle does. */
const turn = (): Promise<void> => createVirtualClock().settle();

/** Whether a promise has settled, told after a turn. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  await turn();
  return settled;
}

async function drain<T>(channel: Channel<T>): Promise<readonly T[]> {
  const values: T[] = [];
  for await (const value of channel) values.push(value);
  return values;
}

test("channel gives values out in the order in which they went in", async () => {
  const channel = createChannel<number>();
  for (const value of [1, 2, 3]) await channel.send(value);
  assert.equal(channel.size, 3);
  channel.close();
  assert.deepEqual(await drain(channel), [1, 2, 3]);
  assert.equal(channel.size, 0);
});

test("channel refuses a capacity that is no whole number of at least 1", () => {
  for (const capacity of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => createChannel({ capacity }), { code: "InvalidOption" });
  }
  assert.throws(() => createChannel({ capacity: 0 }), {
    message: "Cannot create a channel: capacity is 0, give a whole number of at least 1",
  });
});

// Promise 2
test("channel lets senders wait for room, and admits them in their order", async () => {
  const channel = createChannel<number>({ capacity: 1 });
  await channel.send(1);
  const second = channel.send(2);
  const third = channel.send(3);
  assert.equal(channel.trySend(4), false);
  assert.equal(await hasSettled(second), false);
  assert.equal(channel.tryReceive(), 1);
  await second;
  assert.equal(await hasSettled(third), false);
  assert.equal(channel.size, 1);
  assert.equal(channel.tryReceive(), 2);
  await third;
  channel.close();
  assert.deepEqual(await drain(channel), [3]);
});

test("channel hands a value straight to a reader that waits", async () => {
  const channel = createChannel<string>({ capacity: 1 });
  const first = channel.receive();
  const second = channel.receive();
  assert.equal(channel.trySend("a"), true);
  assert.equal(channel.size, 0);
  assert.equal(channel.trySend("b"), true);
  assert.deepEqual(await Promise.all([first, second]), ["a", "b"]);
});

// Promise 2
test("channel drops the oldest when it is full and may, tells of each and counts them", async () => {
  const gone: number[] = [];
  const channel = createChannel<number>({ capacity: 2, overflow: "dropOldest", onDrop: (value) => gone.push(value) });
  for (const value of [1, 2, 3, 4]) assert.equal(channel.trySend(value), true);
  await channel.send(5);
  assert.deepEqual(gone, [1, 2, 3]);
  assert.equal(channel.dropped, 3);
  channel.close();
  assert.deepEqual(await drain(channel), [4, 5]);
});

interface Change {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

// Promise 2
test("channel merges values of a key in the place of the first, and waits when no key matches", async () => {
  const channel = createChannel<Change>({
    capacity: 2,
    overflow: { coalesce: ({ key }) => key },
    merge: (buffered, value) => ({ ...value, from: buffered.from }),
  });
  await channel.send({ key: "a", from: 0, to: 1 });
  await channel.send({ key: "b", from: 0, to: 1 });
  await channel.send({ key: "a", from: 1, to: 2 });
  await channel.send({ key: "a", from: 2, to: 3 });
  assert.equal(channel.trySend({ key: "c", from: 0, to: 1 }), false);
  assert.equal(channel.size, 2);
  channel.close();
  assert.deepEqual(await drain(channel), [
    { key: "a", from: 0, to: 3 },
    { key: "b", from: 0, to: 1 },
  ]);
});

test("channel keeps the newer value of a key when none is told how to merge", async () => {
  const channel = createChannel<Change>({ overflow: { coalesce: ({ key }) => key } });
  for (const to of [1, 2, 3]) await channel.send({ key: "a", from: 0, to });
  assert.deepEqual(channel.tryReceive(), { key: "a", from: 0, to: 3 });
  assert.equal(channel.size, 0);
});

test("channel starts a new entry for a key whose value was taken", async () => {
  const channel = createChannel<Change>({ overflow: { coalesce: ({ key }) => key } });
  await channel.send({ key: "a", from: 0, to: 1 });
  assert.deepEqual(channel.tryReceive(), { key: "a", from: 0, to: 1 });
  await channel.send({ key: "a", from: 1, to: 2 });
  assert.deepEqual(channel.tryReceive(), { key: "a", from: 1, to: 2 });
});

test("channel keeps the order of a key whose values wait for room", async () => {
  const channel = createChannel<Change>({ capacity: 1, overflow: { coalesce: ({ key }) => key } });
  const change = (key: string, to: number): Change => ({ key, from: 0, to });
  await channel.send(change("x", 0));
  const waiting = [channel.send(change("a", 1)), channel.send(change("b", 1)), channel.send(change("a", 2))];
  assert.deepEqual(channel.tryReceive(), change("x", 0));
  await Promise.all([waiting[0], waiting[2]]);
  await channel.send(change("a", 3));
  assert.deepEqual(channel.tryReceive(), change("a", 3));
  await waiting[1];
  assert.deepEqual(channel.tryReceive(), change("b", 1));
});

// Promise 14
test("channel ends a wait to send with the reason of its signal, and never sends that value", async () => {
  const channel = createChannel<number>({ capacity: 1 });
  await channel.send(1);
  const stop = new AbortController();
  const reason = new Error("stop");
  const second = assert.rejects(channel.send(2, { signal: stop.signal }), reason);
  const third = channel.send(3);
  stop.abort(reason);
  await second;
  await assert.rejects(channel.send(4, { signal: stop.signal }), reason);
  assert.equal(channel.tryReceive(), 1);
  await third;
  channel.close();
  assert.deepEqual(await drain(channel), [3]);
});

// Promise 14
test("channel ends a wait to receive with the reason of its signal, and loses no value to it", async () => {
  const channel = createChannel<number>();
  const stop = new AbortController();
  const reason = new Error("stop");
  const aborted = assert.rejects(channel.receive(stop.signal), reason);
  const next = channel.receive();
  stop.abort(reason);
  await aborted;
  await channel.send(1);
  assert.equal(await next, 1);
  await assert.rejects(channel.receive(stop.signal), reason);
});

test("channel keeps what a reader was handed in the moment in which it was aborted", async () => {
  const channel = createChannel<number>();
  const stop = new AbortController();
  const next = channel.receive(stop.signal);
  channel.trySend(1);
  stop.abort();
  assert.equal(await next, 1);
});

test("channel that is closed refuses senders, those that wait too, and lets the rest be read", async () => {
  const channel = createChannel<number>({ capacity: 1 });
  await channel.send(1);
  const waiting = assert.rejects(channel.send(2), (error) => isCodedError(error, "ChannelClosed"));
  channel.close();
  channel.close();
  assert.equal(channel.closed, true);
  await waiting;
  await assert.rejects(channel.send(3), { message: "Cannot send: the channel is closed, open a new one" });
  assert.throws(() => channel.trySend(4), { code: "ChannelClosed" });
  assert.equal(await channel.receive(), 1);
  assert.equal(await channel.receive(), undefined);
});

test("channel refuses those who wait for room when told to, keeps what is buffered and takes more", async () => {
  const channel = createChannel<number>({ capacity: 1 });
  await channel.send(1);
  const waiting = [2, 3].map((value) => assert.rejects(channel.send(value), (reason) => reason === "nobody reads"));
  channel.refuse(() => "nobody reads");
  await Promise.all(waiting);
  assert.equal(await channel.receive(), 1);
  await channel.send(4);
  assert.equal(channel.tryReceive(), 4);
});

test("channel that is closed ends every reader that waits", async () => {
  const channel = createChannel<number>();
  const readers = [channel.receive(), channel.receive(), drain(channel)];
  channel.close();
  assert.deepEqual(await Promise.all(readers), [undefined, undefined, []]);
});

test("channel carries undefined, up to the last value before it is closed", async () => {
  const channel = createChannel<number | undefined>();
  for (const value of [undefined, 1, undefined]) await channel.send(value);
  channel.close();
  assert.deepEqual(await drain(channel), [undefined, 1, undefined]);
});

test("channel whose reader leaves its loop keeps the rest for the next", async () => {
  const channel = createChannel<number>();
  for (const value of [1, 2, 3]) await channel.send(value);
  for await (const value of channel) {
    assert.equal(value, 1);
    break;
  }
  channel.close();
  assert.deepEqual(await drain(channel), [2, 3]);
});

test("channel stays quick when far more waits in it than it once held", async () => {
  const channel = createChannel<number>({ capacity: 200_000 });
  let sum = 0;
  for (let value = 0; value < 200_000; value += 1) channel.trySend(value);
  for (let value = channel.tryReceive(); value !== undefined; value = channel.tryReceive()) sum += value;
  assert.equal(sum, (200_000 * 199_999) / 2);
});

interface Item {
  readonly key: string;
  readonly numbers: readonly number[];
}

test("channel behaves like a list, whatever is sent, received and aborted", async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant("send" as const), key: fc.constantFrom("a", "b", "c") }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("receive" as const) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("trySend" as const), key: fc.constantFrom("a", "b", "c") }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("abort" as const), which: fc.nat() }) },
  );
  const overflows = fc.constantFrom("wait" as const, "dropOldest" as const, "coalesce" as const);
  await fc.assert(
    fc.asyncProperty(
      overflows,
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { maxLength: 40 }),
      async (overflow, capacity, steps) => {
        const merge = (a: Item, b: Item): Item => ({ key: a.key, numbers: [...a.numbers, ...b.numbers] });
        const channel = createChannel<Item>({
          capacity,
          overflow: overflow === "coalesce" ? { coalesce: ({ key }) => key } : overflow,
          merge,
        });
        // The model: two lists and the rules in words.
        let buffer: Item[] = [];
        let waiting: { readonly item: Item; readonly number: number; readonly stop: AbortController }[] = [];
        const settled = new Map<number, "sent" | "aborted">();
        const expected = new Map<number, "sent" | "aborted">();

        const put = (item: Item): boolean => {
          const same = overflow === "coalesce" ? buffer.findIndex(({ key }) => key === item.key) : -1;
          if (same >= 0) buffer = buffer.with(same, merge(buffer[same] as Item, item));
          else if (buffer.length < capacity) buffer.push(item);
          else if (overflow === "dropOldest") buffer = [...buffer.slice(1), item];
          else return false;
          return true;
        };

        for (const [number, each] of steps.entries()) {
          if (each.type === "send") {
            const item: Item = { key: each.key, numbers: [number] };
            const stop = new AbortController();
            channel.send(item, { signal: stop.signal }).then(
              () => settled.set(number, "sent"),
              () => settled.set(number, "aborted"),
            );
            if (put(item)) expected.set(number, "sent");
            else waiting.push({ item, number, stop });
          } else if (each.type === "trySend") {
            const item: Item = { key: each.key, numbers: [number] };
            assert.equal(channel.trySend(item), put(item));
          } else if (each.type === "receive") {
            assert.deepEqual(channel.tryReceive(), buffer.shift());
            waiting = waiting.filter(({ item, number: sender }) => {
              if (!put(item)) return true;
              expected.set(sender, "sent");
              return false;
            });
          } else if (waiting.length > 0) {
            const [gone] = waiting.splice(each.which % waiting.length, 1);
            gone?.stop.abort();
            if (gone !== undefined) expected.set(gone.number, "aborted");
          }
          assert.equal(channel.size, buffer.length);
        }
        await turn();
        assert.deepEqual([...settled].toSorted(), [...expected].toSorted());
      },
    ),
    { numRuns: 300 },
  );
});
