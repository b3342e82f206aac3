import type { Clock } from "../clock/clock.ts";

export interface DuplicateWindowOptions {
  readonly clock: Clock;
  /** How long an event is remembered from when it was held. */
  readonly windowMs: number;
  /** Events that are remembered at the most; beyond it the oldest are forgotten. */
  readonly most: number;
}

/** What became of an event: it is held, or it was given back and may be sent again, or it has no way through. */
export type Outcome =
  | { readonly held: true }
  | { readonly held: false; readonly rejected?: boolean; readonly retryAfterMs?: number | undefined };

/** Remembers which events are held, so that each is taken once. Of this replica alone: another has its own. */
export interface DuplicateWindow {
  /**
   * Takes an event unless it is held, or being taken, already: whoever brings it a second time gets the outcome of the
   * first. An event is remembered once it is held, and not before: one that was given back may come again.
   */
  once(id: string, take: () => Promise<Outcome>): { readonly outcome: Promise<Outcome>; readonly isDuplicate: boolean };
  /** True when `once` would take it. */
  isNew(id: string): boolean;
}

const isHeld: Promise<Outcome> = Promise.resolve({ held: true });

export function createDuplicateWindow({ clock, windowMs, most }: DuplicateWindowOptions): DuplicateWindow {
  /** Monotonic times at which they are forgotten, in the order in which they come up. */
  const held = new Map<string, number>();
  const underWay = new Map<string, Promise<Outcome>>();

  const forget = (): void => {
    const nowMs = clock.elapsed();
    for (const [id, untilMs] of held) {
      if (untilMs > nowMs && held.size <= most) return;
      held.delete(id);
    }
  };

  const isNew = (id: string): boolean => {
    forget();
    return !held.has(id) && !underWay.has(id);
  };

  return {
    isNew,
    once(id, take) {
      if (!isNew(id)) return { outcome: underWay.get(id) ?? isHeld, isDuplicate: true };
      const outcome = take().then((result) => {
        if (result.held) held.set(id, clock.elapsed() + windowMs);
        return result;
      });
      underWay.set(id, outcome);
      const settled = (): void => {
        underWay.delete(id);
      };
      outcome.then(settled, settled);
      return { outcome, isDuplicate: false };
    },
  };
}
