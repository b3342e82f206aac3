import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "farwatch/doubles";
import { readYaml } from "./read-yaml.ts";

const read = (text: string): ReturnType<typeof readYaml> => readYaml(text, createVirtualClock());

test("readYaml reads the first document by YAML 1.1, in which times are texts", async () => {
  const text = "a: yes\nb: 0o17\nc: 2001-01-01\nd: 1.5\ne: ~\n1: one\n---\nmore: documents\n";
  const { value } = await read(text);
  assert.deepEqual(value, { a: true, b: "0o17", c: "2001-01-01", d: 1.5, e: null, 1: "one" });
});

test("readYaml reads JSON, and nothing as null", async () => {
  assert.deepEqual((await read('{"a": [1, null]}')).value, { a: [1, null] });
  assert.deepEqual((await read("")).value, null);
  assert.deepEqual((await read("{a: 1}")).value, { a: 1 }, "flow style");
});

test("readYaml keeps the last of keys that stand twice, and names their lines", async () => {
  const { value, duplicates } = await read("a: 1\nb: {c: 1, c: 2}\na: 3\nlist:\n- d: 1\n  d: 2\n");
  assert.deepEqual(value, { a: 3, b: { c: 2 }, list: [{ d: 2 }] });
  assert.deepEqual(duplicates, [
    'line 2: key "c" already set in map',
    'line 3: key "a" already set in map',
    'line 6: key "d" already set in map',
  ]);
  assert.deepEqual((await read("a: {x: 1}\nb: {x: 1}\n")).duplicates, []);
});

test("readYaml follows aliases", async () => {
  const { value, duplicates } = await read("a: &x {b: 1}\nc: *x\nd: &y 2\ne: [*y, *y]\nf: {<<: *x, g: 3}\n");
  assert.deepEqual(value, { a: { b: 1 }, c: { b: 1 }, d: 2, e: [2, 2], f: { b: 1, g: 3 } });
  assert.deepEqual(duplicates, []);
});

test("readYaml refuses an alias of what it stands in, and aliases that would make a giant", async () => {
  assert.equal((await read("a: &x {b: *x}")).problem, "yaml: anchor 'x' value contains itself");
  const laughs = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 9; level += 1) {
    laughs.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(", ")}]`);
  }
  assert.equal((await read(laughs.join("\n"))).problem, "yaml: document contains excessive aliasing");
});

test("readYaml refuses what is no YAML in the words of the real server", async () => {
  for (const [text, problem] of [
    ["a: b: c", "mapping values are not allowed in this context"],
    ["a: 1\n b: 2", "line 2: mapping values are not allowed in this context"],
    ["\tx", "found character that cannot start any token"],
    ["a:\n\tb: 1", "line 2: found character that cannot start any token"],
    ["@x", "found character that cannot start any token"],
    ["a: *b", "unknown anchor 'b' referenced"],
    ['a: "x', "found unexpected end of stream"],
    ["a: [1", "line 1: did not find expected ',' or ']'"],
    ["a: {b: 1", "line 1: did not find expected ',' or '}'"],
    ["a: [", "line 1: did not find expected node content"],
    ["a: \u0007", "control characters are not allowed"],
    ['a: "\\q"', "found unknown escape character"],
  ] as const)
    assert.equal((await read(text)).problem, `yaml: ${problem}`, text);
});

test("readYaml does not follow a text deeper than it may", async () => {
  assert.match(String((await read("[".repeat(100_000))).problem), /^yaml: /);
});

test("readYaml takes __proto__ for a key like any other", async () => {
  const { value } = await read("__proto__: {a: 1}\n");
  assert.deepEqual(Object.keys(value as object), ["__proto__"]);
  assert.equal((value as { readonly a?: number }).a, undefined);
});
