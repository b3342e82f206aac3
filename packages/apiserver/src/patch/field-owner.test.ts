import assert from "node:assert/strict";
import { test } from "node:test";
import { managerName } from "./field-owner.ts";

test("managerName is the query's, or the client's before its version, cut to 128 bytes", () => {
  assert.equal(managerName("given", "kubectl/v1"), "given");
  assert.equal(managerName("", "kubectl/v1 (x)"), "kubectl");
  assert.equal(managerName(undefined, "/x"), "unknown");
  assert.equal(managerName(undefined, "a\tb\u200bc/x"), "abc");
  assert.equal(managerName(undefined, "é".repeat(100)), "é".repeat(64));
});
