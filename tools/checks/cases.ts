/**
 * `npm run cases`: which tests ran for each promise and each case from the field. Exits 1 when a required one has no test
 * that passed, or has one that failed or was skipped.
 */

import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { readCommandLine } from "../../tests/command-line.ts";
import type { TestResult } from "../../tests/setup/test-report.ts";
import { type Case, readCases, readPromises } from "./case-list.ts";
import { findTaggedTests, type TaggedTest } from "./tagged-tests.ts";

/** A tagged test and how its runs ended; `not run` when there was none. */
interface RunTest extends TaggedTest {
  readonly status: TestResult["outcome"] | "not run";
}

/** A case, the tests that name it, and what is wrong with it. */
export interface CoveredCase extends Case {
  readonly tests: readonly RunTest[];
  readonly problem: string | undefined;
}

const usage = `Usage: npm run cases

Lists for each promise and each case from the field the tests that name it, and how they ended. Runs all tests first when
the last run of them is older than the sources. Exits 1 when a required one has no test that passed.
`;
/** Where the test runner writes which tests ran. */
const resultsFile = "node_modules/.cache/farwatch/test-results.json";
const worstFirst = ["failed", "skipped", "passed"] as const;

/**
 * Whether a test that ran is the tagged one: by the place of the call of `test`; for a suite's `check` by how the name ends,
 * also when it stands in another file of the suite's room, as beside source-contract/source-contract.ts; and for one whose
 * file stands below the suite's, as the areas of tests/conformance, by `<file>: <name>` there.
 */
function isRunOf({ file, line, name }: TaggedTest, run: TestResult): boolean {
  if (run.file === file && run.line === line) return true;
  const folder = dirname(run.file);
  const isRoomOfSuite = basename(folder) === basename(run.file, ".ts");
  if (run.file === file || (isRoomOfSuite && dirname(file) === folder)) return run.name.endsWith(` ${name}`);
  return file.startsWith(`${folder}/`) && run.name.endsWith(` ${basename(file, ".ts")}: ${name}`);
}

/** Joins cases, tests and results. */
export function cover(
  cases: readonly Case[],
  tests: readonly TaggedTest[],
  results: readonly TestResult[],
): readonly CoveredCase[] {
  const statusOf = (test: TaggedTest): RunTest["status"] => {
    const runs = results.filter((run) => isRunOf(test, run));
    return worstFirst.find((status) => runs.some(({ outcome }) => outcome === status)) ?? "not run";
  };
  const ran = tests.map((test): RunTest => ({ ...test, status: statusOf(test) }));
  return cases.map((each) => {
    const own = ran.filter(({ ids }) => ids.includes(each.id));
    const bad = own.find(({ status }) => status !== "passed");
    const missing = own.length === 0 && each.later === undefined ? "no test names it" : undefined;
    return { ...each, tests: own, problem: bad === undefined ? missing : `a test was ${bad.status}` };
  });
}

/** Tests that name a case which no page lists. */
export function unknownIds(cases: readonly Case[], tests: readonly TaggedTest[]): readonly string[] {
  const known = new Set(cases.map(({ id }) => id));
  return tests.flatMap(({ file, line, ids }) =>
    ids.filter((id) => !known.has(id)).map((id) => `${file}:${line}: ${id} stands in no list of docs/`),
  );
}

function print(covered: readonly CoveredCase[]): void {
  let kind = "";
  for (const each of covered) {
    if (each.kind !== kind) console.log(`\n${each.kind}`);
    kind = each.kind;
    const note = each.problem ?? (each.tests.length === 0 ? `later: ${each.later}` : undefined);
    const mark = each.problem === undefined ? (each.tests.length === 0 ? "  - " : "  ok") : "FAIL";
    console.log(`${mark} ${each.id.padEnd(10)} ${each.behaviour}${note === undefined ? "" : ` [${note}]`}`);
    for (const { status, name, file, line } of each.tests) {
      console.log(`        ${status === "passed" ? "" : `${status.toUpperCase()}: `}${name} (${file}:${line})`);
    }
  }
}

function readResults(): readonly TestResult[] | undefined {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, "utf8")) as readonly TestResult[]) : undefined;
}

/** The results of the last whole run, when it is newer than all sources. */
function lastResults(sources: readonly string[]): readonly TestResult[] | undefined {
  const results = readResults();
  if (results === undefined) return undefined;
  const ranMs = statSync(resultsFile).mtimeMs;
  return sources.every((file) => statSync(file).mtimeMs <= ranMs) ? results : undefined;
}

function runTests(): readonly TestResult[] | undefined {
  console.log("There was no whole run of the tests since the sources changed: running them now.");
  rmSync(resultsFile, { force: true });
  spawnSync("npm", ["test"], { stdio: "inherit" });
  return readResults();
}

function main(): number {
  readCommandLine({ name: "npm run cases", usage, options: {} });
  const sources = globSync("{packages,operators,examples,tests,tools}/**/*.ts", {
    exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
  }).map((path) => path.replaceAll("\\", "/"));
  const found = sources.map((file) => findTaggedTests(file, readFileSync(file, "utf8")));
  const tests = found.flatMap((each) => each.tests);
  const cases = [
    ...readPromises(readFileSync("docs/promises.md", "utf8")),
    ...readCases(readFileSync("docs/cases.md", "utf8")),
  ];

  const results = lastResults(sources) ?? runTests();
  if (results === undefined) {
    console.error(`Cannot tell which tests ran: npm test wrote no ${resultsFile}`);
    return 1;
  }
  const covered = cover(cases, tests, results);
  print(covered);

  const wrong = [...unknownIds(cases, tests), ...found.flatMap(({ stray }) => stray)];
  for (const line of wrong) console.log(line);
  const failing = covered.filter(({ problem }) => problem !== undefined);
  const required = covered.filter(({ later }) => later === undefined);
  const good = required.filter(({ problem }) => problem === undefined).length;
  console.log(`\n${good} of ${required.length} required cases have tests that all passed`);
  if (failing.length > 0) console.log(`Without: ${failing.map(({ id, problem }) => `${id} (${problem})`).join(", ")}`);
  return failing.length === 0 && wrong.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = main();
