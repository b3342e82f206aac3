import { execFile } from "node:child_process";
import type { Clock } from "../clock/clock.ts";

/** A program to run, as `runCommand` of `loadConfig` is given it. */
export interface Command {
  /** A path, or a name that is looked for in PATH; no shell reads it. */
  readonly command: string;
  readonly args: readonly string[];
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * More on either output stream kills the child, and the call rejects with the code
   * `ERR_CHILD_PROCESS_STDIO_MAXBUFFER`.
   */
  readonly maxOutputBytes: number;
}

/** How it ended, and what it wrote. */
export interface CommandOutcome {
  /** The exit code, or the name of the signal that killed it. */
  readonly exit: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a child process with an empty standard input to its end. Resolves however it exited; rejects with the system's
 * error when it could not be started, and with the signal's reason, the child killed, when that aborts.
 */
export type RunCommand = (command: Command, signal: AbortSignal) => Promise<CommandOutcome>;

/** Runs real child processes; virtual time waits for them. */
export function childRunner(clock: Clock): RunCommand {
  return (command, signal) => clock.outside(run(command, signal));
}

function run({ command, args, env, maxOutputBytes }: Command, signal: AbortSignal): Promise<CommandOutcome> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const options = {
      env: { ...env },
      maxBuffer: maxOutputBytes,
      signal,
      killSignal: "SIGKILL",
      windowsHide: true,
    } as const;
    const child = execFile(command, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve({ exit: 0, stdout, stderr });
      else if (signal.aborted) reject(signal.reason);
      else if (typeof error.code === "number") resolve({ exit: error.code, stdout, stderr });
      else if (typeof error.signal === "string" && typeof error.code !== "string")
        resolve({ exit: error.signal, stdout, stderr });
      else reject(error);
    });
    // A child that never reads its input breaks the pipe: that is its right, and no failure of the run.
    child.stdin?.on("error", () => {});
    child.stdin?.end();
  });
}
