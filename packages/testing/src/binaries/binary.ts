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
  /** On two cores with nothing cached but what those that stand before it in `recipes` have left to Go. */
  readonly takesSeconds: number;
}

const kubernetesVersion = "1.35.4";
/** Two minors behind: one more than Kubernetes supports, and what people have on their machines. */
const olderKubectlVersion = "1.33.13";

// The linker leaves debug information out, so the compiler need not make it.
const compilerFlags = ["-trimpath", "-gcflags=all=-dwarf=false"];
const linkerFlags = "-ldflags=-s -w";

/**
 * How Go builds all of them, and what else is built beside them: alike, so that what they share, Go's standard library above
 * all, is compiled once. `env` is everything of a user's environment that could change a build. A quarter of what a large
 * package costs is the compiler's garbage collection: there is none below 1 GiB, which hardly any of its processes reaches
 * (Go runs as many as there are processors).
 */
export const goBuild: {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} = {
  flags: [...compilerFlags, linkerFlags],
  env: { CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false", GOWORK: "off", GOGC: "off", GOMEMLIMIT: "1GiB" },
};

function kubernetesFlags(version: string): readonly string[] {
  const [major, minor] = version.split(".");
  const set = Object.entries({ gitVersion: `v${version}`, gitMajor: major, gitMinor: minor });
  const settings = set.map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return [...compilerFlags, [linkerFlags, ...settings].join(" ")];
}

// The same path from src/ and from dist/.
const tools = fileURLToPath(new URL("../../../../tools/", import.meta.url));

function kubernetes(name: string, takesSeconds: number): BinaryRecipe {
  return {
    module: join(tools, "kube"),
    goPackage: `./cmd/${name}`,
    flags: kubernetesFlags(kubernetesVersion),
    takesSeconds,
  };
}

export const recipes: Readonly<Record<BinaryName, BinaryRecipe>> = {
  etcd: kubernetes("etcd", 40),
  "kube-apiserver": kubernetes("kube-apiserver", 150),
  "kube-controller-manager": kubernetes("kube-controller-manager", 45),
  kubectl: kubernetes("kubectl", 20),
  "kubectl-older": {
    module: join(tools, "kubectl-older"),
    goPackage: ".",
    flags: kubernetesFlags(olderKubectlVersion),
    takesSeconds: 65,
  },
  "leader-election": {
    module: join(tools, "leader-election"),
    goPackage: ".",
    flags: goBuild.flags,
    sources: ["main.go"],
    takesSeconds: 5,
  },
  versitygw: {
    module: join(tools, "versitygw"),
    goPackage: "github.com/versity/versitygw/cmd/versitygw",
    flags: goBuild.flags,
    takesSeconds: 45,
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
