import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isTooDeep, JsonProblem, maxJsonLevels, readJson } from "./read-json.ts";

const lists = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const problem = (text: string): string => {
  try {
    readJson(text);
  } catch (error) {
    assert.ok(error instanceof JsonProblem, String(error));
    return error.message;
  }
  assert.fail("it was read");
};

test("readJson reads as many levels as there may be, and refuses one more in Go's words", () => {
  assert.deepEqual(readJson(objects(3)), { a: { a: { a: 1 } } });
  assert.ok(!isTooDeep(readJson(objects(maxJsonLevels))));
  assert.equal(problem(objects(maxJsonLevels + 1)), "invalid character '{' exceeded max depth");
  assert.equal(problem(lists(maxJsonLevels + 1)), "invalid character '[' exceeded max depth");
  assert.equal(problem(lists(1_000_000)), "invalid character '[' exceeded max depth");
});

test("readJson tells what comes first: the level too many, or the character that does not belong", () => {
  assert.equal(problem("[".repeat(maxJsonLevels)), "unexpected end of JSON input");
  assert.equal(problem("[".repeat(1_000_000)), "invalid character '[' exceeded max depth");
  assert.equal(problem(`[x${lists(maxJsonLevels)}`), "invalid character 'x' looking for beginning of value");
});

test("readJson takes brackets in texts, and beside each other, for what they are", () => {
  for (const text of [JSON.stringify("[".repeat(9_999)), `[${Array(9_999).fill("[]").join()}]`]) {
    assert.deepEqual(readJson(text), JSON.parse(text));
  }
});

test("readJson reads what JSON.parse reads, and nothing else", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        problem(text);
        return;
      }
      assert.deepEqual(readJson(text), expected);
      assert.deepEqual(readJson(Buffer.from(text)), expected);
    }),
  );
});
