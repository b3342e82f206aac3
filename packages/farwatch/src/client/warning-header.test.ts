import assert from "node:assert/strict";
import { test } from "node:test";
import { parseWarnings } from "./warning-header.ts";

test("parseWarnings reads joined, quoted, escaped and dated warnings of code 299", () => {
  assert.deepEqual(parseWarnings(undefined), []);
  assert.deepEqual(parseWarnings('299 - "unknown field \\"dat\\\\\\"a\\""'), ['unknown field "dat\\"a"']);
  assert.deepEqual(
    parseWarnings('299 - "unknown field \\"b,c\\"", 299 kube "deprecated, 299 - soon" "Sat, 25 Aug 2030 23:34:45 GMT"'),
    ['unknown field "b,c"', "deprecated, 299 - soon"],
  );
  assert.deepEqual(parseWarnings('199 proxy "stale", 299 - "real"'), ["real"]);
  assert.deepEqual(parseWarnings('299 - "never ends'), []);
});
