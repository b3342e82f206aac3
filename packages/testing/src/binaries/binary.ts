import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type BinaryName =
  | "etcd"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kubectl"
  | "kubectl-older"
  | "leader-election"
  | "versitygw";

/** How a binary is built, and what to tell whoever waits for it. */
export interface BinaryRecipe {
  /** The folder of its Go module. */
  readonly module: string;
  /** The package to build, as Go names it from that folder. */
  readonly goPackage: string;
  readonly flags: readonly string[];
  /** Go files of the module itself that change with time; modules that it requires change with go.mod. */
  readonly sources?: readonly string[];
  /** On two cores with nothing cached. */
  readonly takes: string;
}

const kubernetesVersion = "1.35.4";
/** Two minors behind: one more than Kubernetes supports, and what people have on their machines. */
const olderKubectlVersion = "1.33.13";

function kubernetesFlags(version: string): readonly string[] {
  const [major, minor] = version.split(".");
  const set = Object.entries({ gitVersion: `v${version}`, gitMajor: major, gitMinor: minor });
  const settings = set.map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ["-trimpath", `-ldflags=-s -w ${settings.join(" ")}`];
}

// The same path from src/ and from dist/.
const tools = fileURLToPath(new URL("../../../../tools/", import.meta.url));

function kubernetes(name: string, takes: string): BinaryRecipe {
  return {
    module: join(tools, "kube"),
    goPackage: `./cmd/${name}`,
    flags: kubernetesFlags(kubernetesVersion),
    takes,
  };
}

export const recipes: Readonly<Record<BinaryName, BinaryRecipe>> = {
  etcd: kubernetes("etcd", "about 45 seconds"),
  "kube-apiserver": kubernetes("kube-apiserver", "about 3 minutes"),
  "kube-controller-manager": kubernetes("kube-controller-manager", "about a minute"),
  kubectl: kubernetes("kubectl", "about 30 seconds"),
  "kubectl-older": {
    module: join(tools, "kubectl-older"),
    goPackage: ".",
    flags: kubernetesFlags(olderKubectlVersion),
    takes: "about a minute",
  },
  "leader-election": {
    module: join(tools, "leader-election"),
    goPackage: ".",
    flags: ["-trimpath", "-ldflags=-s -w"],
    sources: ["main.go"],
    takes: "about a minute",
  },
  versitygw: {
    module: join(tools, "versitygw"),
    goPackage: "github.com/versity/versitygw/cmd/versitygw",
    flags: ["-trimpath", "-ldflags=-s -w"],
    takes: "about 2 minutes",
  },
};

/**
 * The folder in the user's cache where builds of a recipe's module are kept. Its name holds a digest of everything that
 * the binaries depend on, so that a second clone finds them and a changed pin does not. Undefined where the module is
 * not there, as in an installed package.
 */
export async function cacheFolder(
  recipe: BinaryRecipe,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const digest = createHash("sha256");
  try {
    for (const file of ["go.mod", "go.sum", ...(recipe.sources ?? [])])
      digest.update(await readFile(join(recipe.module, file))).update("\0");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  digest.update(JSON.stringify([recipe.flags, process.platform, process.arch]));
  const base = env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(base, "farwatch", digest.digest("hex").slice(0, 16));
}
