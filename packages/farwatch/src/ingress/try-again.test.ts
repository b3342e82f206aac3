import assert from "node:assert/strict";
import { test } from "node:test";
import { tryAgain } from "./try-again.ts";

test("tryAgain asks for whole seconds, rounded up, and for one at the least", () => {
  for (const [afterMs, seconds] of [
    [0, "1"],
    [1_000, "1"],
    [1_001, "2"],
    [undefined, "5"],
  ] as const) {
    assert.deepEqual(tryAgain(503, afterMs), { status: 503, headers: { "retry-after": seconds } });
  }
});
