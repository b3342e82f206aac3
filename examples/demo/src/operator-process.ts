import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type CodedError, messageOf } from "farwatch";

export interface OperatorProcess extends AsyncDisposable {
  readonly pid: number;
  readonly logFile: string;
  /** Where /metrics and /readyz are. */
  readonly url: string;
  /** Resolves when the process has ended, with what it said last when that was not asked for. */
  readonly ended: Promise<string | undefined>;
}

/** Runs `storage-bucket run`, the operator's own command, with its log in a file. */
export async function startOperator(options: {
  readonly kubeconfigFile: string;
  readonly logFile: string;
  readonly allowEndpoint: readonly string[];
  readonly leaseNamespace: string;
  readonly args?: readonly string[];
}): Promise<OperatorProcess> {
  const main = fileURLToPath(import.meta.resolve("storage-bucket/main"));
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      main,
      "run",
      ...["--kubeconfig", options.kubeconfigFile],
      ...options.allowEndpoint.flatMap((target) => ["--allow-endpoint", target]),
      ...["--http-address", "127.0.0.1:0"],
      ...["--leader-elect", "--lease-namespace", options.leaseNamespace],
      ...(options.args ?? []),
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const log = createWriteStream(options.logFile);
  const last: string[] = [];
  let stopping = false;
  const said = (line: string): void => {
    log.write(`${line}\n`);
    last.push(line);
    if (last.length > 20) last.shift();
  };
  const ended = new Promise<string | undefined>((resolve) => {
    child.once("close", (code, signal) => {
      log.end();
      resolve(stopping ? undefined : `the operator ended with ${signal ?? `exit code ${code}`}:\n${last.join("\n")}`);
    });
  });
  createInterface({ input: child.stderr }).on("line", said);
  const url = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      said(line);
      const port =
        /"msg":"Serving health and metrics".*"port":(\d+)|"port":(\d+).*"msg":"Serving health and metrics"/.exec(line);
      if (port !== null) resolve(`http://127.0.0.1:${port[1] ?? port[2]}`);
    });
  });
  const spawned = new Promise<never>((_resolve, reject) => child.once("error", reject));
  const started = await Promise.race([url, spawned, ended.then((why) => Promise.reject(new Error(why)))]).catch(
    (error: unknown) => {
      throw new Error(`Cannot start the operator: ${messageOf(error)} (log: ${options.logFile})`, {
        cause: error as CodedError,
      });
    },
  );
  return {
    pid: child.pid ?? 0,
    logFile: options.logFile,
    url: started,
    ended,
    async [Symbol.asyncDispose](): Promise<void> {
      stopping = true;
      child.kill("SIGTERM");
      await ended;
    },
  };
}
