import assert from "node:assert/strict";
import { test } from "node:test";
import { isCodedError } from "./coded-error.ts";
import { checkWholeNumbers } from "./whole-numbers.ts";

test("checkWholeNumbers lets through what counts something or is left out, and names the first that does not", () => {
  checkWholeNumbers("make it", { capacity: 1, most: undefined, bytes: Number.MAX_SAFE_INTEGER });
  for (const none of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5", null, Symbol("five")]) {
    assert.throws(
      () => checkWholeNumbers("make it", { capacity: 1, most: none as number, bytes: 0 }),
      (error) =>
        isCodedError(error, "InvalidOption") &&
        error.message === `Cannot make it: most is ${String(none)}, give a whole number of at least 1`,
    );
  }
});
