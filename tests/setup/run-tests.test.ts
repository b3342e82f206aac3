import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "farwatch";
import type { TestResult } from "./test-report.ts";

interface Finished {
  readonly code: number;
  readonly output: string;
  readonly lines: readonly string[];
  /** What is left for `npm run cases`. */
  readonly results: readonly TestResult[] | undefined;
}

interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Called with what was printed so far; true to interrupt the run. */
  readonly interruptWhen?: (output: string) => boolean;
}

const runner = fileURLToPath(new URL("./run-tests.ts", import.meta.url));

/** Runs `npm test` as if the files were the repository. */
async function runTests(files: Readonly<Record<string, string>>, options: RunOptions = {}): Promise<Finished> {
  const root = mkdtempSync(join(tmpdir(), "farwatch-run-"));
  try {
    for (const [path, source] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), source);
    }
    // Neither the run that this test is a part of, nor where it runs, may show.
    const { NODE_TEST_CONTEXT: _context, CI: _ci, NODE_OPTIONS: _options, ...env } = process.env;
    const child = spawn(process.execPath, ["--conditions=farwatch-source", runner, ...(options.args ?? [])], {
      cwd: root,
      env: { ...env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let interrupted = false;
    child.stdout.on("data", (part: Buffer) => {
      output += part.toString("utf8");
      if (!interrupted && options.interruptWhen?.(output)) interrupted = child.kill("SIGINT");
    });
    const errors = text(child.stderr);
    const [code] = (await once(child, "close")) as [number];
    const resultsFile = join(root, "node_modules/.cache/farwatch/test-results.json");
    return {
      code,
      output: output + (await errors),
      lines: output.trimEnd().split("\n"),
      results: existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, "utf8")) as TestResult[]) : undefined,
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const passing = 'import { test } from "node:test";\ntest("it works", () => {});\n';

test("test run of passing tests ends with their count and leaves what ran", async () => {
  const { code, lines, results } = await runTests({ "packages/a/src/b.test.ts": passing });
  assert.equal(code, 0);
  assert.equal(lines.at(-1), "1 passed, 0 failed");
  assert.deepEqual(lines.slice(0, 2), ["packages/a/src/b.test.ts", "  ✓ it works"]);
  assert.deepEqual(results, [{ file: "packages/a/src/b.test.ts", line: 2, name: "it works", outcome: "passed" }]);
});

test("test run shows failures in full at its end and fails", async () => {
  const source = `
    import assert from "node:assert/strict";
    import { test } from "node:test";
    test("it breaks", () => assert.deepEqual({ a: [1, 2] }, { a: [1, 3] }));
    test("it throws", () => { throw new Error("outer", { cause: new Error("inner") }); });
    test("it works", () => {});
  `;
  const { code, output, lines, results } = await runTests({ "packages/a/src/b.test.ts": source });
  assert.equal(code, 1);
  assert.equal(lines.at(-1), "1 passed, 2 failed");
  const end = output.slice(output.indexOf("\nFailed\n"));
  assert.match(end, /✗ it breaks \(packages\/a\/src\/b\.test\.ts:4\)\n {6}AssertionError/);
  assert.match(end, /-\s+3\n/);
  assert.match(end, /Error: outer\n[\s\S]*\[cause\]: Error: inner/);
  assert.deepEqual(
    results?.map(({ outcome }) => outcome),
    ["failed", "failed", "passed"],
  );
});

test("test run prints skipped tests with their reasons, and fails for them in CI", async () => {
  const source = `
    import { test } from "node:test";
    test("it works", () => {});
    test("it waits", { skip: "no network" }, () => {});
    test("it comes", { todo: true }, () => { throw new Error("not yet"); });
  `;
  const files = { "packages/a/src/b.test.ts": source };
  const here = await runTests(files);
  assert.equal(here.code, 0);
  assert.equal(here.lines.at(-1), "1 passed, 0 failed, 2 skipped");
  assert.match(here.output, /\nSkipped\n {2}- it waits \(packages\/a\/src\/b\.test\.ts\): no network\n/);
  assert.match(here.output, / {2}- it comes .*: no reason given\n/);
  const inCi = await runTests(files, { env: { CI: "true" } });
  assert.equal(inCi.code, 1);
  assert.equal(inCi.lines.at(-1), "1 passed, 1 failed, 2 skipped");
  assert.match(inCi.output, /2 tests were skipped, which CI=true forbids\./);
});

test("test run fails when it finds no test, or fewer than it must", async () => {
  const none = await runTests({});
  assert.deepEqual([none.code, none.lines.at(-1)], [1, "0 passed, 1 failed"]);
  assert.match(none.output, /0 tests ran, and there must be at least 1\./);
  const few = await runTests({ "packages/a/src/b.test.ts": passing }, { args: ["--at-least", "2"] });
  assert.deepEqual([few.code, few.lines.at(-1)], [1, "1 passed, 1 failed"]);
  assert.match(few.output, /1 tests ran, and there must be at least 2\./);
});

test("test run fails for a file that has no test, that crashes, or that exits early", async () => {
  const { code, output, lines } = await runTests({
    "packages/a/src/crash.test.ts": 'throw new Error("at import");',
    "packages/a/src/empty.test.ts": "export {};",
    "packages/a/src/exit.test.ts": `import { test } from "node:test";\ntest("it exits", () => process.exit(4));`,
    "packages/a/src/good.test.ts": passing,
  });
  assert.equal(code, 1);
  assert.equal(lines.at(-1), "1 passed, 3 failed");
  const end = output.slice(output.indexOf("\nFailed\n"));
  assert.match(end, /✗ packages\/a\/src\/crash\.test\.ts\n[\s\S]*Error: at import/);
  assert.match(
    end,
    /✗ packages\/a\/src\/empty\.test\.ts\n {6}It has no test that ran; what several files share belongs into a \.fixture\.ts\./,
  );
  assert.match(end, /✗ packages\/a\/src\/exit\.test\.ts\n {6}Its process ended with exit code 4/);
});

test("test run ends a file that leaves something open, and says what", async () => {
  const source = `
    import { createServer } from "node:net";
    import { test } from "node:test";
    test("it listens", () => { createServer().listen(0, "127.0.0.1"); });
  `;
  const { code, output, lines } = await runTests({ "packages/a/src/b.test.ts": source });
  assert.equal(code, 1);
  assert.equal(lines.at(-1), "1 passed, 1 failed");
  assert.match(output, /Still open 10 s after the last test of this file: TCPServerWrap/);
});

test("test run can be narrowed by parts of paths, and then leaves the results of the last whole run alone", async () => {
  const files = {
    "packages/a/src/b.test.ts": passing,
    "packages/a/src/c.test.ts": passing,
    "examples/d/src/e.test.ts": passing,
  };
  const { code, output, lines, results } = await runTests(files, { args: ["c.test", "examples/", "--at-least", "50"] });
  assert.deepEqual([code, lines.at(-1), results], [0, "2 passed, 0 failed", undefined]);
  assert.doesNotMatch(output, /b\.test\.ts/);
});

test("test run of the contract is that of the sources which are named", async () => {
  const contract = (...names: readonly string[]): string => `
    import { test } from "node:test";
    const sourceContract = ({ name }) => test(name + " keeps what redis would", () => {});
    ${names.map((name) => `sourceContract({\n  name: "${name}",\n});`).join("\n")}
  `;
  const files = {
    "packages/a/src/source-contract.test.ts": contract("webhookSource", "tickerSource, jittered", "redisStreamSource"),
    "packages/a/src/other-source-contract.test.ts": contract("kafkaSource"),
    "packages/a/src/redis.test.ts": passing,
  };
  const all = await runTests(files, { args: ["--contract"] });
  assert.deepEqual([all.code, all.lines.at(-1), all.results], [0, "4 passed, 0 failed", undefined], all.output);
  const named = await runTests(files, { args: ["--contract", "Redis", "ticker"] });
  assert.deepEqual([named.code, named.lines.at(-1)], [0, "2 passed, 0 failed"], named.output);
});

test("test run without servers and Go runs the unit tests, and says which suites it left out and what they need", async () => {
  const files = {
    "packages/a/src/b.test.ts": passing,
    "tests/e2e/c.test.ts": passing,
    "tests/setup/d.test.ts": passing,
  };
  const env = { PATH: "/nowhere", XDG_CACHE_HOME: "/nowhere", KUBEBUILDER_ASSETS: "" };
  const here = await runTests(files, { env });
  assert.deepEqual([here.code, here.lines.at(-1)], [0, "2 passed, 0 failed"]);
  assert.match(
    here.output,
    /Skipped: 1 suite on real servers did not run\. Cannot find etcd, .*; install Go 1\.26 or later, or set KUBEBUILDER_ASSETS/,
  );
  const inCi = await runTests(files, { env: { ...env, CI: "true" } });
  assert.deepEqual([inCi.code, inCi.lines.at(-1)], [1, "2 passed, 1 failed"]);
  const unit = await runTests(files, { env: { ...env, CI: "true" }, args: ["--unit"] });
  assert.deepEqual([unit.code, unit.lines.at(-1)], [0, "2 passed, 0 failed"]);
});

test("test run that is interrupted says so, fails, and is no whole run", async () => {
  const endless =
    'import { test } from "node:test";\ntest("it hangs", () => new Promise(() => setInterval(() => {}, 1000)));\n';
  const { code, lines, output, results } = await runTests(
    { "packages/a/src/a.test.ts": passing, "packages/a/src/b.test.ts": endless },
    { interruptWhen: (printed) => printed.includes("it works") },
  );
  assert.deepEqual([code, results], [1, undefined]);
  assert.match(output, /The run was stopped by SIGINT\./);
  assert.match(lines.at(-1) ?? "", /^1 passed, \d failed$/);
});

test("test run in which a file spins stops it, and names it", async () => {
  const spinning = 'import { test } from "node:test";\ntest("it spins", async () => { for (;;) await undefined; });\n';
  const files = { "packages/a/src/a.test.ts": passing, "packages/a/src/b.test.ts": spinning };
  const { code, output } = await runTests(files, { args: ["--timeout", "2"] });
  assert.equal(code, 1);
  assert.match(output, /The run was stopped, since nothing happened for 14 s\./);
  assert.match(output, /✗ packages\/a\/src\/b\.test\.ts/);
});

test("test run stops a test that takes too long, and goes on with the next", async () => {
  const source = `${passing}test("it hangs", () => new Promise((resolve) => setTimeout(resolve, 4_000)));\ntest("next", () => {});\n`;
  const { code, output, lines } = await runTests({ "packages/a/src/b.test.ts": source }, { args: ["--timeout", "2"] });
  assert.deepEqual([code, lines.at(-1)], [1, "2 passed, 1 failed"]);
  assert.match(output, /✗ it hangs .*\n.*test timed out after 2000ms/);
});

test("test run that is killed leaves no test process behind", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "farwatch-run-"));
  const pidFile = join(folder.path, "pid");
  const hanging = `
    import { writeFileSync } from "node:fs";
    import { test } from "node:test";
    test("it hangs", () => new Promise(() => setInterval(() => {}, 1000)));
    writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
    process.kill(process.ppid, "SIGKILL");
  `;
  const { code } = await runTests({ "packages/a/src/a.test.ts": hanging });
  assert.equal(code, null);
  const pid = Number(readFileSync(pidFile, "utf8"));
  using deadline = systemClock.timeout("20s");
  while (isAlive(pid)) await systemClock.sleep("50ms", deadline);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
