import assert from "node:assert/strict";
import { test } from "node:test";
import { readDeleteOptions } from "./delete-option.ts";

const query = (text: string): URLSearchParams => new URLSearchParams(text);

test("readDeleteOptions reads the query only where there is no body", () => {
  const asked = query("propagationPolicy=Orphan&gracePeriodSeconds=5&dryRun=All");
  assert.deepEqual(readDeleteOptions(asked, undefined), {
    dryRun: true,
    gracePeriodSeconds: 5,
    propagationPolicy: "Orphan",
    orphanDependents: undefined,
    preconditions: {},
  });
  const { dryRun, propagationPolicy } = readDeleteOptions(asked, { value: { propagationPolicy: "Foreground" } });
  assert.deepEqual([dryRun, propagationPolicy], [false, "Foreground"]);
});

test("readDeleteOptions keeps preconditions, and drops what it does not know", () => {
  const body = { kind: "DeleteOptions", apiVersion: "x/v9", preconditions: { uid: "u", more: 1 }, more: 1 };
  assert.deepEqual(readDeleteOptions(query(""), { value: body }).preconditions, { uid: "u" });
});

test("readDeleteOptions refuses bodies that are none in the words of the real server", () => {
  for (const [value, message] of [
    [[], /cannot unmarshal array into Go value of type struct/],
    [{ kind: 5 }, /cannot unmarshal number into Go struct field \.kind of type string/],
    [{ kind: "Pod" }, /^no kind "Pod" is registered for version "meta\.k8s\.io\/v1"/],
    [{ dryRun: "All" }, /cannot unmarshal string into Go struct field DeleteOptions\.dryRun of type \[\]string/],
  ] as const)
    assert.throws(() => readDeleteOptions(query(""), { value }), { code: 400, message });
  for (const value of [
    { propagationPolicy: "nil" },
    { dryRun: ["Some"] },
    { orphanDependents: true, propagationPolicy: "Orphan" },
  ])
    assert.throws(() => readDeleteOptions(query(""), { value }), { code: 422 });
});

test("readDeleteOptions is not led astray by what every object has", () => {
  const value = JSON.parse('{"__proto__":{"propagationPolicy":"Orphan"},"constructor":{"dryRun":["All"]}}') as unknown;
  const { propagationPolicy, dryRun } = readDeleteOptions(query(""), { value });
  assert.deepEqual([propagationPolicy, dryRun], [undefined, false]);
});
