import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat, utimes } from "node:fs/promises";
import { type Duration, systemClock, toMs } from "farwatch";

export interface BuildLockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told once, when another process holds the lock. */
  readonly onWait?: () => void;
  /** A lock whose holder gave no sign of life for this long is broken; default 20 s. */
  readonly staleAfter?: Duration;
}

/**
 * Takes a lock that all processes of this machine share: a folder, which exactly one of them can create. Its holder
 * touches it every few seconds, so that the lock of a process that was killed is broken and not waited for.
 */
export async function takeBuildLock(folder: string, options: BuildLockOptions = {}): Promise<AsyncDisposable> {
  const staleMs = toMs(options.staleAfter ?? "20s");
  let waiting = false;
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      await mkdir(folder);
      return hold(folder, staleMs / 5);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (await breakStale(folder, staleMs)) continue;
    if (!waiting) options.onWait?.();
    waiting = true;
    await systemClock.sleep("200ms", options.signal);
  }
}

function hold(folder: string, everyMs: number): AsyncDisposable {
  const stop = new AbortController();
  const touching = (async () => {
    for await (const now of systemClock.ticks(everyMs, stop.signal)) await utimes(folder, now, now);
  })();
  // Another process broke the lock: it saw no sign of life, say over a suspended machine. What it guards is safe all
  // the same, since binaries are built elsewhere and renamed.
  touching.catch(() => {});
  return {
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await touching.catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function breakStale(folder: string, staleMs: number): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(folder);
    if (systemClock.now().getTime() - mtimeMs < staleMs) return false;
    // Of several processes that find it stale, one renames it; the others find it gone.
    const broken = `${folder}.${randomUUID()}`;
    await rename(folder, broken);
    await rm(broken, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return true;
}
