import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Kubeconfig, serveKind, startKubeApiserver } from "@farwatch/testing";
import { createClient, loadConfig, Namespace, systemClock } from "farwatch";
import { namespace, StorageBucket } from "../storage-bucket.ts";
import { commandOf } from "./build.ts";
import { replay } from "./implementation.ts";

export const targetNames = ["replay", "real", "embedded"] as const;
export type TargetName = (typeof targetNames)[number];

export interface TargetOptions {
  readonly objects: number;
  /** Plain HTTP/1.1 instead of TLS with HTTP/2; the real server has none. */
  readonly plain: boolean;
  readonly say: (line: string) => void;
}

/** A server that holds the objects. */
export interface MeasuredTarget {
  readonly kubeconfigFile: string;
  /** Whose CPU is the server's. */
  readonly pids: readonly number[];
  /** Sends MODIFIED events, `rate` a second or, for 0, as fast as they are taken. Only replay can. */
  readonly blast?: (events: number, rate: number) => Promise<void>;
  /** Patches the annotation bench/ts with the time, so many times at this rate; gives what the driver measured itself. */
  readonly poke?: (patches: number, rate: number) => Promise<object>;
}

/** One that was started for the bench. */
export interface Target extends MeasuredTarget, AsyncDisposable {}

export function openTarget(name: TargetName, options: TargetOptions): Promise<Target> {
  return { replay: openReplay, real: openReal, embedded: openEmbedded }[name](options);
}

async function openReplay({ objects, plain }: TargetOptions): Promise<Target> {
  await using undo = new AsyncDisposableStack();
  const dir = await tempFolder(undo);
  const child = start([...commandOf(replay.command, replay), "serve", `-n=${objects}`, `-dir=${dir}`], undo);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const ready = JSON.parse(line);
  const ask = async (path: string): Promise<object> => {
    const response = await fetch(`${ready.url}${path}`);
    if (!response.ok) throw new Error(`replay answers ${response.status} to ${path}`);
    return (await response.json()) as object;
  };
  // Rendered once, as a real server has its watch cache warm.
  for (const query of ["", "?limit=500"]) await ask(`/apis/storage.farwatch.dev/v1alpha1/storagebuckets${query}`);
  const owned = undo.move();
  return {
    kubeconfigFile: plain ? ready.kubeconfigHttp : ready.kubeconfig,
    pids: [child.pid as number],
    async blast(events, rate): Promise<void> {
      await ask(`/control/blast?n=${events}&rate=${rate}`);
    },
    poke: (patches, rate) => ask(`/control/blast?n=${patches}&rate=${rate}&stamp=1`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function openReal({ objects, say }: TargetOptions): Promise<Target> {
  await using undo = new AsyncDisposableStack();
  const server = undo.use(await startKubeApiserver({ log: say }));
  const pids = Object.values(server.pids);
  return await filled(server.kubeconfigFile, pids, { objects, say, undo });
}

async function openEmbedded({ objects, plain, say }: TargetOptions): Promise<Target> {
  await using undo = new AsyncDisposableStack();
  const kubeconfigFile = join(await tempFolder(undo), "kubeconfig");
  const command = fileURLToPath(new URL("../../packages/apiserver/dist/main.js", import.meta.url));
  const flags = ["--port=0", `--kubeconfig=${kubeconfigFile}`, ...(plain ? [] : ["--tls"])];
  const child = start([process.execPath, command, ...flags], undo);
  const ended = once(child, "close");
  // It writes the file when it is ready.
  while ((await readFile(kubeconfigFile, "utf8").catch(() => "")) === "") {
    const over = await Promise.race([ended, systemClock.sleep(20)]);
    if (over !== undefined) throw new Error("Cannot bench the embedded server: it ended before it was ready");
  }
  return await filled(kubeconfigFile, [child.pid as number], { objects, say, undo });
}

interface Filling {
  readonly objects: number;
  readonly say: (line: string) => void;
  /** Of what was started so far; the target takes it over. */
  readonly undo: AsyncDisposableStack;
}

/** An API server with the kind, the namespace and the objects. */
async function filled(kubeconfigFile: string, pids: readonly number[], filling: Filling): Promise<Target> {
  const { objects, say, undo } = filling;
  const client = undo.use(createClient({ config: loadConfig({ kubeconfig: kubeconfigFile }) }));
  undo.use(await serveKind(client, StorageBucket));
  await client.create(Namespace, { metadata: { name: namespace } });
  const { server, token } = accessOf(JSON.parse(await readFile(kubeconfigFile, "utf8")));
  const drive = async (what: string, ...args: readonly string[]): Promise<object> => {
    await using own = new AsyncDisposableStack();
    const words = [...commandOf(replay.command, replay), what, `-server=${server}`, `-token=${token}`, ...args];
    const child = start(words, own);
    const printed = await text(child.stdout);
    if (child.exitCode !== 0 && (await once(child, "close"))[0] !== 0) throw new Error(`replay ${what} failed`);
    return JSON.parse(printed) as object;
  };
  say(`Creating ${objects} StorageBuckets`);
  say(JSON.stringify(await drive("seed", `-n=${objects}`)));
  const owned = undo.move();
  return {
    kubeconfigFile,
    pids,
    poke: (patches, rate) => drive("poke", `-n=${objects}`, `-m=${patches}`, `-rate=${rate}`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function accessOf({ clusters, users }: Kubeconfig): { readonly server: string; readonly token: string } {
  const server = clusters[0]?.cluster.server;
  const user = users[0]?.user;
  if (server === undefined || user === undefined || !("token" in user))
    throw new Error("Cannot drive the server: its kubeconfig has no address or no token");
  return { server, token: user.token };
}

async function tempFolder(undo: AsyncDisposableStack): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "farwatch-bench-"));
  undo.defer(() => rm(path, { recursive: true, force: true }));
  return path;
}

function start(
  words: readonly string[],
  undo: AsyncDisposableStack,
): ChildProcess & { readonly stdout: NodeJS.ReadableStream } {
  const [command = "", ...args] = words;
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  undo.defer(async () => {
    if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
  });
  return child;
}
