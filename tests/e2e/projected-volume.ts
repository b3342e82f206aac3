import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of files that change all at once, in the way in which kubelet keeps a projected volume. */
export interface ProjectedVolume extends AsyncDisposable {
  readonly folder: string;
  path(name: string): string;
  /** Puts these files in the place of all others: a new folder, to which the link `..data` is moved. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
}

export async function createProjectedVolume(): Promise<ProjectedVolume> {
  const folder = await mkdtemp(join(tmpdir(), "farwatch-projected-"));
  const inFolder = (name: string): string => join(folder, name);
  const links = new Set<string>();
  let generation = 0;
  return {
    folder,
    path: inFolder,
    async write(files): Promise<void> {
      generation += 1;
      const data = `..generation_${generation}`;
      await mkdir(inFolder(data));
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, data, name), text);
      await symlink(data, inFolder("..data_tmp"));
      await rename(inFolder("..data_tmp"), inFolder("..data"));
      for (const name of Object.keys(files).filter((file) => !links.has(file))) {
        await symlink(join("..data", name), inFolder(name));
        links.add(name);
      }
      if (generation > 1) await rm(inFolder(`..generation_${generation - 1}`), { recursive: true });
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
