import {
  type Controller,
  createManager,
  createPinoLogger,
  type Manager,
  type ManagerOptions,
  systemClock,
} from "farwatch";
import type { LogLine } from "./child-program.ts";

/** A manager at work in this process, with its log. Disposal stops it. */
export interface RunningManager extends AsyncDisposable {
  readonly manager: Manager;
  /** A live list. */
  readonly lines: readonly LogLine[];
  /** Asks it to stop; resolves, or rejects, as `start` does. */
  stop(): Promise<void>;
}

/** Starts the controllers, without election, and with health and metrics on a free port of loopback. */
export function runManager(options: ManagerOptions, ...controllers: readonly Controller[]): RunningManager {
  const lines: LogLine[] = [];
  const log = createPinoLogger({
    level: "debug",
    destination: {
      write: (line) => {
        lines.push({ ...(JSON.parse(line) as { msg: string }), at: systemClock.elapsed() });
      },
    },
  });
  const manager = createManager({ leaderElection: false, http: { host: "127.0.0.1", port: 0 }, log, ...options });
  for (const controller of controllers) manager.add(controller);
  const stopping = new AbortController();
  const started = manager.start({ signal: stopping.signal });
  // Whoever stops it hears of its end.
  started.catch(() => {});
  const stop = (): Promise<void> => {
    stopping.abort();
    return started;
  };
  return {
    manager,
    lines,
    stop,
    async [Symbol.asyncDispose](): Promise<void> {
      await stop();
      await manager[Symbol.asyncDispose]();
    },
  };
}

/** Log lines that say that something went wrong. */
export function complaints(lines: readonly LogLine[]): readonly string[] {
  return lines
    .filter(({ level }) => level === "warn" || level === "error")
    .map(({ msg, ...fields }) => `${msg} ${JSON.stringify(fields)}`);
}
