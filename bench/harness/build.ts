import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { accessSync, constants, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { goBuild } from "@farwatch/testing";

/** What can be built: an implementation, or replay. */
export interface Buildable {
  readonly folder: string;
  readonly build?: readonly (readonly string[])[];
}

/** Beside the servers' builds, outside of the repository; named for the commands too, since tests build a peer in another way. */
function outOf({ folder, build = [] }: Buildable): string {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "farwatch", "bench");
  const digest = createHash("sha256").update(JSON.stringify(build)).digest("hex");
  return join(cache, `${basename(folder)}-${digest.slice(0, 8)}`);
}

/** The words of a command with the build's folder for `$OUT`. */
export function commandOf(words: readonly string[], what: Buildable): readonly string[] {
  return words.map((word) => word.replaceAll("$OUT", outOf(what)));
}

/** Whether this machine has what the build begins with: a compiler, an interpreter. */
export function canBuild({ build }: Buildable): boolean {
  const tool = build?.[0]?.[0];
  if (tool === undefined) return true;
  return (process.env.PATH ?? "").split(delimiter).some((folder) => isExecutable(join(folder, tool)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface BuildOptions {
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Builds what has changed since it was built; nothing when there is nothing to build. Rejects with the signal's reason. */
export async function ensureBuilt(what: Buildable, { log, signal }: BuildOptions): Promise<void> {
  if (what.build === undefined) return;
  const out = outOf(what);
  const digest = digestOf(what);
  const mark = `${out}.digest`;
  if (readIfThere(mark) === digest) return;
  log(`Building ${basename(what.folder)}`);
  mkdirSync(out, { recursive: true });
  for (const words of what.build) await run(commandOf(words, what), { folder: what.folder, signal });
  writeFileSync(mark, digest);
}

/** Of its sources. */
function digestOf({ folder }: Buildable): string {
  const digest = createHash("sha256");
  for (const file of globSync("**/*.{go,mod,sum,rs,toml,java,xml}", { cwd: folder }).toSorted())
    digest.update(`\0${file}\0`).update(readFileSync(join(folder, file)));
  return digest.digest("hex");
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

interface Place {
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
}

async function run([command = "", ...args]: readonly string[], { folder, signal }: Place): Promise<void> {
  signal?.throwIfAborted();
  const env = { ...process.env, ...goBuild.env };
  const child = spawn("nice", ["-n", "19", command, ...args], { cwd: folder, stdio: ["ignore", 2, 2], env });
  const stop = (): boolean => child.kill();
  signal?.addEventListener("abort", stop, { once: true });
  const [code] = await once(child, "close");
  signal?.removeEventListener("abort", stop);
  signal?.throwIfAborted();
  if (code !== 0) throw new Error(`Cannot build ${folder}: ${command} ended with ${code}`);
}
