import { readFile, rename, writeFile } from "node:fs/promises";
import type { CheckpointStore } from "farwatch";

/** The place in a file; undefined when there is none. */
export async function readPlace(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** A checkpoint in a file, which a process that is killed leaves whole. */
export function placeFile(path: string): CheckpointStore {
  return {
    read: () => readPlace(path),
    async write(place): Promise<void> {
      await writeFile(`${path}.new`, place);
      await rename(`${path}.new`, path);
    },
  };
}
