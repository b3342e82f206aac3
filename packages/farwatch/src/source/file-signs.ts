import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { messageOf } from "../error/coded-error.ts";
import type { Logger } from "../observe/logger.ts";
import { isGone } from "./mounted-files.ts";

/** What the kernel says about a path: signs that it may have changed, none of which can be relied on. */
export interface FileSigns extends Disposable {
  /**
   * Watches the path and the folder that it is in, as far as they exist, anew where another has taken their place.
   * Before each read, so that nothing happens between the two unseen.
   */
  renew(): Promise<void>;
}

interface Watched {
  readonly inode: string;
  readonly watcher: FSWatcher;
}

/** `onSign` is called at any time while not disposed of. */
export function createFileSigns(path: string, onSign: () => void, log: Logger): FileSigns {
  const own = resolve(path);
  const parent = dirname(own);
  const places = [own, parent];
  const watched = new Map<string, Watched>();
  let warned = false;
  let disposed = false;

  const leave = (place: string): void => {
    watched.get(place)?.watcher.close();
    watched.delete(place);
  };
  const failed = (place: string, error: unknown): void => {
    leave(place);
    if (warned) return;
    warned = true;
    log.warn("Cannot watch a path, it is only looked at from time to time", { path: place, problem: messageOf(error) });
  };

  const inodeOf = async (place: string): Promise<string | undefined> => {
    try {
      // A folder that is made anew often gets the inode of the one that is gone.
      const { dev, ino, birthtimeNs } = await stat(place, { bigint: true });
      return `${dev}:${ino}:${birthtimeNs}`;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  };

  const renew = async (place: string): Promise<void> => {
    const inode = await inodeOf(place);
    if (disposed || watched.get(place)?.inode === inode) return;
    leave(place);
    if (inode === undefined) return;
    // Not persistent: a process must not live on for it.
    const watcher = watch(place, { persistent: false }, (_, name) => {
      // Another may be in its place now, whose inode and time of birth are the same: all are watched anew before it is
      // read.
      if (name === null || name === basename(own)) for (const each of places) leave(each);
      else if (place !== own) return;
      onSign();
    });
    watcher.on("error", (error) => failed(place, error));
    watched.set(place, { inode, watcher });
  };

  return {
    async renew(): Promise<void> {
      for (const place of places) {
        try {
          await renew(place);
        } catch (error) {
          failed(place, error);
        }
      }
    },
    [Symbol.dispose](): void {
      disposed = true;
      for (const place of places) leave(place);
    },
  };
}
