import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetOldest } from "./forget-oldest.ts";

test("forgetOldest keeps what was put in last, and all where that is no more than is to be kept", () => {
  const map = new Map([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);
  map.delete("a");
  map.set("a", 4);
  forgetOldest(map, 3);
  assert.equal(map.size, 3);
  forgetOldest(map, 1);
  assert.deepEqual([...map], [["a", 4]]);
  const set = new Set(["a", "b"]);
  forgetOldest(set, 1);
  assert.deepEqual([...set], ["b"]);
  forgetOldest(set, 0);
  assert.equal(set.size, 0);
});
