import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Duration, isCodedError, systemClock } from "farwatch";
import { lostItsPort } from "../process/free-port.ts";
import { type ServerProcess, startProcess, untilReady } from "../process/server-process.ts";
import { createTempFolder } from "../process/temp-folder.ts";

/** What every starter of a broker takes. */
export interface BrokerServerOptions {
  readonly readyWithin?: Duration;
  readonly log?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * A broker as a process, on 127.0.0.1, with its data in a temporary folder that lasts until disposal: it can be killed,
 * and started again on what it had stored by then.
 */
export interface BrokerServer extends AsyncDisposable {
  readonly folder: string;
  readonly logFile: string;
  /** Undefined when it does not run. */
  readonly pid: number | undefined;
  /** Default SIGKILL; resolves when every process of it has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** It runs, keeps its connections, and answers nothing, until `resume`. */
  pause(): void;
  resume(): void;
  /** Stops it where it runs, and starts it on the same port and data; resolves when it is ready. */
  restart(): Promise<void>;
}

export interface BrokerRecipe {
  readonly name: string;
  readonly options: BrokerServerOptions;
  /** Makes the data folder ready, once. */
  prepare?(folders: BrokerFolders): Promise<void>;
  command(folders: BrokerFolders): { readonly command: string; readonly args: readonly string[] };
  readonly env?: Readonly<Record<string, string>>;
  /** Undefined when it is ready, else what it answered last. */
  check(): Promise<string | undefined>;
  /** Ends what the process started and does not take with it. */
  alsoKill?(pid: number): readonly number[];
  /** Ends it in good order; default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  readonly readyWithin: Duration;
}

export interface BrokerFolders {
  readonly folder: string;
  readonly data: string;
}

/**
 * @throws CodedError `ServerUnavailable` when it does not come up, with the end of its log and the log's path, in which
 * case the folder stays.
 */
export async function startBroker(recipe: BrokerRecipe): Promise<BrokerServer> {
  const { name, options } = recipe;
  await using undo = new AsyncDisposableStack();
  const temp = undo.use(await createTempFolder(`farwatch-${name}-`));
  const folders: BrokerFolders = { folder: temp.path, data: join(temp.path, "data") };
  const logFile = join(temp.path, `${name}.log`);
  // A server that runs as another user must reach its data.
  await chmod(temp.path, 0o755);
  await mkdir(folders.data, { mode: 0o700 });
  await recipe.prepare?.(folders);

  let server: ServerProcess | undefined;
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === undefined || server.ended !== undefined) return;
    const others = recipe.alsoKill?.(server.pid) ?? [];
    server.kill(signal);
    if (signal === "SIGKILL") for (const pid of others) killPid(pid);
    await server.exited;
  };
  undo.defer(() => kill("SIGKILL"));
  const stop = async (): Promise<void> => {
    const stopping = kill(recipe.stopSignal ?? "SIGTERM");
    using _overdue = systemClock.schedule("10s", () => server?.kill("SIGKILL"));
    await stopping;
  };
  const start = async (signal: AbortSignal | undefined): Promise<void> => {
    options.log?.(`Starting ${name}`);
    server = await startProcess({ name, ...recipe.command(folders), env: recipe.env ?? {}, logFile });
    await untilReady(server, {
      check: recipe.check,
      within: options.readyWithin ?? recipe.readyWithin,
      signal,
    });
  };
  try {
    await start(options.signal);
  } catch (error) {
    if (isCodedError(error, "ServerUnavailable") && !lostItsPort(error)) temp.keep();
    throw error;
  }

  const owned = undo.move();
  return {
    folder: temp.path,
    logFile,
    get pid() {
      return server?.ended === undefined ? server?.pid : undefined;
    },
    kill: (signal = "SIGKILL") => kill(signal),
    pause: () => server?.kill("SIGSTOP"),
    resume: () => server?.kill("SIGCONT"),
    async restart(): Promise<void> {
      await stop();
      await start(undefined);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function killPid(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
