import type { Logger } from "../observe/logger.ts";
import type { Source } from "./source.ts";

/**
 * What a source says of the memory that an event's object takes; 0 where it says nothing. What it cannot say, or is no
 * size, counts as nothing too, and is logged: an event must neither be lost nor stop its source.
 */
export function bytesOfEvent<T>(source: Pick<Source<T>, "bytesOf">, object: T, log: Logger): number {
  try {
    const bytes = source.bytesOf?.(object) ?? 0;
    if (Number.isFinite(bytes) && bytes >= 0) return bytes;
    log.error("Cannot tell how large an event is, it counts as nothing", { bytes: String(bytes) });
  } catch (error) {
    log.error("Cannot tell how large an event is, it counts as nothing", { error });
  }
  return 0;
}
