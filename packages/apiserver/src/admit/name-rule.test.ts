import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  configKey,
  dnsLabel,
  dnsLabel1035,
  dnsSubdomain,
  envName,
  labelValue,
  pathSegment,
  qualifiedName,
} from "./name-rule.ts";

test("dnsSubdomain takes names of hosts, and says what others are not", () => {
  for (const good of ["a", "a-b.c", "0", "x".repeat(253)]) assert.deepEqual(dnsSubdomain(good), [], good);
  for (const bad of ["", "A", "a_b", "-a", "a-", "a..b", ".a", "a."]) assert.equal(dnsSubdomain(bad).length, 1, bad);
  assert.deepEqual(dnsSubdomain("x".repeat(254)), ["must be no more than 253 characters"]);
});

test("dnsSubdomain takes the beginning of a name that may end in a dash, which the whole may not", () => {
  assert.deepEqual(dnsSubdomain("a-", true), []);
  assert.equal(dnsSubdomain("a-").length, 1);
});

test("dnsLabel takes no dots, dnsLabel1035 no digit in front", () => {
  assert.equal(dnsLabel("a.b").length, 1);
  assert.deepEqual(dnsLabel("1a"), []);
  assert.equal(dnsLabel1035("1a").length, 1);
  assert.deepEqual(dnsLabel("x".repeat(64)), ["must be no more than 63 characters"]);
});

test("pathSegment takes all that one step of a path can be", () => {
  for (const good of ["A:b c", "...", "é"]) assert.deepEqual(pathSegment(good), [], good);
  assert.deepEqual(pathSegment(".."), ["may not be '..'"]);
  assert.deepEqual(pathSegment("a/b%"), ["may not contain '/'", "may not contain '%'"]);
});

test("qualifiedName takes a name with a domain, and no two slashes", () => {
  for (const good of ["a", "example.com/A_b.c", "A"]) assert.deepEqual(qualifiedName(good), [], good);
  for (const bad of ["", "/a", "a/", "a/b/c", "A b", "EXAMPLE/a"]) assert.notDeepEqual(qualifiedName(bad), [], bad);
});

test("labelValue takes nothing, or up to 63 characters", () => {
  for (const good of ["", "A", "a_b.c-d", "x".repeat(63)]) assert.deepEqual(labelValue(good), [], good);
  for (const bad of ["a b", "-a", "a-", "x".repeat(64), "é"]) assert.notDeepEqual(labelValue(bad), [], bad);
});

test("configKey takes names of files but no way up", () => {
  for (const good of ["a", ".a", "A_b-c.d", "..."]) assert.equal(configKey(good).length, good === "..." ? 1 : 0, good);
  assert.deepEqual(configKey(".."), ["must not be '..'"]);
  assert.deepEqual(configKey("..a"), ["must not start with '..'"]);
});

test("envName takes all printable characters but the equals sign", () => {
  assert.deepEqual(envName("a b"), []);
  assert.notDeepEqual(envName("a=b"), []);
});

test("A rule takes any text without a throw, and what it takes again", () => {
  const rules = { configKey, dnsLabel, dnsLabel1035, dnsSubdomain, envName, labelValue, pathSegment, qualifiedName };
  fc.assert(
    fc.property(fc.constantFrom(...Object.entries(rules)), fc.string({ unit: "grapheme" }), ([, rule], text) => {
      assert.deepEqual(rule(text), rule(text));
    }),
  );
});
