import { readFile } from "node:fs/promises";
import type { Clock } from "../clock/clock.ts";
import { messageOf } from "../error/coded-error.ts";
import { systemCodeOf } from "../transport/failure.ts";

/** The whole content of a file as UTF-8 text, symlinks followed at each call; rejects with the system's error. */
export type ReadFile = (path: string) => Promise<string>;

/** Reads from the disk; virtual time waits for it. */
export function diskReader(clock: Clock): ReadFile {
  return (path) => clock.outside(readFile(path, "utf8"));
}

const problems: Readonly<Record<string, string>> = {
  EACCES: "permission was denied",
  EISDIR: "it is a directory",
  ELOOP: "it is a loop of symbolic links",
  ENOENT: "it does not exist",
  ENOTDIR: "it does not exist",
};

/** True when a file could not be read because there is none. */
export function isMissing(thrown: unknown): boolean {
  const code = systemCodeOf(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** What is wrong with a file that could not be read, as the end of a sentence. */
export function fileProblem(thrown: unknown): string {
  return problems[systemCodeOf(thrown) ?? ""] ?? messageOf(thrown);
}
