import assert from "node:assert/strict";
import { test } from "node:test";
import { applyJsonPatch } from "./json-patch.ts";

function why(document: unknown, ...patch: readonly object[]): string {
  try {
    applyJsonPatch(document, patch, (reason) => new Error(reason));
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return "applied";
}

const document = { a: { b: 1 }, list: [1, 2] };

test("A patch that cannot be done tells why, to whom is told", () => {
  assert.equal(
    why(document, { op: "remove", path: "/x/y" }),
    'remove operation does not apply: doc is missing path: "/x/y": missing value',
  );
  assert.equal(
    why(document, { op: "remove", path: "/x" }),
    "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
  );
  assert.equal(
    why(document, { op: "add", path: "/list/5", value: 1 }),
    "error in add for path: '/list/5': Unable to access invalid index: 5: invalid index referenced",
  );
  assert.equal(
    why(document, { op: "replace", path: "/list/5", value: 1 }),
    "replace operation does not apply: doc is missing key: /list/5: missing value",
  );
  assert.equal(
    why(document, { op: "move", from: "/x/y", path: "/a" }),
    "move operation does not apply: doc is missing from path: /x/y: missing value",
  );
  assert.equal(why(document, { op: "test", path: "/a/b", value: 2 }), "testing value /a/b failed: test failed");
  assert.equal(why(document, { op: "jump", path: "/a" }), "Unexpected kind: jump");
});

test("A client is not told why", () => {
  assert.throws(() => applyJsonPatch(document, [{ op: "remove", path: "/x" }]), {
    code: 422,
    message: "the server rejected our request due to an error in our request",
  });
});

test("A patch that fails half way leaves the document alone", () => {
  const before = structuredClone(document);
  assert.notEqual(why(document, { op: "add", path: "/a/c", value: 1 }, { op: "remove", path: "/x" }), "applied");
  assert.deepEqual(document, before);
});

test("A patch that would nest more than a body may is refused, and what nests no deeper is not", () => {
  const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const path = `/a${"/0".repeat(599)}`;
  const before = { a: nested(600), b: nested(500), c: {} };
  for (const operation of [
    { op: "copy", from: "/b", path: `${path}/-` },
    { op: "move", from: "/b", path: `${path}/-` },
    { op: "add", path: `${path}/-`, value: nested(500) },
    { op: "replace", path: "/a/0", value: nested(1_000) },
  ]) {
    assert.equal(why(before, operation), "exceeded max depth", operation.op);
  }
  assert.equal(
    why(before, { op: "move", from: "/b", path: "/c/b" }, { op: "copy", from: "/a", path: "/b" }),
    "applied",
  );
  assert.equal(why({ a: nested(999) }, { op: "move", from: "/a", path: "/b" }), "applied");
});
