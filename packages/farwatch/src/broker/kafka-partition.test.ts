import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createKafkaPartition } from "./kafka-partition.ts";

test("createKafkaPartition commits no further than the lowest message that is not finished", () => {
  const partition = createKafkaPartition("uploads", 0, 10n);
  for (const offset of [10n, 11n, 13n]) partition.take(offset, 5);
  assert.equal(partition.position, 10n);
  partition.finish(11n);
  partition.finish(13n);
  assert.deepEqual([partition.position, partition.open, partition.ahead], [10n, 1, 3]);
  partition.finish(10n);
  assert.deepEqual([partition.position, partition.open, partition.ahead], [14n, 0, 0]);
});

test("createKafkaPartition finishes no message twice, and none that was not taken", () => {
  const partition = createKafkaPartition("uploads", 0, 0n);
  partition.take(0n, 5);
  partition.take(1n, 5);
  partition.finish(1n);
  partition.finish(1n);
  partition.finish(7n);
  assert.deepEqual([partition.open, partition.openBytes, partition.position], [1, 5, 0n]);
});

test("createKafkaPartition passes what holds no message, and nothing that is not finished", () => {
  const partition = createKafkaPartition("uploads", 0, 0n);
  partition.take(0n, 5);
  partition.passTo(5n);
  partition.passTo(3n);
  assert.deepEqual([partition.next, partition.position], [5n, 0n]);
  partition.finish(0n);
  assert.equal(partition.position, 5n);
});

test("createKafkaPartition says of any order of work what a list of all messages says", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.nat(3).map((gap) => ({ gap })),
          fc.nat(30).map((finish) => ({ finish })),
        ),
        { maxLength: 100 },
      ),
      (steps) => {
        const partition = createKafkaPartition("uploads", 0, 0n);
        const all = new Map<bigint, boolean>();
        let next = 0n;
        for (const step of steps) {
          if ("gap" in step) {
            const offset = next + BigInt(step.gap);
            partition.take(offset, 5);
            all.set(offset, false);
            next = offset + 1n;
          } else {
            const offset = BigInt(step.finish);
            partition.finish(offset);
            if (all.has(offset)) all.set(offset, true);
          }
          const unfinished = [...all].filter(([, finished]) => !finished).map(([offset]) => offset);
          assert.equal(partition.position, unfinished[0] ?? next);
          assert.equal(partition.open, unfinished.length);
        }
      },
    ),
  );
});
