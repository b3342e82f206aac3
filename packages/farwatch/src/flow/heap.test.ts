import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createHeap, type HeapEntry } from "./heap.ts";

test("heap gives items back in order, whatever was pushed, popped and removed before", () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant("push" as const), value: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ type: fc.constant("pop" as const) }),
    fc.record({ type: fc.constant("remove" as const), which: fc.nat() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      // The number of the push breaks ties, so that which of two equal values leaves is known.
      const compare = (a: readonly [number, number], b: readonly [number, number]): number =>
        a[0] - b[0] || a[1] - b[1];
      const heap = createHeap<readonly [value: number, pushed: number]>((a, b) => compare(a, b) < 0);
      let model: { readonly item: readonly [number, number]; readonly entry: HeapEntry }[] = [];
      for (const [number, each] of steps.entries()) {
        if (each.type === "push") {
          const item = [each.value, number] as const;
          model.push({ item, entry: heap.push(item) });
        } else if (each.type === "remove") {
          const [gone] = model.splice(each.which % Math.max(1, model.length), 1);
          gone?.entry[Symbol.dispose]();
          gone?.entry[Symbol.dispose]();
        } else {
          const least = model.map(({ item }) => item).toSorted(compare)[0];
          assert.equal(heap.peek(), least);
          assert.equal(heap.pop(), least);
          for (const { item, entry } of model) if (item === least) entry[Symbol.dispose]();
          model = model.filter(({ item }) => item !== least);
        }
        assert.equal(heap.size, model.length);
      }
      const rest: (readonly [number, number])[] = [];
      for (let next = heap.pop(); next !== undefined; next = heap.pop()) rest.push(next);
      assert.deepEqual(rest, model.map(({ item }) => item).toSorted(compare));
    }),
  );
});

test("heap of 100,000 items puts one in and takes the first out in a number of comparisons that grows with the logarithm", () => {
  let comparisons = 0;
  const heap = createHeap<number>((a, b) => {
    comparisons += 1;
    return a < b;
  });
  const size = 100_000;
  for (let index = 0; index < size; index += 1) heap.push((index * 7_919) % size);
  assert.ok(comparisons <= size * 17, `${comparisons} comparisons for ${size} items put in`);
  comparisons = 0;
  // As a timer does: the first goes, and comes again later.
  for (let turn = 0; turn < 1_000; turn += 1) heap.push((heap.pop() ?? 0) + size);
  assert.ok(comparisons <= 1_000 * 3 * 17, `${comparisons} comparisons for 1,000 turns`);
});

test("heap removes an item in a number of comparisons that grows with the logarithm of its size", () => {
  let comparisons = 0;
  const heap = createHeap<number>((a, b) => {
    comparisons += 1;
    return a < b;
  });
  const size = 2 ** 14;
  const entries = Array.from({ length: size }, (_, index) => heap.push((index * 7_919) % size));
  comparisons = 0;
  for (const entry of entries.slice(0, 1_000)) entry[Symbol.dispose]();
  assert.equal(heap.size, size - 1_000);
  assert.ok(comparisons <= 1_000 * 3 * 14, `${comparisons} comparisons for 1,000 removals`);
});

test("heap gives undefined when it is empty", () => {
  const heap = createHeap<number>((a, b) => a < b);
  assert.equal(heap.peek(), undefined);
  assert.equal(heap.pop(), undefined);
  assert.equal(heap.size, 0);
});
