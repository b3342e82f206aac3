import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ObjectEvent } from "../event/source-event.ts";
import { createPolledThings } from "./polled-things.ts";

interface Thing {
  readonly key: string;
  readonly value: number;
}

test("polled things tell whoever applies their events what is there, whatever changes, closes and is given back", () => {
  const key = fc.constantFrom("a", "b", "c");
  const step = fc.oneof(
    fc.record({ type: fc.constant("put" as const), key, value: fc.nat({ max: 2 }) }),
    fc.record({ type: fc.constant("remove" as const), key }),
    fc.record({ type: fc.constant("poll" as const), givesBack: fc.boolean() }),
    fc.record({ type: fc.constant("reopen" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const things = createPolledThings<Thing>((before, now) => before.value === now.value);
      const there = new Map<string, Thing>();
      const heard = new Map<string, Thing>();
      let isFirst = true;

      const poll = (givesBack: boolean): void => {
        for (const each of new Set([...there.keys(), ...things.keys()])) {
          const event: ObjectEvent<Thing> | undefined = things.told(each, there.get(each), { isFirst });
          if (event === undefined) continue;
          if (event.type === "update") assert.equal(event.oldObject, heard.get(each), "the state that was told last");
          if (event.type === "create") assert.equal(event.inInitialList, isFirst);
          if (event.type !== "delete") heard.set(each, event.object);
          else if (givesBack) event.ack?.retry();
          else {
            assert.equal(event.object, heard.get(each), "the last state that was told");
            heard.delete(each);
            event.ack?.done();
          }
        }
        isFirst = false;
      };

      for (const each of steps) {
        if (each.type === "put") there.set(each.key, { key: each.key, value: each.value });
        else if (each.type === "remove") there.delete(each.key);
        else if (each.type === "poll") poll(each.givesBack);
        else isFirst = true;
      }
      poll(false);
      assert.deepEqual(heard, there);
      assert.deepEqual(new Set(things.keys()), new Set(there.keys()));
    }),
  );
});
