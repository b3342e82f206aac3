/**
 * `npm test`: unit tests first, then the suites on real servers: as many of those that share API servers at a time as there
 * are such servers, since the files that run on one make the same cluster-scoped objects there, and beside them some that
 * need none. `npm run contract`: of these the contract of sources.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { type RunOptions, run } from "node:test";
import { readCommandLine, refuse, wholeNumber } from "../command-line.ts";
import { leakGraceMs } from "./leak-grace.ts";
import { findTestFiles, type TestFiles } from "./test-files.ts";
import { createTestReport, type TestEvent, type TestResult } from "./test-report.ts";

const processors = availableParallelism();
/** API servers for the suites that share them. Each takes a gigabyte. */
const serverCount = Math.min(4, processors);
/** Suites beside those, of which most wait more than they work; one may start an API server of its own, or Kafka. */
const besideCount = Math.min(4, processors) + 1;
/** Where `npm run cases` finds which tests ran in the last whole run. */
const resultsFile = "node_modules/.cache/farwatch/test-results.json";

const major = Number.parseInt(process.versions.node, 10);
if (major < 24)
  throw new Error(`Cannot test: this is Node ${process.versions.node}; use "npm test", which brings Node 24`);

const isContract = process.argv.includes("--contract");
const command = isContract
  ? {
      name: "npm run contract",
      usage: `Usage: npm run contract -- [NAME ...] [options]

The contract that every source passes, those of brokers on their real servers. With NAME: the sources with one of these in
their name, such as redis or webhookSource.

  --unit             leaves out what needs real servers
  --timeout SECONDS  for each test, default 60, and 300 on real servers
`,
    }
  : {
      name: "npm test",
      usage: `Usage: npm test -- [PART ...] [options]

Unit tests, then the suites on real servers. With PART: the files with one of these in their path.

  --unit             leaves out what needs real servers
  --at-least N       fails a run of everything that has fewer tests, default 1
  --timeout SECONDS  for each test, default 60, and 300 on real servers
`,
    };
const { values, positionals } = readCommandLine({
  ...command,
  positionals: "any",
  options: {
    contract: { type: "boolean", default: false },
    unit: { type: "boolean", default: false },
    "at-least": { type: "string", default: "1" },
    timeout: { type: "string" },
  },
});
const atLeastOfAll = wholeNumber(command, "at-least", { text: values["at-least"] });
const timeoutOfEach =
  values.timeout === undefined ? undefined : wholeNumber(command, "timeout", { text: values.timeout, least: 1 });
/** The contract names a test for the source first. */
const sourceName = new RegExp(`^\\S*(?:${positionals.map((name) => RegExp.escape(name)).join("|")})`, "i");
const namesOf = (file: string): readonly string[] =>
  [...readFileSync(file, "utf8").matchAll(/^\s*name: ["`]([^"`]*)/gm)].flatMap(([, name = ""]) => name);
// Every file is a process of its own, and loads much of what the others load.
process.env.NODE_COMPILE_CACHE ??= resolve("node_modules/.cache/farwatch/compiled");
const inCi = process.env.CI === "true";
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));

function isChosen(file: string): boolean {
  if (isContract && !file.includes("source-contract")) return false;
  if (positionals.length === 0) return true;
  return isContract
    ? namesOf(file).some((name) => sourceName.test(name))
    : positionals.some((part) => file.includes(part));
}

const report = createTestReport({
  write: (text) => process.stdout.write(text),
  colors: process.stdout.hasColors?.() ?? false,
});

interface FileRun {
  readonly concurrency: number;
  /** Of one test, unless `--timeout` says otherwise. */
  readonly timeoutSeconds: number;
  /** Besides what this process has. */
  readonly env?: Readonly<Record<string, string>>;
  readonly take: (event: TestEvent) => void;
}

async function runFiles(files: readonly string[], { concurrency, timeoutSeconds, env, take }: FileRun): Promise<void> {
  if (files.length === 0) return;
  const timeoutMs = (timeoutOfEach ?? timeoutSeconds) * 1_000;
  // The types of Node 24 do not know `env` yet.
  const options: RunOptions & { readonly env: NodeJS.ProcessEnv } = {
    files: files.map((file) => resolve(file)),
    concurrency,
    timeout: timeoutMs,
    ...(isContract ? { testNamePatterns: sourceName } : {}),
    execArgv: ["--conditions=farwatch-source", `--import=${new URL("./leak-guard.ts", import.meta.url).href}`],
    signal: stop.signal,
    env: { ...process.env, ...env },
  };
  const events = run(options);
  // No timeout of a test ends a process that spins, so a run in which nothing happens any more is stopped as a whole.
  const stallMs = timeoutMs + leakGraceMs + 2_000;
  const stalled = (): void => stop.abort(new Error(`stopped, since nothing happened for ${stallMs / 1_000} s`));
  // biome-ignore lint/style/noRestrictedGlobals: a fault of farwatch, which has the clock, must not keep its tests from running
  const guard = setTimeout(stalled, stallMs);
  for await (const event of events) {
    guard.refresh();
    take(event as TestEvent);
  }
  // biome-ignore lint/style/noRestrictedGlobals: as above
  clearTimeout(guard);
}

/** What a file has to say comes when it ends, so that files which run at the same time do not speak in between each other. */
async function runSuite(file: string, env: Readonly<Record<string, string>>): Promise<void> {
  const events: TestEvent[] = [];
  await runFiles([file], { concurrency: 1, timeoutSeconds: 300, env, take: (event) => events.push(event) });
  for (const event of events) report.take(event);
}

async function runSuites({ sharing, independent }: TestFiles["suites"]): Promise<void> {
  // Loaded now, so that a fault in the packages shows in the unit tests and not before them.
  const { provideServers } = await import("./provided-servers.ts");
  await using servers = await provideServers({
    count: Math.min(sharing.length, serverCount),
    log: (line) => process.stdout.write(`${line}\n`),
    signal: stop.signal,
  });
  if (servers.unavailable === undefined) {
    const left = { sharing: sharing.values(), independent: independent.values() };
    const work = async (files: Iterable<string>, env: Readonly<Record<string, string>> = {}): Promise<void> => {
      for (const file of files) if (!stop.signal.aborted) await runSuite(file, env);
    };
    await Promise.all([
      ...servers.envs.map(async (env) => {
        await work(left.sharing, env);
        await work(left.independent);
      }),
      ...Array.from({ length: besideCount }, () => work(left.independent)),
    ]);
    return;
  }
  const count = sharing.length + independent.length;
  const text = `${count === 1 ? "1 suite" : `${count} suites`} on real servers did not run. ${servers.unavailable}`;
  if (inCi) report.problem(text);
  else process.stdout.write(`\nSkipped: ${text}\n`);
}

/** Renamed into place, so that a run that is killed leaves the results of the one before. */
function keepResults(results: readonly TestResult[]): void {
  mkdirSync(dirname(resultsFile), { recursive: true });
  writeFileSync(`${resultsFile}.part`, JSON.stringify(results));
  renameSync(`${resultsFile}.part`, resultsFile);
}

const { unit, suites } = findTestFiles(process.cwd());
const unitTests = unit.filter(isChosen);
const chosen = { sharing: suites.sharing.filter(isChosen), independent: suites.independent.filter(isChosen) };
const suiteCount = values.unit ? 0 : chosen.sharing.length + chosen.independent.length;
if (isContract && unitTests.length + suiteCount === 0)
  refuse(command, `no source has ${positionals.join(" or ")} in its name`);
await runFiles(unitTests, { concurrency: processors + 1, timeoutSeconds: 60, take: report.take });
if (suiteCount > 0 && !stop.signal.aborted) {
  try {
    await runSuites(chosen);
  } catch (error) {
    if (!stop.signal.aborted) report.problem(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

const { results } = report;
const whole = positionals.length === 0 && !values.unit && !isContract;
if (whole && !stop.signal.aborted) keepResults(results);
const atLeast = whole ? atLeastOfAll : 1;
const skippedTests = results.filter(({ outcome }) => outcome === "skipped").length;
if (stop.signal.aborted) report.problem(`The run was ${(stop.signal.reason as Error).message}.`);
if (results.length - skippedTests < atLeast) {
  report.problem(`${results.length - skippedTests} tests ran, and there must be at least ${atLeast}.`);
}
if (inCi && skippedTests > 0) report.problem(`${skippedTests} tests were skipped, which CI=true forbids.`);
process.exitCode = report.finish() ? 0 : 1;
