import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Case, readCases, readPromises } from "./case-list.ts";
import { cover, unknownIds } from "./cases.ts";
import { findTaggedTests, idsIn } from "./tagged-tests.ts";

const required: Case = { id: "B01", kind: "loop", behaviour: "Does not loop.", later: undefined };
const tagged = { file: "a.test.ts", line: 3, name: "thing does not loop", ids: ["B01"] };
const result = { file: "a.test.ts", line: 3, name: "thing does not loop" };

const problemOf = (...parameters: Parameters<typeof cover>): string | undefined => cover(...parameters)[0]?.problem;

test("case list reads the two pages of docs/", () => {
  const promises = readPromises(readFileSync("docs/promises.md", "utf8"));
  assert.equal(promises.length, 14);
  assert.deepEqual(promises[4], {
    id: "Promise 5",
    kind: "promise",
    behaviour: "A webhook answers 202 when its event is kept",
    later: undefined,
  });
  const cases = readCases(readFileSync("docs/cases.md", "utf8"));
  assert.equal(cases.find(({ id }) => id === "B25")?.later, "GCS probes");
  assert.equal(cases.find(({ id }) => id === "B08")?.later, undefined);
});

test("case list refuses a page that it cannot read whole", () => {
  assert.throws(() => readPromises("1. **One.** x\n3. **Three.** x"), /Promise 3 stands at place 2/);
  assert.throws(() => readPromises(""), /no numbered list/);
  assert.throws(() => readCases("| B01 | loop | Behaves. | soon |"), /Cannot read docs\/cases\.md: give each row/);
  assert.throws(() => readCases("| B01 | loop | a | required |\n| B01 | loop | b | required |"), /B01 stands twice/);
  assert.throws(() => readCases("| B01 | lo|op | a | required |"), /give each row/);
});

test("tagged tests are found with their line below comments of several lines", () => {
  const source = [
    "",
    "// Promise 6, B33",
    "// Why.",
    "test(",
    '  "queue runs once more",',
    ");",
    'test("other", f);',
  ].join("\n");
  assert.deepEqual(findTaggedTests("a.test.ts", source), {
    tests: [{ file: "a.test.ts", line: 4, name: "queue runs once more", ids: ["Promise 6", "B33"] }],
    stray: [],
  });
});

test("tagged tests report a case that is named above anything but a test", () => {
  const source = '// B33\nconst a = 1;\ntest("queue runs", f);';
  assert.deepEqual(findTaggedTests("a.test.ts", source), {
    tests: [],
    stray: ["a.test.ts:1: B33 stands above no test"],
  });
});

test("tagged tests are found in a loop, and where a suite checks", () => {
  const source = [
    "// B16",
    "for (const a of [1]) {",
    "  const b = a;",
    "  test(`meets it`, f);",
    "}",
    "// B07",
    '  check("keeps", f);',
  ];
  assert.deepEqual(findTaggedTests("a.ts", source.join("\n")).tests, [
    { file: "a.ts", line: 4, name: "meets it", ids: ["B16"] },
    { file: "a.ts", line: 7, name: "keeps", ids: ["B07"] },
  ]);
});

test("tagged tests may name several promises in a row", () => {
  assert.deepEqual(idsIn("// Promises 6, 7 and 9; B07"), ["Promise 6", "Promise 7", "Promise 9", "B07"]);
  assert.deepEqual(idsIn("// Base64 and AB12 are no cases"), []);
});

test("cases are covered when every test that names them passed", () => {
  assert.equal(problemOf([required], [tagged], [{ ...result, outcome: "passed" }]), undefined);
});

test("cases are not covered without a test, or by one that failed, was skipped or did not run", () => {
  assert.equal(problemOf([required], [], []), "no test names it");
  assert.equal(problemOf([required], [tagged], []), "a test was not run");
  assert.equal(problemOf([required], [tagged], [{ ...result, outcome: "skipped" }]), "a test was skipped");
  assert.equal(problemOf([required], [tagged], [{ ...result, line: 4, outcome: "passed" }]), "a test was not run");
  assert.equal(
    problemOf(
      [required],
      [tagged],
      [
        { ...result, outcome: "passed" },
        { ...result, outcome: "failed" },
      ],
    ),
    "a test was failed",
  );
});

test("cases are covered by the check of a suite that ran under several names", () => {
  const check = { ...tagged, name: "keeps all" };
  const run = { ...result, line: 40, outcome: "passed" } as const;
  const names = ["one keeps all", "other keeps all"];
  const passed = names.map((name) => ({ ...run, name }));
  assert.equal(problemOf([required], [check], passed), undefined);
  assert.equal(
    problemOf([required], [check], [...passed, { ...run, name: "third keeps all", outcome: "failed" }]),
    "a test was failed",
  );
});

test("cases are covered by a suite whose files stand below it", () => {
  const check = { ...tagged, file: "tests/suite/cases/list.ts", name: "keeps all" };
  const run = { file: "tests/suite/run.ts", line: 40, outcome: "passed" } as const;
  assert.equal(problemOf([required], [check], [{ ...run, name: "one list: keeps all" }]), undefined);
  for (const other of [
    { ...run, name: "one watch: keeps all" },
    { ...run, name: "one list: keeps all", file: "tests/other/run.ts" },
  ])
    assert.equal(problemOf([required], [check], [other]), "a test was not run");
});

test("cases are covered by a suite that has a room, and checks in several files of it", () => {
  const check = { ...tagged, file: "tests/suite/orders.ts", name: "keeps all" };
  const run = { file: "tests/suite/suite.ts", line: 40, outcome: "passed" } as const;
  assert.equal(problemOf([required], [check], [{ ...run, name: "one keeps all" }]), undefined);
  for (const other of [
    { ...run, name: "one keeps some" },
    { ...run, name: "one keeps all", file: "tests/suite/other.ts" },
    { ...run, name: "one keeps all", file: "tests/other/other.ts" },
  ])
    assert.equal(problemOf([required], [check], [other]), "a test was not run");
});

test("cases of a later part need no test, but one that they have must pass", () => {
  const later = { ...required, later: "webhook source" };
  assert.equal(problemOf([later], [], []), undefined);
  assert.equal(problemOf([later], [tagged], [{ ...result, outcome: "failed" }]), "a test was failed");
});

test("cases report an id that no page lists", () => {
  assert.deepEqual(unknownIds([], [tagged]), ["a.test.ts:3: B01 stands in no list of docs/"]);
});
