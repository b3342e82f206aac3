import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareVersions } from "./version.ts";

test("versions compare as numbers of any length when both are decimal", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n }), fc.bigInt({ min: 0n }), (a, b) => {
      assert.equal(Math.sign(compareVersions(String(a), String(b)) ?? Number.NaN), a === b ? 0 : a < b ? -1 : 1);
    }),
  );
});

test("versions that are not both decimal are only equal or not", () => {
  for (const [a, b] of [
    ["abc", "abd"],
    ["10", "9a"],
    ["", "1"],
    ["01", "1"],
    ["-1", "1"],
    ["1.0", "1"],
  ] as const) {
    assert.equal(compareVersions(a, b), undefined);
    assert.equal(compareVersions(a, a), 0);
  }
});
