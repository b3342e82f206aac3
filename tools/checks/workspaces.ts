import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/** A workspace of this repository: a folder with a package.json that the root's `workspaces` names. */
export interface Workspace {
  /** The npm name. */
  readonly name: string;
  /** Relative to the root, with forward slashes: `packages/farwatch`. */
  readonly folder: string;
  readonly private: boolean;
  /** It is built before it is packed, whoever packs it. */
  readonly packsBuilt: boolean;
  /** Names of everything in dependencies, devDependencies and peerDependencies. */
  readonly dependencies: readonly string[];
  /** The source files that its `exports` name under the condition `farwatch-source`, relative to the root. */
  readonly entries: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly scripts?: { readonly prepack?: string };
  readonly workspaces?: readonly string[];
  readonly exports?: Readonly<Record<string, { readonly "farwatch-source"?: string } | string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}

/** Every workspace, each after those that it depends on. */
export function readWorkspaces(): readonly Workspace[] {
  const patterns = readManifest("package.json").workspaces ?? [];
  const found = globSync(patterns.map((pattern) => `${pattern}/package.json`))
    .map((path) => toWorkspace(dirname(path).replaceAll("\\", "/"), readManifest(path)))
    .toSorted((a, b) => a.folder.localeCompare(b.folder));
  const ordered = new Set<Workspace>();
  const visit = (workspace: Workspace): void => {
    if (ordered.has(workspace)) return;
    for (const other of found) if (other !== workspace && workspace.dependencies.includes(other.name)) visit(other);
    ordered.add(workspace);
  };
  for (const workspace of found) visit(workspace);
  return [...ordered];
}

/** True for a workspace that `npm run build` compiles. */
export function isBuilt(workspace: Workspace): boolean {
  return existsSync(`${workspace.folder}/tsconfig.build.json`);
}

function toWorkspace(folder: string, manifest: Manifest): Workspace {
  const entries = Object.values(manifest.exports ?? {}).flatMap((target) => {
    const source = typeof target === "string" ? undefined : target["farwatch-source"];
    return source === undefined ? [] : [`${folder}/${source.replace(/^\.\//, "")}`];
  });
  return {
    name: manifest.name,
    folder,
    private: manifest.private ?? false,
    packsBuilt: manifest.scripts?.prepack?.endsWith(" build") ?? false,
    dependencies: Object.keys({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.peerDependencies,
    }),
    entries,
  };
}
