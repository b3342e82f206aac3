import { chmod, readFile, writeFile } from "node:fs/promises";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { CodedError } from "farwatch";
import { applyManifests } from "../http/apply-manifest.ts";
import { createApiServer } from "../http/create-api-server.ts";
import { kubeconfigFor } from "../http/kubeconfig.ts";

/** What the process ends with: 0 asked to end, 1 failed, 2 used wrongly. */
export type ExitCode = 0 | 1 | 2;

export interface ProgramPorts {
  out(text: string): void;
  err(text: string): void;
  /** Aborts when the program is asked to end. */
  readonly signal: AbortSignal;
}

interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly tls?: true;
  readonly data?: string;
  readonly kubeconfig?: string;
  readonly crd: readonly string[];
}

/** Runs the command line; resolves with the exit code when the command has ended. Rejects with nothing. */
export async function runProgram(args: readonly string[], ports: ProgramPorts): Promise<ExitCode> {
  try {
    await createProgram(ports).parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    // Help that was asked for ends with 0; commander has said the rest already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    ports.err(`farwatch-apiserver: ${describe(error)}\n`);
    return 1;
  }
}

/** Errors of ours are sentences that say what to do; of anything else the stack matters. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? error.message : (error.stack ?? error.message);
}

function createProgram(ports: ProgramPorts): Command {
  return new Command("farwatch-apiserver")
    .description(
      "A Kubernetes API server in one process, for demos and tests: no etcd, no nodes, nothing to install. Runs until SIGTERM or SIGINT.",
    )
    .configureOutput({ writeOut: ports.out, writeErr: ports.err })
    .showHelpAfterError("(add --help for the options)")
    .exitOverride()
    .addOption(new Option("--port <number>", "port to listen on, 0 for a free one").argParser(portNumber).default(0))
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option(
      "--tls",
      "speak TLS and HTTP/2 under a certificate made at the start, as kubectl needs it (default: plain HTTP)",
    )
    .option("--data <file>", "keep the state in this SQLite file (default: in memory, gone at the end)")
    .option("--kubeconfig <file>", "write the administrator's kubeconfig there (default: print it)")
    .addOption(
      new Option(
        "--crd <file...>",
        "create the objects of these YAML files at the start, such as CustomResourceDefinitions",
      ).default([], "none"),
    )
    .action((options: ServeOptions) => serve(options, ports));
}

function portNumber(value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be a number from 0 to 65535.");
}

const contextName = "farwatch-apiserver";

/** Replaces no kubeconfig but one that this command wrote: there may be credentials of other clusters in it. */
async function writeOwnKubeconfig(file: string, text: string): Promise<void> {
  const before = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (before !== undefined && !before.includes(`"current-context": "${contextName}"`)) {
    throw new CodedError(
      "InvalidOption",
      `Cannot write the kubeconfig to ${file}: there is another one, name a file that does not exist`,
    );
  }
  try {
    await writeFile(file, text, { mode: 0o600 });
    // A file that was there keeps its mode otherwise, and this one holds the administrator's token.
    await chmod(file, 0o600);
  } catch (cause) {
    throw new CodedError(
      "InvalidOption",
      `Cannot write the kubeconfig to ${file}: name a file in a folder that can be written to`,
      { cause },
    );
  }
}

async function readManifest(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new CodedError("InvalidOption", `Cannot read ${file}: name a file of YAML that exists after --crd`, {
      cause,
    });
  }
}

async function serve({ port, host, tls, data, kubeconfig, crd }: ServeOptions, ports: ProgramPorts): Promise<void> {
  await using server = createApiServer({ file: data });
  for (const file of crd) await applyManifests(server, [await readManifest(file)]);
  const { url, ca } = await server.listen({ port, host, tls });
  const text = `${JSON.stringify(kubeconfigFor({ url, ca, user: { token: server.token() }, name: contextName }), undefined, 2)}\n`;
  if (kubeconfig === undefined) ports.out(text);
  else {
    await writeOwnKubeconfig(kubeconfig, text);
    const unless = tls ? "" : ", but for kubectl, which sends no token over plain HTTP: add --tls";
    ports.err(`farwatch-apiserver: ready at ${url}; use it with KUBECONFIG=${kubeconfig}${unless}\n`);
  }
  if (ports.signal.aborted) return;
  await new Promise<void>((resolve) => ports.signal.addEventListener("abort", () => resolve(), { once: true }));
}
