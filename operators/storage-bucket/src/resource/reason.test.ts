import assert from "node:assert/strict";
import { test } from "node:test";
import { reasons } from "./reason.ts";

// B14
test("reasons have the form that conditions of the API ask for, and are unlike each other", () => {
  for (const reason of reasons) assert.match(reason, /^[A-Z][A-Za-z]{2,63}$/);
  assert.equal(new Set(reasons).size, reasons.length);
});
