import { fileURLToPath } from "node:url";
import { goBuild } from "@farwatch/testing";
import { canBuild } from "./build.ts";

/** What is measured: a program that keeps to the contract of README.md. */
export interface Implementation {
  readonly id: string;
  readonly name: string;
  /** The folder of its sources, in which it runs and is built. */
  readonly folder: string;
  /** Builds into `$OUT`, a folder of this build's in the user's cache. */
  readonly build?: readonly (readonly string[])[];
  /** Run without a shell, since it must be the measured process itself. `$OUT` as above. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const go = ["go", "build", "-mod=readonly", ...goBuild.flags];
const controllerRuntime = {
  folder: here("../peers/go-controller-runtime"),
  build: [[...go, "-o", "$OUT/peer", "."]],
  command: ["$OUT/peer"],
};
const kubeRs = {
  folder: here("../peers/kube-rs"),
  build: [["cargo", "build", "--release", "--target-dir=$OUT"]],
  command: ["$OUT/release/peer-kube-rs"],
};
const clientNode = { folder: here("../peers/client-node"), command: [process.execPath, "main.mjs"] };

/** In the order of the tables. Those of one build differ in their environment. */
export const implementations: readonly Implementation[] = [
  {
    id: "farwatch",
    name: "farwatch",
    folder: here(".."),
    command: [process.execPath, "--no-warnings", "farwatch-program.ts"],
  },
  { id: "cr", name: "controller-runtime", ...controllerRuntime },
  {
    id: "cr-list",
    name: "controller-runtime (LIST, no WatchList)",
    ...controllerRuntime,
    env: { KUBE_FEATURE_WatchListClient: "false" },
  },
  { id: "cr-strip", name: "controller-runtime (strip managedFields)", ...controllerRuntime, env: { STRIP: "1" } },
  { id: "cr-unst", name: "controller-runtime (unstructured)", ...controllerRuntime, env: { UNSTRUCTURED: "1" } },
  { id: "kube", name: "kube-rs", ...kubeRs },
  { id: "kube-stream", name: "kube-rs (streaming lists)", ...kubeRs, env: { LIST: "stream" } },
  { id: "cnode", name: "client-node", ...clientNode },
  { id: "cnode-shared", name: "client-node (one undici Agent)", ...clientNode, env: { SHARED_DISPATCHER: "1" } },
  {
    id: "kopf",
    name: "kopf",
    folder: here("../peers/kopf"),
    build: [
      ["python3", "-m", "venv", "$OUT/venv"],
      ["$OUT/venv/bin/pip", "install", "--quiet", "kopf==1.45.2", "uvloop==0.23.0"],
    ],
    command: ["$OUT/venv/bin/python", "main.py"],
  },
  {
    id: "josdk",
    name: "JOSDK",
    folder: here("../peers/josdk"),
    build: [["mvn", "--quiet", "--batch-mode", "-Dbuild.dir=$OUT", "package"]],
    command: ["java", "-cp", "$OUT/peer-josdk-0.jar:$OUT/lib/*", "bench.Main"],
  },
];

/**
 * The peers that tests run, as far as this machine can build them: kube-rs needs Rust, which the rest of the project does not.
 * Tests measure nothing, so kube-rs is built without optimizations, in a third of the time. It is first, so that the servers,
 * which are built meanwhile, have Go's standard library compiled when controller-runtime needs it.
 */
export const testedPeers: readonly Implementation[] = [
  {
    id: "kube",
    name: "kube-rs",
    folder: kubeRs.folder,
    build: [["cargo", "build", "--config=profile.dev.debug=false", "--target-dir=$OUT"]],
    command: ["$OUT/debug/peer-kube-rs"],
  },
  { id: "cr", name: "controller-runtime", ...controllerRuntime },
].filter(canBuild);

/** The server that is none: see replay/. */
export const replay = {
  id: "replay",
  folder: here("../replay"),
  build: [[...go, "-o", "$OUT/replay", "."]],
  command: ["$OUT/replay"],
} as const;

/** Those of these ids, all when there is none. @throws Error naming an id that nothing has. */
export function chooseImplementations(ids: readonly string[]): readonly Implementation[] {
  if (ids.length === 0) return implementations;
  return ids.map((id) => {
    const found = implementations.find((each) => each.id === id);
    if (found !== undefined) return found;
    throw new Error(`Cannot bench ${id}: there are ${implementations.map((each) => each.id).join(", ")}`);
  });
}
