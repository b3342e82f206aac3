import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { reapProcess } from "@farwatch/testing";
import { type Duration, systemClock } from "farwatch";
import { eventually } from "../eventually.ts";

/** One line of a program's log. */
export interface LogLine {
  readonly msg: string;
  /** When it was read here, in milliseconds of `systemClock.elapsed()`. */
  readonly at: number;
  readonly [field: string]: unknown;
}

/** How a program ended: with an exit code, or by a signal. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** As `LogLine.at`. */
  readonly at: number;
}

/** A program of ours that runs as a child process in a group of its own. Disposal kills the group. */
export interface ChildProgram extends AsyncDisposable {
  readonly pid: number;
  /** What it has logged on standard output, as JSON lines; a live list. */
  readonly lines: readonly LogLine[];
  /** All that it has printed. */
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined while it runs. */
  readonly ending: Ending | undefined;
  /** The first line with (one of) these messages, said before or to come; rejects, with its output's end, when it ends without. */
  said(message: string | readonly string[], where?: (line: LogLine) => boolean): Promise<LogLine>;
  /** Resolves when it has ended and all of its output is here; rejects when it has not `within` 30 s, with the end of its output. */
  ended(within?: Duration): Promise<Ending>;
  /** Sends a signal to the whole group, as a terminal does. */
  kill(signal: NodeJS.Signals): void;
}

export interface CommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Default: this process's. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs programs/NAME.ts of this folder with Node on the sources; `options` reach it as JSON. */
export function startProgram(name: string, options: object, wrapper: readonly string[] = []): Promise<ChildProgram> {
  const [command = process.execPath, ...args] = [...wrapper, ...nodeCommand(`./programs/${name}.ts`)];
  return startCommand({ command, args: [...args, JSON.stringify(options)] });
}

/** Node's command line for a TypeScript program of this repository; the path is relative to this folder. */
export function nodeCommand(path: string): readonly string[] {
  const file = fileURLToPath(new URL(path, import.meta.url));
  return [process.execPath, "--conditions=farwatch-source", file];
}

export async function startCommand({ command, args, env }: CommandOptions): Promise<ChildProgram> {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    ...(env !== undefined && { env }),
  });
  const lines: LogLine[] = [];
  let stdout = "";
  let stderr = "";
  let ending: Ending | undefined;
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    stderr += part;
  });
  createInterface({ input: child.stdout }).on("line", (text) => {
    stdout += `${text}\n`;
    const line = parseLine(text);
    if (line !== undefined) lines.push(line);
  });
  await once(child, "spawn");
  const pid = child.pid as number;
  const reaping = reapProcess(pid);
  // Not `exit`: at `close` the last line has been read too.
  const closed = once(child, "close").then(([code, signal]) => {
    reaping[Symbol.dispose]();
    ending = { code, signal, at: systemClock.elapsed() };
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (ending !== undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      // ESRCH: it has ended, and the rest of its output is being read.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  const output = (): string => `\n${stdout.slice(-3_000)}${stderr.slice(-3_000)}`;

  return {
    pid,
    lines,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    get ending() {
      return ending;
    },
    async said(message, where = () => true): Promise<LogLine> {
      const wanted = [message].flat();
      const what = wanted.join(" or ");
      const find = (): LogLine | undefined => lines.find((line) => wanted.includes(line.msg) && where(line));
      try {
        const line = await eventually(what, () => find() ?? (ending !== undefined && ("ended" as const)));
        if (line !== "ended") return line;
      } catch (cause) {
        throw new Error(`${command} does not say ${what}, but:${output()}`, { cause });
      }
      throw new Error(`${command} ended without saying ${what}:${output()}`);
    },
    async ended(within = "30s"): Promise<Ending> {
      try {
        return await eventually("the end of the program", () => ending, { within });
      } catch (cause) {
        throw new Error(`${command} does not end:${output()}`, { cause });
      }
    },
    kill,
    async [Symbol.asyncDispose](): Promise<void> {
      // One that was stopped must go on to die of anything but this.
      kill("SIGKILL");
      await closed;
    },
  };
}

/** Undefined for what is no line of a log, or the first part of one that SIGKILL cut. */
function parseLine(text: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "msg" in value
      ? { ...(value as { readonly msg: string }), at: systemClock.elapsed() }
      : undefined;
  } catch {
    return undefined;
  }
}
