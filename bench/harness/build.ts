import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { accessSync, constants, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, join } from "node:path";

/** What can be built: an implementation, or replay. */
export interface Buildable {
  readonly folder: string;
  readonly build?: readonly (readonly string[])[];
}

/** Beside the servers' builds, outside of the repository. */
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "farwatch", "bench");

/** The words of a command with the build's folder for `$OUT`. */
export function commandOf(words: readonly string[], what: Buildable): readonly string[] {
  return words.map((word) => word.replaceAll("$OUT", join(cache, basename(what.folder))));
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

/** Builds what has changed since it was built; nothing when there is nothing to build. */
export async function ensureBuilt(what: Buildable, say: (line: string) => void): Promise<void> {
  if (what.build === undefined) return;
  const name = basename(what.folder);
  const digest = digestOf(what);
  const mark = join(cache, `${name}.digest`);
  if (readIfThere(mark) === digest) return;
  say(`Building ${name}`);
  mkdirSync(join(cache, name), { recursive: true });
  for (const words of what.build) await run(commandOf(words, what), what.folder);
  writeFileSync(mark, digest);
}

function digestOf({ folder, build }: Buildable): string {
  const digest = createHash("sha256").update(JSON.stringify(build));
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

async function run([command = "", ...args]: readonly string[], folder: string): Promise<void> {
  const child = spawn("nice", ["-n", "19", command, ...args], { cwd: folder, stdio: ["ignore", 2, 2] });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`Cannot build ${folder}: ${command} ended with ${code}`);
}
