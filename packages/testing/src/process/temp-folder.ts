import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reapFolder } from "./reap.ts";

export interface TempFolder extends AsyncDisposable {
  readonly path: string;
  /** Leaves the folder where it is, for someone to look at. */
  keep(): void;
}

/** A new folder of our own, removed on disposal and when this process ends in any way. */
export async function createTempFolder(prefix: string): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  const reaping = reapFolder(path);
  let kept = false;
  return {
    path,
    keep(): void {
      kept = true;
      reaping[Symbol.dispose]();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      if (!kept) await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
      reaping[Symbol.dispose]();
    },
  };
}
