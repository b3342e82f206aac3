import type { Clock } from "../clock/clock.ts";
import { clockFrom } from "../clock/clock-core.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { type Instant, instantOf, parseTime } from "../clock/instant.ts";
import { seededRandom } from "../clock/random.ts";
import { CodedError } from "../error/coded-error.ts";
import { createHeap } from "../flow/heap.ts";

export interface VirtualClockOptions {
  /** RFC 3339; default 2030-01-01T00:00:00Z. */
  readonly now?: string;
  /** Of `random`; default 1. */
  readonly seed?: number;
}

/** A Clock that stands still until it is told to move. */
export interface VirtualClock extends Clock {
  /**
   * Moves time on, timer by timer in the order of their due times, and lets all work that a timer caused settle before
   * the next one fires.
   */
  advance(duration: Duration): Promise<void>;
  /**
   * Resolves when nothing can run without time moving: no `outside` wait is open and a macrotask has passed without
   * work. Rejects with a CodedError `Timeout` when that never comes, since something wakes itself again and again.
   */
  settle(): Promise<void>;
  /**
   * Moves the wall clock alone, below 0 back, as an operator or NTP would; `elapsed` and timers do not notice.
   *
   * @throws CodedError `InvalidOption` for what is no such number.
   */
  jump(byMs: number): void;
  /** Timers that have not fired. */
  readonly pendingTimers: number;
}

/** 0000-01-01 and the end of 9999-12-31: what RFC 3339 can say. */
const [earliestMs, latestMs] = [-62_167_219_200_000, 253_402_300_799_999];

/** Ten thousand objects that are created at one instant set fewer timers. */
const mostAtOnce = 50_000;

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly run: () => void;
}

export function createVirtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const start = parseTime(options.now ?? "2030-01-01T00:00:00Z");
  if (start === undefined) {
    throw new CodedError(
      "InvalidOption",
      `Cannot start a virtual clock at ${JSON.stringify(options.now)}: give an RFC 3339 time`,
    );
  }
  let wallOffsetMs = start.getTime();
  let elapsedMs = 0;
  let order = 0;
  /** Waits outside this clock that have not settled, and who is told when none is left. */
  let waits = 0;
  let noWaits: PromiseWithResolvers<void> | undefined;
  /** Bumped by whatever may start new work, so that `settle` sees activity that began and ended within one turn. */
  let activity = 0;
  const timers = createHeap<Timer>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order));

  /** Timers that were set since time last moved. */
  let setAtOnce = 0;
  /**
   * Why what runs does not come to rest; whoever settles is told at once, since a loop of promises alone lets no turn
   * of the event loop through.
   */
  let restless: CodedError | undefined;
  const settling = new Set<(reason: CodedError) => void>();

  const orRestless = (begin: (resolve: () => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      if (restless !== undefined) {
        reject(restless);
        return;
      }
      settling.add(reject);
      begin(() => {
        settling.delete(reject);
        resolve();
      });
    });

  const settle = async (): Promise<void> => {
    for (let before = -1; before !== activity; ) {
      // Again, since another wait may have begun in the moment in which the last one ended.
      while (waits > 0) {
        noWaits ??= Promise.withResolvers();
        const { promise } = noWaits;
        await orRestless((resolve) => promise.then(resolve));
      }
      before = activity;
      // biome-ignore lint/style/noRestrictedGlobals: the one wait of virtual time, for a turn of the real event loop.
      await orRestless(setImmediate);
    }
  };

  const clock = clockFrom({
    now: (): Instant => instantOf(wallOffsetMs + elapsedMs),
    elapsed: () => elapsedMs,
    random: seededRandom(options.seed ?? 1),
    scheduleMs(afterMs, run): Disposable {
      activity += 1;
      setAtOnce += 1;
      if (setAtOnce > mostAtOnce) {
        restless ??= new CodedError(
          "Timeout",
          `Cannot come to rest: ${mostAtOnce} timers were set while time stood still; something wakes itself again and again, such as a reconciler that its own write or \`requeueAfter: 0\` brings back`,
        );
        for (const reject of settling) reject(restless);
        settling.clear();
      }
      order += 1;
      return timers.push({ dueMs: elapsedMs + afterMs, order, run });
    },
    outside<T>(work: Promise<T>): Promise<T> {
      activity += 1;
      waits += 1;
      return work.finally(() => {
        activity += 1;
        waits -= 1;
        if (waits > 0) return;
        noWaits?.resolve();
        noWaits = undefined;
      });
    },
  });

  return {
    ...clock,
    settle,
    jump(byMs): void {
      const atMs = wallOffsetMs + elapsedMs + byMs;
      if (!(atMs >= earliestMs && atMs <= latestMs)) {
        throw new CodedError(
          "InvalidOption",
          `Cannot move the wall clock by ${byMs}: give milliseconds, below 0 to move it back, that leave it in the years 0 to 9999`,
        );
      }
      wallOffsetMs += byMs;
    },
    get pendingTimers() {
      return timers.size;
    },
    async advance(duration): Promise<void> {
      const untilMs = elapsedMs + toMs(duration);
      await settle();
      for (let timer = timers.peek(); timer !== undefined && timer.dueMs <= untilMs; timer = timers.peek()) {
        timers.pop();
        if (timer.dueMs > elapsedMs) setAtOnce = 0;
        elapsedMs = Math.max(elapsedMs, timer.dueMs);
        timer.run();
        await settle();
      }
      elapsedMs = untilMs;
      setAtOnce = 0;
    },
  };
}
