import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readType } from "./cel-type.ts";
import { compile } from "./compile.ts";
import { plainValue } from "./schema-value.ts";
import { CelError, type Value } from "./value.ts";

const variables = new Map([
  ["n", readType("int")],
  ["s", readType("string")],
  ["list", readType("list(int)")],
  ["any", readType("dyn")],
]);
const values: Readonly<Record<string, unknown>> = {
  n: 3,
  s: "héllo",
  list: [3, 1, 2],
  any: { a: { b: [1, "x", null] } },
};

function evaluated(source: string): Value {
  const compiled = compile(source, variables);
  assert.ok("program" in compiled, JSON.stringify(compiled));
  return compiled.program.evaluate((name) => plainValue(values[name]), { cost: 0, limit: 1_000_000 });
}

function issues(source: string): string {
  const compiled = compile(source, variables);
  return "issues" in compiled ? compiled.issues : "";
}

test("an expression is evaluated over plain JSON", () => {
  for (const source of [
    "n * 2 + 1 == 7",
    "s.size() == 5 && s.startsWith('hé')",
    "list.map(x, x * n).filter(x, x > 3) == [9, 6]",
    "any.a.b[0] == 1 && any.a.b[1] == 'x' && any.a.b[2] == null",
    "has(any.a) && !has(any.z)",
    "any.?z.?y.orValue('none') == 'none'",
    "n > 2.5 && 3u == uint(n)",
    "[1, 2] + [3] == [1, 2, 3] && {'a': 1}['a'] == 1",
    "list.exists(x, 1 / (x - 3) > 0) || true",
  ]) {
    assert.equal(evaluated(source), true, source);
  }
});

test("&& and || are decided by either side, whatever fails on the other", () => {
  assert.equal(evaluated("n / 0 == 1 || true"), true);
  assert.equal(evaluated("n / 0 == 1 && false"), false);
  assert.throws(() => evaluated("n / 0 == 1 || false"), { name: "CelError", message: "division by zero" });
});

test("a failure is told in the words of cel-go", () => {
  const failures: Readonly<Record<string, string>> = {
    "list[9] == 1": "index out of bounds: 9",
    "any.z == 1": "no such key: z",
    "9223372036854775807 + n > 0": "integer overflow",
    "any.a < 1": "no such overload",
    "int(s) == 1": "type conversion error from 'string' to 'int'",
  };
  for (const [source, message] of Object.entries(failures)) assert.throws(() => evaluated(source), { message }, source);
});

test("every mistake of an expression is told with its place", () => {
  assert.equal(
    issues("n + s == 1 ||\n  none"),
    [
      "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'",
      " | n + s == 1 ||",
      " | ..^",
      "ERROR: <input>:2:3: undeclared reference to 'none' (in container '')",
      " |   none",
      " | ..^",
    ].join("\n"),
  );
});

test("an expression that is nested too deeply, or too long, is refused", () => {
  assert.match(issues(`${"(".repeat(300)}n${")".repeat(300)}`), /recursion limit exceeded: 250/);
  assert.match(issues(`s == '${"a".repeat(100_001)}'`), /code point size exceeds limit/);
});

test("a long chain of conditions is not deep", () => {
  assert.equal(evaluated(Array.from({ length: 2_000 }, () => "n == 3").join(" && ")), true);
});

test("compile takes any text without failing itself", () => {
  const pieces = [
    "n",
    "s",
    "list",
    "any",
    ".",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "?",
    ":",
    ",",
    "+",
    "-",
    "!",
    "'a'",
    "1",
    "1.5",
    "all",
    "has",
    "in",
    "==",
    "&&",
    "x",
    "\\",
    '"',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 15 }), (parts) => {
      const compiled = compile(parts.join(" "), variables);
      if (!("program" in compiled)) return;
      try {
        compiled.program.evaluate((name) => plainValue(values[name]), { cost: 0, limit: 10_000 });
      } catch (error) {
        assert.ok(error instanceof CelError, String(error));
      }
    }),
    { numRuns: 2_000 },
  );
});
