import assert from "node:assert/strict";
import { test } from "node:test";
import { describeDifferences, differences } from "./difference.ts";

test("differences are none for equal values, whatever the order of keys", () => {
  assert.deepEqual(differences({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }), []);
});

test("differences tell the path, what was wanted and what came", () => {
  assert.deepEqual(differences({ a: { "b/c": [1, 2] }, d: "x" }, { a: { "b/c": [1, 3, 4] }, e: null }), [
    { path: '.a["b/c"][1]', wanted: 2, got: 3 },
    { path: '.a["b/c"][2]', wanted: undefined, got: 4 },
    { path: ".d", wanted: "x", got: undefined },
    { path: ".e", wanted: undefined, got: null },
  ]);
});

test("differences tell null, nothing, lists and objects apart", () => {
  for (const [wanted, got] of [
    [null, undefined],
    [[], {}],
    [{}, null],
    ["1", 1],
    [[1], [1, 1]],
  ] as const)
    assert.equal(differences(wanted, got).length, 1);
});

test("differences do not take a key of the prototype for one of the object", () => {
  assert.equal(differences(JSON.parse('{"constructor":1}'), {}).length, 1);
});

test("differences are shown up to a number", () => {
  const text = describeDifferences(differences([1, 2, 3], [4, 5, 6]), 1);
  assert.equal(text, "[0]\n  wanted 1\n  got    4\nand 2 more");
});
