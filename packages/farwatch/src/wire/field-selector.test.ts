import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFieldSelector } from "./field-selector.ts";

test("field selector is read as the API server reads it", () => {
  assert.deepEqual(parseFieldSelector(""), []);
  assert.deepEqual(parseFieldSelector("metadata.name=a,metadata.namespace!=b, spec.x==c"), [
    { field: "metadata.name", isEqual: true, value: "a" },
    { field: "metadata.namespace", isEqual: false, value: "b" },
    { field: "spec.x", isEqual: true, value: "c" },
  ]);
  assert.deepEqual(parseFieldSelector("status.phase=,a.b=x\\,y\\=z\\\\"), [
    { field: "status.phase", isEqual: true, value: "" },
    { field: "a.b", isEqual: true, value: "x,y=z\\" },
  ]);
});

test("field selector that cannot be read is refused with the part that is wrong", () => {
  for (const selector of ["metadata.name", "a=b=c", "=a", "a=\\x", "a>b"]) {
    assert.throws(() => parseFieldSelector(selector), { code: "InvalidSelector" }, selector);
  }
  assert.throws(() => parseFieldSelector("a=b,c"), {
    message: 'Cannot read field selector "a=b,c": "c" is no requirement, write "metadata.name=a" or "metadata.name!=a"',
  });
});
