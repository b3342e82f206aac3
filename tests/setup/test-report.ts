import { relative } from "node:path";
import type { EventData } from "node:test";
import { inspect, stripVTControlCharacters, styleText } from "node:util";

/** What the stream of `run()` of node:test yields, as far as it is looked at here. */
export type TestEvent =
  | { readonly type: "test:pass"; readonly data: EventData.TestPass }
  | { readonly type: "test:fail"; readonly data: EventData.TestFail }
  | {
      readonly type: "test:stdout" | "test:stderr";
      readonly data: { readonly file?: string; readonly message: string };
    }
  | { readonly type: "test:summary"; readonly data: { readonly file?: string; readonly duration_ms: number } };

/** One test as it ended, for `npm run cases`. */
export interface TestResult {
  /** Relative to the folder of the run. */
  readonly file: string;
  readonly line: number | undefined;
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
}

export interface TestReportOptions {
  readonly write: (text: string) => void;
  /** Default: the working folder. */
  readonly root?: string;
  readonly colors?: boolean;
}

/** Prints tests as they end, and counts them. */
export interface TestReport {
  readonly results: readonly TestResult[];
  take(event: TestEvent): void;
  /** Counts as one failure that belongs to no test. */
  problem(text: string): void;
  /** Prints all failures in full, the skipped with their reasons, and last `N passed, N failed`; true when nothing failed. */
  finish(): boolean;
}

interface Failure {
  readonly title: string;
  readonly text: string;
}

/** What a file that fails has printed is kept up to this length, from its end. */
const outputLength = 20_000;

/** Files that take longer are named at the end. */
const slowMs = 10_000;

export function createTestReport(options: TestReportOptions): TestReport {
  const { write, colors = false, root = process.cwd() } = options;
  const results: TestResult[] = [];
  const failures: Failure[] = [];
  const skipped: { readonly title: string; readonly reason: string }[] = [];
  const outputs = new Map<string, string>();
  let problems = 0;
  const tookMs = new Map<string, number>();
  let heading = "";

  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    colors ? styleText(style, text, { validateStream: false }) : text;
  const shorten = (file: string | undefined): string => (file === undefined ? "" : relative(root, file));
  const head = (file: string): void => {
    if (file === heading) return;
    heading = file;
    write(`${paint("bold", file)}\n`);
  };
  const fail = (failure: Failure): void => {
    failures.push(failure);
    write(`  ${paint("red", "✗")} ${failure.title}\n`);
  };

  const takeTest = (data: EventData.TestPass | EventData.TestFail, passed: boolean): void => {
    if (data.details.type === "suite") return;
    const file = shorten(data.file);
    // Node reports a file as a test of its own when it ran none, and when its process failed.
    if (data.name === data.file) {
      head(file);
      const output = outputs.get(file);
      const why = passed
        ? "It has no test that ran; what several files share belongs into a .fixture.ts."
        : `Its process ended with ${exitOf(data.details)}${output === undefined ? "." : ` and printed:\n${output}`}`;
      problems += 1;
      fail({ title: file, text: why });
      return;
    }
    head(file);
    const outcome =
      reasonOf(data.skip) !== undefined || reasonOf(data.todo) !== undefined ? "skipped" : passed ? "passed" : "failed";
    results.push({ file, line: data.line, name: data.name, outcome });
    const indent = "  ".repeat(data.nesting + 1);
    if (outcome === "skipped") {
      const reason = reasonOf(data.skip) || reasonOf(data.todo) || "no reason given";
      skipped.push({ title: `${data.name} (${file})`, reason });
      write(`${indent}${paint("yellow", "-")} ${data.name}\n`);
    } else if (outcome === "passed") {
      const { duration_ms: testMs } = data.details;
      const slow = testMs < 1_000 ? "" : paint("dim", ` (${(testMs / 1_000).toFixed(1)} s)`);
      write(`${indent}${paint("green", "✓")} ${data.name}${slow}\n`);
    } else {
      fail({ title: `${data.name} (${file}:${data.line ?? "?"})`, text: errorText(data.details, colors) });
    }
  };

  return {
    results,
    take(event): void {
      if (event.type === "test:pass") takeTest(event.data, true);
      else if (event.type === "test:fail") takeTest(event.data, false);
      else if (event.type === "test:summary") {
        // One without a file stands at the end of a run of many.
        if (event.data.file !== undefined) tookMs.set(shorten(event.data.file), event.data.duration_ms);
      } else if (event.type === "test:stdout" || event.type === "test:stderr") {
        const file = shorten(event.data.file);
        outputs.set(
          file,
          `${outputs.get(file) ?? ""}${stripVTControlCharacters(event.data.message)}`.slice(-outputLength),
        );
      }
    },
    problem(text): void {
      problems += 1;
      failures.push({ title: text, text: "" });
    },
    finish(): boolean {
      if (skipped.length > 0) {
        write(`\n${paint("bold", "Skipped")}\n`);
        for (const { title, reason } of skipped) write(`  ${paint("yellow", "-")} ${title}: ${reason}\n`);
      }
      if (failures.length > 0) {
        write(`\n${paint("bold", "Failed")}\n`);
        for (const { title, text } of failures) write(`  ${paint("red", "✗")} ${title}\n${indented(text)}`);
      }
      const count = (outcome: TestResult["outcome"]): number =>
        results.filter((result) => result.outcome === outcome).length;
      const failed = count("failed") + problems;
      const slowest = [...tookMs].filter(([, ms]) => ms >= slowMs).toSorted(([, one], [, other]) => other - one);
      if (slowest.length > 0) write(`\n${paint("bold", "Slowest files")}\n`);
      for (const [file, ms] of slowest.slice(0, 12)) write(`  ${inSeconds(ms).padStart(5)}  ${file}\n`);
      // biome-ignore lint/plugin: of the process itself; a fault of farwatch, which has the clock, must not keep its tests from running
      write(`\n${inSeconds(process.uptime() * 1_000)}\n`);
      write(`${count("passed")} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}\n`);
      return failed === 0;
    },
  };
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/** The text of `skip` and `todo`, which are `true` without one; undefined when the test is neither. */
function reasonOf(mark: string | boolean | undefined): string | undefined {
  if (mark === undefined || mark === false) return undefined;
  return mark === true ? "" : mark;
}

function exitOf(details: object): string {
  const { error } = details as { readonly error?: { readonly exitCode?: number; readonly signal?: string } };
  return error?.signal ? `signal ${error.signal}` : `exit code ${error?.exitCode ?? "unknown"}`;
}

function errorText(details: object, colors: boolean): string {
  const { error } = details as { readonly error?: Error };
  // The runner wraps what a test threw.
  const thrown = error?.cause ?? error;
  // The text of an assertion has its values already, which inspect would print again.
  if (thrown instanceof Error && "generatedMessage" in thrown) return thrown.stack ?? thrown.message;
  return typeof thrown === "string" ? thrown : inspect(thrown, { colors, depth: 8 });
}

function indented(text: string): string {
  return text === "" ? "" : `${text.trimEnd().replaceAll(/^(?=.)/gm, "      ")}\n\n`;
}
