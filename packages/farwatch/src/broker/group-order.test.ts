import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createGroupOrder, type Grouped } from "./group-order.ts";

const message = (id: string, group?: string): Grouped => ({ id, group });
const idsOf = (messages: readonly Grouped[]): string => messages.map(({ id }) => id).join("");

test("createGroupOrder hands on what has no group, and the first of each group", () => {
  const order = createGroupOrder<Grouped>();
  const messages = [message("a", "g"), message("b", "g"), message("x"), message("y"), message("c", "h")];
  assert.equal(idsOf(order.add(messages)), "axyc");
});

test("createGroupOrder hands on the next of a group when the one before is done", () => {
  const order = createGroupOrder<Grouped>();
  const [a, b, c] = [message("a", "g"), message("b", "g"), message("c", "g")];
  order.add([a, b]);
  assert.equal(order.done(a), b);
  assert.equal(idsOf(order.add([c])), "");
  assert.equal(order.done(b), c);
  assert.equal(order.done(c), undefined);
  assert.equal(idsOf(order.add([message("d", "g")])), "d");
});

test("createGroupOrder gives everything behind a message back with it", () => {
  const order = createGroupOrder<Grouped>();
  const [a, b, c] = [message("a", "g"), message("b", "g"), message("c", "g")];
  const [x, y] = [message("x", "h"), message("y", "h")];
  order.add([a, b, c, x, y]);
  assert.equal(idsOf(order.givenBack(a)), "bc");
  assert.equal(idsOf(order.add([a])), "a");
  assert.equal(order.done(x), y);
});

test("createGroupOrder puts a message that is handed over anew in the place of the earlier one", () => {
  const order = createGroupOrder<Grouped>();
  order.add([message("a", "g"), message("b", "g")]);
  const [first, second] = [message("a", "g"), message("b", "g")];
  assert.deepEqual(order.add([first, second]), [first]);
  assert.equal(order.done(first), second);
});

test("createGroupOrder never has two of a group out, and never one before an earlier one", () => {
  const step = fc.record({
    group: fc.constantFrom("g", "h", undefined),
    end: fc.boolean(),
    pick: fc.nat(),
    more: fc.nat(3),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const order = createGroupOrder<Grouped & { readonly n: number }>();
      const out: (Grouped & { readonly n: number })[] = [];
      const finished = new Map<string, number>();
      let n = 0;
      for (const { group, end, pick, more } of steps) {
        const added = Array.from({ length: more }, () => ({ id: `${++n}`, n, group }));
        out.push(...order.add(added));
        if (end && out.length > 0) {
          const [ended] = out.splice(pick % out.length, 1);
          if (ended === undefined) return;
          const { group: of } = ended;
          if (of !== undefined) {
            assert.ok(ended.n > (finished.get(of) ?? 0));
            finished.set(of, ended.n);
          }
          const next = order.done(ended);
          if (next !== undefined) out.push(next);
        }
        const groups = out.flatMap((one) => one.group ?? []);
        assert.equal(new Set(groups).size, groups.length);
      }
    }),
  );
});
