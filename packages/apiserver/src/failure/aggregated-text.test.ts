import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregatedText } from "./aggregated-text.ts";

test("aggregatedText prints one error alone, several in brackets, and each once", () => {
  assert.equal(aggregatedText(["a", "a"]), "a");
  assert.equal(aggregatedText(["a", "b", "a"]), "[a, b]");
});
