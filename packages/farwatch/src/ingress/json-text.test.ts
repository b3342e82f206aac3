import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readJson } from "./json-text.ts";

const read = (text: string) => readJson(Buffer.from(text));

test("readJson reads what JSON.parse reads", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      fc.pre(!text.includes("__proto__"));
      assert.deepEqual(read(text), { ok: true, value: JSON.parse(text) });
    }),
    { seed: 1 },
  );
});

test("readJson never throws, whatever the bytes are", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.equal(typeof readJson(bytes).ok, "boolean");
    }),
    { seed: 1 },
  );
});

test("readJson counts levels and members before it builds anything", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.equal(read(nested(64)).ok, true);
  assert.deepEqual(read(nested(65)), { ok: false, reason: "the body is nested deeper than 64" });
  assert.deepEqual(read(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`), {
    ok: false,
    reason: "the body is nested deeper than 64",
  });
  assert.equal(read("[".repeat(1_000_000)).ok, false);

  const list = (members: number) => JSON.stringify(Array.from({ length: members }, () => 0));
  const tooMany = { ok: false, reason: "the body has more than 10000 members" };
  assert.equal(read(list(10_000)).ok, true);
  assert.deepEqual(read(list(10_001)), tooMany);
  const map = (members: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: members }, (_, n) => [`k${n}`, 0])));
  assert.equal(read(map(10_000)).ok, true);
  assert.deepEqual(read(map(10_001)), tooMany);
  assert.equal(read(JSON.stringify(Array.from({ length: 5_000 }, () => [0]))).ok, true);
  assert.deepEqual(read(JSON.stringify(Array.from({ length: 5_001 }, () => [0]))), tooMany);
});

test("readJson counts nothing inside of strings", () => {
  assert.deepEqual(read(JSON.stringify({ a: '[{,"\\'.repeat(20_000) })).ok, true);
});

test("readJson refuses what would give an object another prototype, escaped too", () => {
  const escaped = ["\\u005f_proto__", "_\\u005Fproto__", "__pro\\u0074o__", "__proto_\\u005f"];
  for (const name of ["__proto__", ...escaped]) {
    for (const text of [`{"${name}":{"x":1}}`, `{"a":[{"${name}":null}]}`]) {
      assert.deepEqual(read(text), { ok: false, reason: "a member is named __proto__" });
    }
  }
  assert.deepEqual(read('{"a":"__proto__","_\\u005f":1}'), { ok: true, value: { a: "__proto__", __: 1 } });
  assert.equal(({} as { readonly x?: number }).x, undefined);
});

test("readJson says nothing of what it cannot read", () => {
  assert.deepEqual(read('{"password": hunter2}'), { ok: false, reason: "the body is no JSON" });
  assert.deepEqual(readJson(Uint8Array.of(0x22, 0xff, 0x22)), { ok: false, reason: "the body is no UTF-8" });
  assert.deepEqual(read(""), { ok: false, reason: "the body is no JSON" });
});
