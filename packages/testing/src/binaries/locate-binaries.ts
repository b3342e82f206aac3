import { constants } from "node:fs";
import { access, mkdir, rename, rm, stat } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { CodedError, systemClock } from "farwatch";
import { logEnd, startProcess } from "../process/server-process.ts";
import { type BinaryName, cacheFolder, goBuild, recipes } from "./binary.ts";
import { takeBuildLock } from "./build-lock.ts";

export interface LocateOptions {
  /** Told of every build: which binary, how long so far, what to expect. Default: nobody. */
  readonly log?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where KUBEBUILDER_ASSETS, XDG_CACHE_HOME and PATH are read; default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env.PATH ?? "").split(delimiter).filter((part) => part !== "")) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function givenAssets(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folder = env.KUBEBUILDER_ASSETS;
  if (folder === undefined || folder === "") return undefined;
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return folder;
  throw new CodedError(
    "InvalidConfig",
    `Cannot use KUBEBUILDER_ASSETS: ${folder} is not a folder; set it to one that holds etcd and kube-apiserver`,
  );
}

/**
 * The paths of server binaries: of `KUBEBUILDER_ASSETS` where that has them, else of the user's cache folder, else
 * built with Go into that folder. Several processes at once build each binary once, and an interrupted build leaves
 * nothing that would be taken for a binary.
 *
 * @throws CodedError `NotFound` when there is neither a binary nor Go, `Internal` with the end of Go's output when the
 * build fails, `InvalidConfig` when KUBEBUILDER_ASSETS is no folder; the signal's reason when it aborts.
 */
export async function locateBinaries<const N extends BinaryName>(
  names: readonly N[],
  options: LocateOptions = {},
): Promise<Readonly<Record<N, string>>> {
  const env = options.env ?? process.env;
  const assets = await givenAssets(env);
  const paths: Partial<Record<N, string>> = {};
  const missing: N[] = [];
  for (const name of names) {
    const given = assets === undefined ? undefined : join(assets, name);
    if (given !== undefined && (await isExecutable(given))) {
      paths[name] = given;
      continue;
    }
    const folder = await cacheFolder(recipes[name], env);
    if (folder !== undefined) paths[name] = join(folder, name);
    if (folder === undefined || !(await isExecutable(join(folder, name)))) missing.push(name);
  }
  if (missing.length > 0) {
    const go = await findOnPath("go", env);
    const folders = missing
      .map((name) => paths[name])
      .filter((path) => path !== undefined)
      .map(dirname);
    if (go === undefined || folders.length < missing.length) {
      throw cannotFind(missing, assets, folders.length === missing.length);
    }
    for (const folder of new Set(folders)) {
      await build({ names: missing.filter((_, i) => folders[i] === folder), folder, go, env, options });
    }
  }
  return paths as Record<N, string>;
}

function cannotFind(missing: readonly BinaryName[], assets: string | undefined, buildable: boolean): CodedError {
  const remedy = "set KUBEBUILDER_ASSETS to a folder that holds them";
  // An installed package has no modules to build from, and so no folder in the cache either.
  const places = buildable
    ? `${assets === undefined ? "" : `${assets} or `}the cache folder`
    : (assets ?? "KUBEBUILDER_ASSETS, which is not set");
  const rest = buildable
    ? `there is no Go to build with; install Go 1.26 or later, or ${remedy}`
    : `an installed package cannot build them; ${remedy}`;
  return new CodedError("NotFound", `Cannot find ${missing.join(", ")}: not in ${places}, and ${rest}`);
}

interface Build {
  readonly names: readonly BinaryName[];
  /** Where they are kept: all are of one module, and built with the same flags. */
  readonly folder: string;
  readonly go: string;
  readonly env: NodeJS.ProcessEnv;
  readonly options: LocateOptions;
}

/** Builds them at once, so that Go links one while it compiles the next. */
async function build({ names, folder, go, env, options }: Build): Promise<void> {
  const log = options.log ?? (() => {});
  await mkdir(folder, { recursive: true });
  await using _lock = await takeBuildLock(join(folder, "lock"), {
    signal: options.signal,
    onWait: () => log(`Another process builds in ${folder}: waiting for it before ${names.join(", ")} is built`),
  });
  const left: BinaryName[] = [];
  for (const name of names) if (!(await isExecutable(join(folder, name)))) left.push(name);
  const [first] = left;
  if (first === undefined) return;

  const { module, flags } = recipes[first];
  const what = left.join(", ");
  const takes = about(left.reduce((sum, name) => sum + recipes[name].takesSeconds, 0));
  const startMs = systemClock.elapsed();
  const seconds = (): string => `${Math.round((systemClock.elapsed() - startMs) / 1_000)} s`;
  log(`Building ${what} with Go: ${takes} the first time, kept in ${folder} for the next`);
  const unfinished = join(folder, `${process.pid}.part`);
  const logFile = join(folder, "build.log");
  await rm(logFile, { force: true });
  const packages = left.map((name) => recipes[name].goPackage);
  try {
    await using compiler = await startProcess({
      name: "go",
      command: go,
      // -C first, as Go asks. With the slash at the end Go takes it for a folder, and makes that.
      args: ["-C", module, "build", "-mod=readonly", ...flags, "-o", `${unfinished}/`, ...packages],
      env: { PATH: env.PATH ?? "", ...goBuild.env },
      logFile,
    });
    using _stopping = onAbort(options.signal, () => compiler.kill("SIGKILL"));
    const stopProgress = new AbortController();
    const progress = (async () => {
      for await (const _ of systemClock.ticks("10s", stopProgress.signal))
        log(`Building ${what}: ${seconds()} so far, usually ${takes}`);
    })();
    await compiler.exited;
    stopProgress.abort();
    await progress;
    options.signal?.throwIfAborted();
    if (compiler.ended !== "exit code 0") {
      throw new CodedError(
        "Internal",
        `Cannot build ${what}: go ended with ${compiler.ended}; its output is ${logFile} and ends:\n${await logEnd(logFile)}`,
      );
    }
    for (const name of left) await rename(join(unfinished, name), join(folder, name));
    log(`Built ${what} in ${seconds()}`);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function about(seconds: number): string {
  return seconds < 90 ? `about ${seconds} seconds` : `about ${Math.round(seconds / 60)} minutes`;
}

function onAbort(signal: AbortSignal | undefined, run: () => void): Disposable {
  signal?.addEventListener("abort", run, { once: true });
  if (signal?.aborted) run();
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", run) };
}
