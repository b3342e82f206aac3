import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { duplicateFields } from "./duplicate-field.ts";

function duplicatesIn(json: string): readonly string[] {
  return duplicateFields(json, JSON.parse(json));
}

test("duplicateFields names each field that stands twice where its second value ends", () => {
  const json = `{"metadata":{"name":"a","name":"b"},"spec":{"list":[{"k":1},{"k":1,"k":2}],"a":{"b":{"c":1,"c":2}}},"spec":{}}`;
  assert.deepEqual(duplicatesIn(json), ["metadata.name", "spec.list[1].k", "spec.a.b.c", "spec"]);
});

test("duplicateFields reads names with escapes, and lets strings be that look like structure", () => {
  assert.deepEqual(duplicatesIn(String.raw`{"a":"\"{[,:","\u0061":"\\","b":"a","c":["a","a"]}`), ["a"]);
});

test("duplicateFields tells of one field once", () => {
  assert.deepEqual(duplicatesIn(`{"a":1,"a":2,"a":3}`), ["a"]);
});

test("duplicateFields tells of a hundred fields at most", () => {
  const names = Array.from({ length: 150 }, (_, index) => `"f${index}":1,"f${index}":2`);
  assert.equal(duplicatesIn(`{${names.join(",")}}`).length, 100);
});

test("duplicateFields finds nothing in what JSON.stringify writes, with spaces or without", () => {
  const checked = (json: string): void => assert.deepEqual(duplicatesIn(json), []);
  fc.assert(fc.property(fc.json(), checked));
  fc.assert(fc.property(fc.json(), (json) => checked(JSON.stringify(JSON.parse(json), undefined, 1))));
});

test("duplicateFields walks a text that is nested more deeply than the stack", () => {
  const depth = 200_000;
  assert.deepEqual(duplicatesIn(`${"[".repeat(depth)}{"a":1,"a":2}${"]".repeat(depth)}`).length, 1);
});
