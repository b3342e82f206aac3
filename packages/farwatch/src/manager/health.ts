import type { Clock } from "../clock/clock.ts";
import { messageOf } from "../error/coded-error.ts";
import { plainText } from "../observe/plain-text.ts";
import type { HealthCheck } from "./manager.ts";

/** A check that takes longer has failed. */
const checkMs = 2_000;

export interface CheckResult {
  readonly name: string;
  /** A problem makes the whole answer a 503. */
  readonly critical: boolean;
  /** Undefined when all is well. */
  readonly problem: string | undefined;
}

/** Runs checks side by side; one that throws or takes too long has failed. Never rejects. */
export async function runChecks(checks: readonly HealthCheck[], clock: Clock): Promise<readonly CheckResult[]> {
  return Promise.all(
    checks.map(async ({ name, critical = true, check }): Promise<CheckResult> => {
      using deadline = clock.timeout(checkMs);
      try {
        const late = new Promise<string>((resolve) => {
          deadline.addEventListener("abort", () => resolve(`no answer within ${checkMs} ms`), { once: true });
        });
        return { name, critical, problem: await Promise.race([check(), late]) };
      } catch (error) {
        return { name, critical, problem: messageOf(error) };
      }
    }),
  );
}

/**
 * The text that Kubernetes' own components answer: a line a check, whatever its problem quotes, and reasons only where
 * `detail` allows.
 */
export function formatChecks(path: string, results: readonly CheckResult[], detail: boolean): string {
  const lines = results.map(({ name: given, critical, problem }) => {
    const name = plainText(given);
    if (problem === undefined) return `[+]${name} ok`;
    const reason = detail ? plainText(problem) : "reason withheld";
    return critical ? `[-]${name} failed: ${reason}` : `[!]${name} degraded: ${reason}`;
  });
  return `${[...lines, `${path} check ${isHealthy(results) ? "passed" : "failed"}`].join("\n")}\n`;
}

/** True when no critical check has a problem. */
export function isHealthy(results: readonly CheckResult[]): boolean {
  return results.every(({ critical, problem }) => !critical || problem === undefined);
}
