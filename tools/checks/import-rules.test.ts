import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { rooms } from "./rooms.ts";

const packageFile = (name: string, entry = "./src/index.ts"): string =>
  JSON.stringify({ name, type: "module", exports: { ".": { "farwatch-source": entry } } });

/** A repository in which all is well. */
const sound: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ workspaces: ["packages/*", "operators/*"] }),
  "packages/farwatch/package.json": packageFile("farwatch"),
  "packages/farwatch/src/index.ts": 'export { toMs } from "./clock/duration.ts";',
  "packages/farwatch/src/error/coded-error.ts": "export class CodedError extends Error {}",
  "packages/farwatch/src/clock/duration.ts":
    'import type { CodedError } from "../error/coded-error.ts"; export type E = CodedError; export const toMs = 1;',
  "packages/farwatch/src/flow/channel.ts": 'import { toMs } from "../clock/duration.ts"; export const channel = toMs;',
  "packages/farwatch/src/clock/duration.test.ts": 'import "../flow/channel.ts"; import "./duration.ts";',
  "packages/testing/package.json": packageFile("@farwatch/testing"),
  "packages/testing/src/index.ts": 'export { toMs } from "../../farwatch/src/index.ts";',
  "operators/bucket/package.json": packageFile("bucket"),
  "operators/bucket/src/index.ts": 'export { toMs } from "../../../packages/farwatch/src/index.ts";',
  "examples/.keep": "",
  "tests/all.test.ts": 'import "../packages/testing/src/index.ts";',
  "tools/.keep": "",
  "bench/.keep": "",
};

/** What the gate finds in a sound repository with these files changed. */
function check(changed: Readonly<Record<string, string>> = {}): {
  readonly problems: readonly string[];
  readonly modules: number;
} {
  const root = mkdtempSync(join(tmpdir(), "farwatch-imports-"));
  try {
    for (const [folder, order] of Object.entries(rooms))
      for (const room of order) mkdirSync(join(root, folder, "src", room), { recursive: true });
    for (const [path, text] of Object.entries({ ...sound, ...changed })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const program = `import { checkImports } from ${JSON.stringify(import.meta.resolve("./import-rules.ts"))};
      console.log(JSON.stringify(await checkImports()));`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: root,
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const duration = "packages/farwatch/src/clock/duration.ts";

test("import rules find nothing in a sound repository, and look at every module of it", () => {
  assert.deepEqual(check(), { problems: [], modules: 8 });
});

test("import rules find an import from a room below, of a type too, but not in a test", () => {
  const upward =
    'import type { channel } from "../flow/channel.ts"; export type C = typeof channel; export const toMs = 1;';
  const { problems } = check({
    [duration]: upward,
    "packages/farwatch/src/flow/channel.ts": "export const channel = 1;",
  });
  assert.deepEqual(problems, [
    `${duration} -> packages/farwatch/src/flow/channel.ts: clock: imports only from itself and from rooms above`,
  ]);
});

test("import rules find a room that nobody has declared, and one that is gone", () => {
  const { problems } = check({ "packages/farwatch/src/cellar/wine.ts": "export const wine = 1;" });
  assert.deepEqual(problems, [
    "packages/farwatch/src/cellar/ is no known room: add it to tools/checks/rooms.ts in its place",
  ]);
});

test("import rules find a cycle, of types alone too", () => {
  const { problems } = check({
    "packages/farwatch/src/flow/a.ts": 'import type { B } from "./b.ts"; export type A = B | 1;',
    "packages/farwatch/src/flow/b.ts": 'import type { A } from "./a.ts"; export type B = A | 2;',
  });
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /flow\/(a|b)\.ts -> .*: no cycles$/);
});

test("import rules find an import of another package's inside, and of the package's own index", () => {
  const { problems } = check({
    "packages/testing/src/index.ts": 'export { toMs } from "../../farwatch/src/clock/duration.ts";',
    "tests/all.test.ts": 'import "../packages/farwatch/src/flow/channel.ts";',
    "packages/farwatch/src/manager/all.ts": 'export { toMs } from "../index.ts";',
  });
  assert.deepEqual(problems.map((problem) => problem.replace(/^.*: /, "")).toSorted(), [
    "another package is imported by one of its entry points",
    "imports only from itself and from rooms above",
    "nothing inside a package imports its index.ts",
    "tests/, tools/ and bench/ import packages by their entry points",
  ]);
});

test("import rules find imports that point down: from packages to operators, from sources to tests and tools", () => {
  const { problems } = check({
    "packages/testing/src/index.ts": 'export { toMs } from "../../../operators/bucket/src/index.ts";',
    "operators/bucket/src/index.ts": 'import "../../../tools/kit.ts"; export const toMs = 1;',
    "tools/kit.ts": "export const kit = 1;",
    "packages/farwatch/src/flow/channel.ts": 'import "../clock/duration.test.ts"; export const channel = 1;',
    "packages/farwatch/src/clock/duration.test.ts": 'import "./duration.ts";',
  });
  assert.deepEqual(problems.map((problem) => problem.replace(/^.*: /, "")).toSorted(), [
    "imports nothing from operators/, examples/",
    "only tests import a test or a fixture",
    "workspaces import nothing from tests/, tools/ or bench/",
  ]);
});

test("import rules find an import that leads nowhere", () => {
  const { problems } = check({ [duration]: 'import "./nowhere.ts"; export const toMs = 1;' });
  assert.deepEqual(problems, [`${duration} -> ./nowhere.ts: every import resolves`]);
});
