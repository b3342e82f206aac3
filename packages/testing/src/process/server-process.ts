import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CodedError, type Duration, messageOf, systemClock } from "farwatch";
import { reapProcess } from "./reap.ts";

export interface ProcessOptions {
  /** For errors and log lines: `etcd`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard output and error are appended to it. */
  readonly logFile: string;
}

/**
 * A server that runs as a child process, in a process group of its own: a Ctrl-C meant for us does not reach it, and it
 * ends when we do, however we end.
 */
export interface ServerProcess extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Undefined while it runs, then how it ended: `exit code 1`, `signal SIGKILL`. */
  readonly ended: string | undefined;
  /** Resolves when it has ended. */
  readonly exited: Promise<void>;
  /** Sends a signal to its process group; nothing when it has ended. */
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL after `grace`; resolves when it has ended. */
  stop(grace?: Duration): Promise<void>;
}

/** @throws CodedError `ServerUnavailable` when the command cannot be run at all. */
export async function startProcess(options: ProcessOptions): Promise<ServerProcess> {
  const { name, command, args, logFile } = options;
  await mkdir(dirname(logFile), { recursive: true });
  const log = await open(logFile, "a");
  let ended: string | undefined;
  let reaping: Disposable | undefined;
  const child = spawn(command, args, {
    stdio: ["ignore", log.fd, log.fd],
    detached: true,
    env: { ...process.env, ...options.env },
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", (code, signal) => {
      ended = signal === null ? `exit code ${code}` : `signal ${signal}`;
      reaping?.[Symbol.dispose]();
      resolve();
    });
  });
  try {
    await once(child, "spawn");
  } catch (cause) {
    throw new CodedError("ServerUnavailable", `Cannot start ${name}: ${command} does not run: ${messageOf(cause)}`, {
      cause,
    });
  } finally {
    await log.close();
  }
  const pid = child.pid as number;
  if (ended === undefined) reaping = reapProcess(pid);

  const kill = (signal: NodeJS.Signals): void => {
    if (ended !== undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      // ESRCH: it ended, and its exit event is under way.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  const stop = async (grace: Duration = "5s"): Promise<void> => {
    kill("SIGTERM");
    // A process stopped by SIGSTOP sees SIGTERM only when it goes on.
    kill("SIGCONT");
    using _killing = systemClock.schedule(grace, () => kill("SIGKILL"));
    await exited;
  };

  return {
    name,
    pid,
    logFile,
    get ended() {
      return ended;
    },
    exited,
    kill,
    stop,
    async [Symbol.asyncDispose](): Promise<void> {
      kill("SIGKILL");
      await exited;
    },
  };
}

export interface RunOptions extends ProcessOptions {
  /** What cannot be done when it fails: `make a cluster`. */
  readonly doing: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a command to its end; one that runs when the signal aborts is killed.
 *
 * @throws CodedError `ServerUnavailable` when it cannot be run or fails, with the end of its log; the signal's reason
 * when it aborts.
 */
export async function runProcess({ doing, signal, ...options }: RunOptions): Promise<void> {
  signal?.throwIfAborted();
  await using child = await startProcess(options);
  const { kill, exited } = child;
  const onAbort = (): void => kill("SIGKILL");
  // It may have aborted while the command was being started.
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  await exited;
  signal?.removeEventListener("abort", onAbort);
  signal?.throwIfAborted();
  if (child.ended === "exit code 0") return;
  throw new CodedError(
    "ServerUnavailable",
    `Cannot ${doing}: ${child.name} ended with ${child.ended}, and its log with:\n${await logEnd(child.logFile)}`,
  );
}

/** The last lines of a log file; a sentence when it cannot be read. */
export async function logEnd(logFile: string, lines = 20): Promise<string> {
  try {
    return (await readFile(logFile, "utf8")).trimEnd().split("\n").slice(-lines).join("\n");
  } catch (error) {
    return `(the log cannot be read: ${messageOf(error)})`;
  }
}

export interface ReadyOptions {
  /** Undefined when the server is ready, else what it answered or did last. */
  readonly check: () => Promise<string | undefined>;
  readonly within: Duration;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves when `check` has nothing to say any more.
 *
 * @throws CodedError `ServerUnavailable` with the end of the log and its path when the process ends or the time is
 * over; the signal's reason when it aborts.
 */
export async function untilReady(server: ServerProcess, options: ReadyOptions): Promise<void> {
  using deadline = systemClock.timeout(options.within, options.signal);
  // Whoever has the port in its place may take a connection and never say a word.
  const unanswered = Promise.race([abortOf(deadline), server.exited]).then(() => "no answer");
  for (;;) {
    const problem = await Promise.race([options.check(), unanswered]);
    options.signal?.throwIfAborted();
    if (server.ended === undefined && problem === undefined) return;
    if (server.ended !== undefined || deadline.aborted) {
      const state =
        server.ended === undefined
          ? `it is not ready after ${options.within} (${problem})`
          : `it ended with ${server.ended}`;
      throw new CodedError(
        "ServerUnavailable",
        `Cannot start ${server.name}: ${state}; its log is ${server.logFile} and ends:\n${await logEnd(server.logFile)}`,
      );
    }
    await Promise.race([systemClock.sleep("50ms"), server.exited]);
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
