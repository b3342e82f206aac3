import type { Clock } from "../clock/clock.ts";
import { createHeap, type HeapEntry } from "../flow/heap.ts";
import { createReadyGroups, type ReadyGroupsOptions } from "./ready-groups.ts";
import type { Ticket } from "./ready-lanes.ts";

/** When something shall run next, and in which lane. */
export interface Due {
  readonly atMs: number;
  readonly priority: number;
  /** Among equal times the one that was asked for first comes first. */
  readonly order: number;
}

/**
 * What an item knows of its place in a schedule; the schedule alone writes it, but for `due` of an item that is not in
 * it.
 */
export interface Slot<T> {
  due: Due | undefined;
  /** Set while it is ready. */
  ticket: Ticket<T> | undefined;
  /** Set while it waits for its time. */
  timer: HeapEntry | undefined;
}

/**
 * Items that wait for their time, and those whose time has come, in groups and lanes; one timer of the clock serves
 * them all.
 */
export interface Schedule<T> {
  /** Items that are ready. */
  readonly ready: number;
  /** Items that wait for their time. */
  readonly waiting: number;
  dueAfter(afterMs: number, priority: number): Due;
  /** Puts an item in that is not ready, or moves it forward: it is in the schedule once. */
  place(item: T, due: Due): void;
  /** Moves an item that is ready to a higher lane. */
  raise(ticket: Ticket<T>, priority: number): void;
  /** Takes a ready item out; it is under way until it has `ended`. */
  take(nowMs: number): Ticket<T> | undefined;
  ended(item: T): void;
  /** No time comes any more. */
  stop(): void;
}

export interface ScheduleOptions<T> extends ReadyGroupsOptions<T> {
  readonly clock: Clock;
  /** Called when there may be items to take. */
  readonly onReady: () => void;
}

export function createSchedule<T extends Slot<T>>(options: ScheduleOptions<T>): Schedule<T> {
  const { clock, onReady } = options;
  const ready = createReadyGroups(options);
  const waiting = createHeap<T>((a, b) => comesBefore(a.due, b.due));
  let alarm: { readonly atMs: number; readonly timer: Disposable } | undefined;
  let order = 0;

  const ring = (): void => {
    alarm = undefined;
    const nowMs = clock.elapsed();
    for (let item = waiting.peek(); item !== undefined; item = waiting.peek()) {
      if (item.due === undefined || item.due.atMs > nowMs) break;
      waiting.pop();
      item.timer = undefined;
      item.ticket = ready.put(item, nowMs, item.due.priority);
    }
    setAlarm();
    onReady();
  };

  const setAlarm = (): void => {
    const atMs = waiting.peek()?.due?.atMs;
    if (alarm?.atMs === atMs) return;
    alarm?.timer[Symbol.dispose]();
    alarm = atMs === undefined ? undefined : { atMs, timer: clock.schedule(Math.max(0, atMs - clock.elapsed()), ring) };
  };

  return {
    get ready() {
      return ready.size;
    },
    get waiting() {
      return waiting.size;
    },
    dueAfter(afterMs, priority): Due {
      order += 1;
      return { atMs: clock.elapsed() + afterMs, priority, order };
    },
    place(item, due): void {
      // Out of the heap before its time changes: the heap's order stands on it.
      item.timer?.[Symbol.dispose]();
      item.timer = undefined;
      item.due = earlier(item.due, due);
      const nowMs = clock.elapsed();
      if (item.due.atMs <= nowMs) {
        item.ticket = ready.put(item, nowMs, item.due.priority);
        onReady();
      } else {
        item.timer = waiting.push(item);
      }
      setAlarm();
    },
    raise: ready.raise,
    take(nowMs): Ticket<T> | undefined {
      const ticket = ready.take(nowMs);
      if (ticket === undefined) return undefined;
      ticket.item.ticket = undefined;
      ticket.item.due = undefined;
      return ticket;
    },
    ended(item): void {
      ready.ended(item);
      onReady();
    },
    stop(): void {
      alarm?.timer[Symbol.dispose]();
      alarm = undefined;
    },
  };
}

/** Between two times for the same item the earlier wins, and the higher lane. */
export function earlier(a: Due | undefined, b: Due): Due {
  if (a === undefined) return b;
  const first = b.atMs < a.atMs ? b : a;
  return { ...first, priority: Math.max(a.priority, b.priority) };
}

function comesBefore(a: Due | undefined, b: Due | undefined): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return a.atMs === b.atMs ? a.order < b.order : a.atMs < b.atMs;
}
