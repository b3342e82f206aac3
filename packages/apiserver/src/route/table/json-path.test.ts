import assert from "node:assert/strict";
import { test } from "node:test";
import { readJsonPath } from "./json-path.ts";

const object = {
  spec: {
    a: 1,
    "b.c": 2,
    list: [10, 20, 30],
    map: { x: 1, y: 2 },
    items: [
      { name: "a", v: 1 },
      { name: "b", v: 2, on: true },
    ],
  },
  metadata: { labels: { "example.com/x": "y" } },
};

const found = (path: string): readonly unknown[] | undefined => readJsonPath(path)?.(object);

test("readJsonPath finds fields, items and every one of them", () => {
  assert.deepEqual(found(".spec.a"), [1]);
  assert.deepEqual(found("{.spec.a}"), [1]);
  assert.deepEqual(found(".spec['b.c']"), [2]);
  assert.deepEqual(found(".spec.b\\.c"), [2]);
  assert.deepEqual(found('.metadata.labels["example.com/x"]'), ["y"]);
  assert.deepEqual(found(".spec.list[1]"), [20]);
  assert.deepEqual(found(".spec.list[-1]"), [30]);
  assert.deepEqual(found(".spec.list[*]"), [10, 20, 30]);
  assert.deepEqual(found(".spec.map.*"), [1, 2]);
});

test("readJsonPath finds the items that a filter takes", () => {
  assert.deepEqual(found('.spec.items[?(@.name=="b")].v'), [2]);
  assert.deepEqual(found(".spec.items[?(@.name!='b')].v"), [1]);
  assert.deepEqual(found(".spec.items[?(@.v==2)].name"), ["b"]);
  assert.deepEqual(found(".spec.items[?(@.on==true)].name"), ["b"]);
  assert.deepEqual(found(".spec.list[?(@==20)]"), [20]);
});

test("readJsonPath finds nothing where there is nothing", () => {
  for (const path of [
    ".none",
    ".spec.a.b",
    ".spec.list.x",
    ".spec.list[9]",
    ".spec.map[0]",
    ".spec.items[?(@.none==1)]",
  ])
    assert.deepEqual(found(path), [], path);
});

test("readJsonPath sees no more of an object than it has itself", () => {
  for (const path of [".constructor", ".spec.toString", ".__proto__", ".spec.list.length"])
    assert.deepEqual(found(path), [], path);
});

test("readJsonPath does not read what is no path of this kind", () => {
  for (const path of ["spec.a", ".spec[", ".spec[a]", ".spec[?(@.a)]", ".a[0:2]", ".a..b"])
    assert.equal(readJsonPath(path), undefined, path);
});
