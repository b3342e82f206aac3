import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toRe2 } from "./re2.ts";

test("toRe2 leaves what both understand, and rewrites what only JavaScript spells so", () => {
  const same = [
    "^[a-z]+$",
    "^https?:\\/\\/[^/\\s]+$",
    "(?:a|b){2,1000}",
    "(?<name>\\w+)",
    "[\\]\\[-]",
    "\\bx\\B",
    "\\p{L}\\d",
    "a{,3}",
  ];
  for (const pattern of same) assert.deepEqual(toRe2(pattern), { pattern });
  assert.deepEqual(toRe2("\\u00e9"), { pattern: "\\x{e9}" });
  assert.deepEqual(toRe2("\\u{1F980}"), { pattern: "\\x{1f980}" });
  assert.deepEqual(toRe2("\\cJ[\\b]\\0"), { pattern: "\\x{a}[\\x{8}]\\x{0}" });
  assert.deepEqual(toRe2("\\p{Script=Greek}"), { pattern: "\\p{Greek}" });
});

test("toRe2 names what RE2 does not have", () => {
  const problems = {
    "(?=a)": "look-around (?=…)",
    "(?<!a)b": "look-around (?<!…)",
    "(a)\\1": "a backreference",
    "(?<a>x)\\k<a>": "a backreference",
    "[^]": "an empty character class",
    "a{1,1001}": "the count {1,1001} above 1,000",
    "\\q": "the escape \\q",
  };
  for (const [pattern, problem] of Object.entries(problems)) assert.deepEqual(toRe2(pattern), { problem });
});

test("toRe2 takes parentheses and brackets within a class for what they are", () => {
  assert.deepEqual(toRe2("[(?=a]"), { pattern: "[(?=a]" });
  assert.deepEqual(toRe2("\\(?=a"), { pattern: "\\(?=a" });
});

test("toRe2 ends on any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
      const result = toRe2(text);
      assert.ok("pattern" in result || result.problem !== "");
    }),
  );
});
