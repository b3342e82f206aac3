import type { Clock } from "../clock/clock.ts";
import { createDoorbell } from "../flow/doorbell.ts";
import { createHeap, type HeapEntry } from "../flow/heap.ts";
import { areNested, type Grid, nextOnGrid } from "./phase.ts";

/**
 * Many periodic due times on the wall clock, one timer for all. Each key is due at phase + n · period since the Unix
 * epoch, so that it is due at the same times after a restart, on another machine, and after the wall clock was set.
 * Points that pass while nobody asks merge into one; after the clock was set each key is due at its next point from
 * there, and none at once.
 */
export interface DueTimes extends Disposable {
  readonly size: number;
  /**
   * Makes a key due on this grid; its next point is kept when the grid is the one it has. A grid that is not nested with
   * the one it has puts off no point that the key waits for: however it changes between grids, it is due no later than
   * the longest nested one of any of them asks. O(log n).
   */
  set(key: string, grid: Grid): void;
  delete(key: string): void;
  has(key: string): boolean;
  /** Resolves with the next key when it is due; rejects with the signal's reason. One caller at a time. */
  next(signal: AbortSignal): Promise<string>;
}

interface Due {
  readonly key: string;
  readonly grid: Grid;
  atMs: number;
  /** The point that it waited for when it left a grid; not put off, and forgotten once it is due. */
  byMs: number;
}

/** The wall clock is looked at again at least this often, so that a step of it, or a suspended machine, is noticed. */
const longestSleepMs = 30_000;
/**
 * Wall and monotonic clock part by less than this between two looks unless the wall clock was set: NTP slews 0.5 ms a
 * second.
 */
const stepMs = 1_000;

const nextPoint = ({ phaseMs, periodMs }: Grid, afterMs: number): number => nextOnGrid(phaseMs, periodMs, afterMs);

export function createDueTimes(clock: Clock): DueTimes {
  const dues = new Map<string, { readonly due: Due; entry: HeapEntry }>();
  const heap = createHeap<Due>((a, b) => a.atMs < b.atMs);
  /** Rings when another key is the first now. */
  const bell = createDoorbell(clock);
  let offsetMs = clock.now().getTime() - clock.elapsed();

  /** The wall clock; when it was set since the last look, every key gets a new next point. */
  const look = (): number => {
    const nowMs = clock.now().getTime();
    const newOffsetMs = nowMs - clock.elapsed();
    const stepped = Math.abs(newOffsetMs - offsetMs) >= stepMs;
    offsetMs = newOffsetMs;
    if (stepped) {
      for (const held of dues.values()) {
        held.entry[Symbol.dispose]();
        held.due.atMs = nextPoint(held.due.grid, nowMs);
        held.due.byMs = Number.POSITIVE_INFINITY;
        held.entry = heap.push(held.due);
      }
    }
    return nowMs;
  };

  return {
    get size() {
      return dues.size;
    },
    set(key, grid): void {
      const nowMs = look();
      const held = dues.get(key);
      let byMs = Number.POSITIVE_INFINITY;
      if (held !== undefined) {
        const before = held.due;
        if (before.grid.phaseMs === grid.phaseMs && before.grid.periodMs === grid.periodMs) return;
        byMs = areNested(before.grid, grid) ? before.byMs : Math.min(before.byMs, before.atMs);
        held.entry[Symbol.dispose]();
      }
      const due: Due = { key, grid, atMs: Math.min(nextPoint(grid, nowMs), byMs), byMs };
      dues.set(key, { due, entry: heap.push(due) });
      if (heap.peek() === due) bell.ring();
    },
    delete(key): void {
      dues.get(key)?.entry[Symbol.dispose]();
      dues.delete(key);
    },
    has: (key) => dues.has(key),
    async next(signal): Promise<string> {
      for (;;) {
        signal.throwIfAborted();
        const nowMs = look();
        const first = heap.peek();
        if (first !== undefined && first.atMs <= nowMs) {
          heap.pop();
          first.atMs = nextPoint(first.grid, nowMs);
          first.byMs = Number.POSITIVE_INFINITY;
          dues.set(first.key, { due: first, entry: heap.push(first) });
          return first.key;
        }
        await bell.wait(
          first === undefined ? Number.POSITIVE_INFINITY : Math.min(first.atMs - nowMs, longestSleepMs),
          signal,
        );
      }
    },
    [Symbol.dispose](): void {
      for (const { entry } of dues.values()) entry[Symbol.dispose]();
      dues.clear();
    },
  };
}
