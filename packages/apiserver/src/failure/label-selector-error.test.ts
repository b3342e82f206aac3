import assert from "node:assert/strict";
import { test } from "node:test";
import { labelSelectorError } from "./label-selector-error.ts";

test("labelSelectorError says what the real server's parser says", () => {
  for (const [selector, message] of [
    ["((", "found '(', expected: !, identifier, or 'end of string'"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ["color in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ] as const)
    assert.equal(labelSelectorError(selector), message, selector);
});

test("labelSelectorError names what is wrong with a key and with a value", () => {
  assert.match(
    labelSelectorError("-a=b"),
    /^unable to parse requirement: .*Invalid value: "-a": name part must consist of/,
  );
  assert.match(labelSelectorError("a=b_"), /Invalid value: "b_": a valid label must be an empty string or consist of/);
});
