import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Manifest {
  readonly exports?: Readonly<Record<string, { readonly types?: string }>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/**
 * Where the published types of a built package mention a package that its users need not install: with such a mention a program
 * without it does not compile. One line a mention.
 */
export function optionalPeersInTypes(folder: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const peers = Object.entries(manifest.peerDependenciesMeta ?? {}).flatMap(([name, { optional }]) =>
    optional ? name : [],
  );
  const problems: string[] = [];
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"([^"]+)"/g)) {
      if (name.startsWith(".")) visit(join(dirname(file), name.replace(/\.[jt]s$/, ".d.ts")));
      else if (peers.some((peer) => name === peer || name.startsWith(`${peer}/`))) {
        problems.push(`${file}: its types mention ${name}, which users need not install`);
      }
    }
  };
  for (const { types } of Object.values(manifest.exports ?? {})) if (types !== undefined) visit(join(folder, types));
  return problems;
}
