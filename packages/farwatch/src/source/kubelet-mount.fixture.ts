import { mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** A folder for one test. */
export function temporaryFolder(): Disposable & { readonly path: string; at(name: string): string } {
  const path = mkdtempSync(join(tmpdir(), "farwatch-files-"));
  return {
    path,
    at: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/**
 * Mounts a version of a ConfigMap or Secret, or exchanges the one that is there, in the steps and with the names of the
 * kubelet's atomic writer: a folder for the version, `..data_tmp` renamed over `..data`, links of the keys, and the old
 * folder gone.
 */
export function mountAsKubelet(path: string, data: Readonly<Record<string, string>>): void {
  mkdirSync(path, { recursive: true });
  const version = basename(mkdtempSync(join(path, "..2030_01_01_00_00_00.")));
  for (const [name, content] of Object.entries(data)) {
    mkdirSync(dirname(join(path, version, name)), { recursive: true });
    writeFileSync(join(path, version, name), content);
  }
  const before = versionAt(path);
  symlinkSync(version, join(path, "..data_tmp"));
  renameSync(join(path, "..data_tmp"), join(path, "..data"));
  for (const name of new Set(Object.keys(data).map((each) => each.split("/")[0] ?? each))) {
    rmSync(join(path, name), { force: true });
    symlinkSync(join("..data", name), join(path, name));
  }
  if (before !== undefined) rmSync(join(path, before), { recursive: true });
}

function versionAt(path: string): string | undefined {
  try {
    return readlinkSync(join(path, "..data"));
  } catch {
    return undefined;
  }
}
