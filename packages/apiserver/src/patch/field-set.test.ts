import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DraftSet } from "./draft-set.ts";
import {
  differenceOf,
  type FieldSet,
  hasPath,
  intersectionOf,
  isEmptySet,
  parseFieldSet,
  pathsOf,
  pathText,
  setOfPath,
  sortedSet,
  unionOf,
  withoutTrees,
} from "./field-set.ts";
import { canonicalElement, comparePathElements, keyElement, valueElement } from "./path-element.ts";

const elements = fc.constantFrom("f:a", "f:b", "f:__proto__", 'k:{"name":"x"}', 'v:"y"', "i:0");
const paths = fc.array(fc.array(elements, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
const sets = paths.map((list): FieldSet => {
  const draft = new DraftSet();
  for (const path of list) draft.add(path);
  return draft.set;
});

/** The members of a set as texts: the other way to say what it is. */
function members(set: FieldSet): ReadonlySet<string> {
  return new Set([...pathsOf(set)].map((path) => path.join(" ")));
}

test("a set has the paths that were added, and no others", () => {
  fc.assert(
    fc.property(paths, (list) => {
      const draft = new DraftSet();
      for (const path of list) draft.add(path);
      assert.deepEqual(members(draft.set), new Set(list.map((path) => path.join(" "))));
      for (const path of list) assert.ok(hasPath(draft.set, path));
    }),
  );
});

test("union, intersection and difference of sets are those of their members", () => {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      assert.deepEqual(members(unionOf(a, b)), members(a).union(members(b)));
      assert.deepEqual(members(intersectionOf(a, b)), members(a).intersection(members(b)));
      assert.deepEqual(members(differenceOf(a, b)), members(a).difference(members(b)));
    }),
  );
});

test("a difference and an intersection make up the whole, and what is empty has no nodes", () => {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      assert.deepEqual(unionOf(differenceOf(a, b), intersectionOf(a, b)), a);
      assert.ok(isEmptySet(differenceOf(a, a)));
    }),
  );
});

test("a set without trees has nothing of them nor below them", () => {
  fc.assert(
    fc.property(sets, sets, (a, trees) => {
      const cut = [...members(trees)];
      const left = [...members(a)].filter((path) => !cut.some((tree) => path === tree || path.startsWith(`${tree} `)));
      assert.deepEqual(members(withoutTrees(a, trees)), new Set(left));
    }),
  );
});

test("a set is its FieldsV1, whatever the order of its names", () => {
  fc.assert(
    fc.property(sets, (set) => {
      const text = JSON.stringify(sortedSet(set));
      const parsed = parseFieldSet(JSON.parse(text));
      assert.deepEqual(parsed, set);
      assert.equal(JSON.stringify(sortedSet(parsed)), text);
    }),
  );
});

test("sets are left alone by what is made of them", () => {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      const before = JSON.stringify([a, b]);
      unionOf(a, b);
      differenceOf(a, b);
      intersectionOf(a, b);
      withoutTrees(a, b);
      sortedSet(a);
      assert.equal(JSON.stringify([a, b]), before);
    }),
  );
});

test("steps stand in the order of the real server: fields, keys, values, places", () => {
  const sorted = [
    "f:Z",
    "f:_",
    "f:a",
    "f:\uff5e",
    "f:\u{1f600}",
    'k:{"a":1}',
    'k:{"a":"1"}',
    'k:{"b":0}',
    "v:9",
    "v:10",
    'v:"a"',
    "v:true",
    "i:2",
    "i:10",
  ];
  assert.deepEqual([...sorted].reverse().sort(comparePathElements), sorted);
});

test("a step has one text, as Go's encoder writes it", () => {
  assert.equal(
    keyElement([
      ["port", 80],
      ["name", "a"],
    ]),
    'k:{"name":"a","port":80}',
  );
  assert.equal(valueElement('<"&>\b\u2028'), 'v:"\\u003c\\"\\u0026\\u003e\\u0008\\u2028"');
  assert.equal(canonicalElement('k:{ "b": 1, "a": [2] }'), 'k:{"a":[2],"b":1}');
  assert.equal(canonicalElement("x:y"), undefined);
  assert.throws(() => canonicalElement("none"), SyntaxError);
  assert.throws(() => canonicalElement("k:[]"), SyntaxError);
  assert.throws(() => canonicalElement("i:x"), SyntaxError);
});

test("paths are printed as in refusals", () => {
  assert.equal(pathText(["f:spec", 'k:{"port":80,"protocol":"TCP"}', "f:name"]), '.spec[port=80,protocol="TCP"].name');
  assert.equal(pathText(["f:a.b", 'v:"x\\n"', "i:3"]), '.a.b[="x\\n"][3]');
});

test("a FieldsV1 that is none is refused, one of unknown steps is read without them", () => {
  assert.throws(() => parseFieldSet([]), SyntaxError);
  assert.throws(() => parseFieldSet({ "f:a": 5 }), SyntaxError);
  assert.throws(() => parseFieldSet({ "v:{": {} }), SyntaxError);
  assert.deepEqual(parseFieldSet({ "x:a": {}, "f:a": { "x:b": {} } }), setOfPath(["f:a"]));
});
