import { createFifo, type Fifo } from "../flow/fifo.ts";

/** An item that is ready, in its lane. */
export interface Ticket<T> {
  readonly item: T;
  /** When it became ready, monotonic ms. */
  readonly sinceMs: number;
  priority: number;
  taken: boolean;
}

/**
 * Items that are ready, in lanes by priority: first in, first out within a lane, the highest lane first, except that an
 * item that has waited `maxWaitMs` goes before every younger one, whatever its lane (promise 7).
 */
export interface ReadyLanes<T> {
  readonly size: number;
  put(item: T, sinceMs: number, priority: number): Ticket<T>;
  /** Moves an item to a higher lane; its age stays. */
  raise(ticket: Ticket<T>, priority: number): void;
  take(nowMs: number): Ticket<T> | undefined;
}

export function createReadyLanes<T>(maxWaitMs: number): ReadyLanes<T> {
  /** Every ticket in the order in which it became ready; taken ones are skipped when they come up. */
  const byAge = createFifo<Ticket<T>>();
  const lanes = new Map<number, Fifo<Ticket<T>>>();
  /** The priorities of `lanes`, highest first. */
  let order: readonly number[] = [];
  let size = 0;

  const laneOf = (priority: number): Fifo<Ticket<T>> => {
    let lane = lanes.get(priority);
    if (lane === undefined) {
      lane = createFifo();
      lanes.set(priority, lane);
      order = [...lanes.keys()].sort((a, b) => b - a);
    }
    return lane;
  };

  const oldest = (): Ticket<T> | undefined => {
    for (let ticket = byAge.peek(); ticket !== undefined; ticket = byAge.peek()) {
      if (!ticket.taken) return ticket;
      byAge.shift();
    }
    return undefined;
  };

  const highest = (): Ticket<T> | undefined => {
    for (const priority of order) {
      const lane = laneOf(priority);
      for (let ticket = lane.peek(); ticket !== undefined; ticket = lane.peek()) {
        // A raised ticket stands in its old lane too, where it no longer counts.
        if (!ticket.taken && ticket.priority === priority) return ticket;
        lane.shift();
      }
      // Lanes come and go with the priorities that callers make up; an empty one must not stay for ever.
      lanes.delete(priority);
      order = order.filter((kept) => kept !== priority);
    }
    return undefined;
  };

  return {
    get size() {
      return size;
    },
    put(item, sinceMs, priority): Ticket<T> {
      const ticket: Ticket<T> = { item, sinceMs, priority, taken: false };
      byAge.push(ticket);
      laneOf(priority).push(ticket);
      size += 1;
      return ticket;
    },
    raise(ticket, priority): void {
      if (ticket.taken || priority <= ticket.priority) return;
      ticket.priority = priority;
      laneOf(priority).push(ticket);
    },
    take(nowMs): Ticket<T> | undefined {
      const first = oldest();
      if (first === undefined) return undefined;
      const ticket = nowMs - first.sinceMs >= maxWaitMs ? first : (highest() ?? first);
      ticket.taken = true;
      size -= 1;
      return ticket;
    },
  };
}
