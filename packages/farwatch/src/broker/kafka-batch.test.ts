import assert from "node:assert/strict";
import { test } from "node:test";
import { batchOf, type FetchedBatch } from "./kafka-batch.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const fetched: FetchedBatch = {
  topic: "uploads",
  partition: 3,
  fetchedOffset: "9007199254740993",
  messages: [
    {
      offset: "9007199254740995",
      timestamp: "1700000000000",
      key: null,
      value: bytes("body"),
      headers: { kind: bytes("put"), again: ["one", bytes("two")], gone: undefined, ["__proto__"]: "hostile" },
    },
    { offset: "9007199254740996", timestamp: "1700000000001", value: null },
  ],
  firstOffset: () => "9007199254740995",
  lastOffset: () => "9007199254740997",
};

test("batchOf keeps offsets whole that a number cannot hold, and says where to go on", () => {
  const { start, next, records } = batchOf(fetched);
  assert.deepEqual([start, next], [9007199254740993n, 9007199254740998n]);
  assert.deepEqual(
    records.map(({ offset }) => offset),
    [9007199254740995n, 9007199254740996n],
  );
});

test("batchOf gives the last value of each header as text, and a tombstone without a value", () => {
  const [put, tombstone] = batchOf(fetched).records;
  assert.deepEqual(
    [...(put?.headers ?? [])],
    [
      ["kind", "put"],
      ["again", "two"],
      ["__proto__", "hostile"],
    ],
  );
  assert.deepEqual([put?.key, put?.timestampMs], [undefined, 1_700_000_000_000]);
  assert.deepEqual([tombstone?.value, tombstone?.headers], [undefined, new Map()]);
});

test("batchOf begins at the first record where the client does not say what it asked for", () => {
  const { fetchedOffset: _, ...unsaid } = fetched;
  assert.equal(batchOf(unsaid).start, 9007199254740995n);
});
