/** A version of semver.org 2.0.0; build metadata does not count. */
export interface Semver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];
}

const whole = "(?:0|[1-9]\\d*)";
const pattern = new RegExp(
  `^(${whole})\\.(${whole})\\.(${whole})(?:-((?:${whole}|\\d*[A-Za-z-][0-9A-Za-z-]*)(?:\\.(?:${whole}|\\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

export function parseSemver(text: string): Semver | undefined {
  const [, major, minor, patch, pre] = pattern.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], pre: pre?.split(".") ?? [] };
}

/** Takes a leading `v`, leading zeros, and a version without patch or minor number. */
export function parseTolerantSemver(text: string): Semver | undefined {
  const [major = "", minor, ...patch] = text.replace(/^v/, "").split(".");
  const parts = [major, minor, patch.length === 0 ? undefined : patch.join(".")].filter((part) => part !== undefined);
  const trimmed = parts.map((part) => part.replace(/^0+(?=\d)/, ""));
  const last = trimmed.at(-1) ?? "";
  if (trimmed.length < 3 && /[-+]/.test(last)) return undefined;
  while (trimmed.length < 3) trimmed.push("0");
  return parseSemver(trimmed.join("."));
}

export function compareSemver(a: Semver, b: Semver): -1 | 0 | 1 {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return a.pre.length === b.pre.length ? 0 : a.pre.length === 0 ? 1 : -1;
  for (let index = 0; index < Math.max(a.pre.length, b.pre.length); index += 1) {
    const [left, right] = [a.pre[index], b.pre[index]];
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    if (left === right) continue;
    const [isLeft, isRight] = [/^\d+$/.test(left), /^\d+$/.test(right)];
    if (isLeft && isRight) return BigInt(left) < BigInt(right) ? -1 : 1;
    if (isLeft !== isRight) return isLeft ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}
