import assert from "node:assert/strict";
import { test } from "node:test";
import { readTraceLink } from "./trace-link.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test("readTraceLink reads the example of the standard, sampled or not", () => {
  for (const flags of ["01", "00"])
    assert.deepEqual(readTraceLink(`00-${traceId}-${spanId}-${flags}`), { traceId, spanId });
});

test("readTraceLink reads nothing of what is none", () => {
  for (const text of [
    undefined,
    "",
    traceId,
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
  ]) {
    assert.equal(readTraceLink(text), undefined, text);
  }
});
