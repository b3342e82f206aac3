import { createFifo } from "../flow/fifo.ts";
import { createReadyLanes, type ReadyLanes, type Ticket } from "./ready-lanes.ts";

export interface ReadyGroupsOptions<T> {
  readonly maxWaitMs: number;
  readonly groupOf: (item: T) => string;
  /** Items of one group that may be taken and not yet ended. */
  readonly concurrency: number;
}

/**
 * Items that are ready, in groups that take turns: of each at most `concurrency` are under way, and what is behind the
 * limit of its group stands in nobody's way. Within a group lanes decide. All is O(1), however many wait.
 */
export interface ReadyGroups<T> {
  /** Those that wait for room in their group included. */
  readonly size: number;
  put(item: T, sinceMs: number, priority: number): Ticket<T>;
  /** Moves an item to a higher lane of its group; its age stays. */
  raise(ticket: Ticket<T>, priority: number): void;
  /** Undefined when nothing is ready, or no group that has something has room. */
  take(nowMs: number): Ticket<T> | undefined;
  /** What was taken is under way no more: its group has room again. */
  ended(item: T): void;
}

interface Group<T> {
  readonly lanes: ReadyLanes<T>;
  underWay: number;
  /** It stands in `turns`. */
  inTurn: boolean;
}

export function createReadyGroups<T>({ maxWaitMs, groupOf, concurrency }: ReadyGroupsOptions<T>): ReadyGroups<T> {
  /** Those that have something ready or under way, and perhaps one that has not. */
  const groups = new Map<string, Group<T>>();
  /** Those that have something ready and room for it; whose turn it is first. */
  const turns = createFifo<Group<T>>();
  let size = 0;

  const queueUp = (group: Group<T>): void => {
    if (group.inTurn || group.lanes.size === 0 || group.underWay >= concurrency) return;
    group.inTurn = true;
    turns.push(group);
  };

  return {
    get size() {
      return size;
    },
    put(item, sinceMs, priority): Ticket<T> {
      const name = groupOf(item);
      let group = groups.get(name);
      if (group === undefined) {
        group = { lanes: createReadyLanes(maxWaitMs), underWay: 0, inTurn: false };
        groups.set(name, group);
      }
      const ticket = group.lanes.put(item, sinceMs, priority);
      size += 1;
      queueUp(group);
      return ticket;
    },
    raise(ticket, priority): void {
      groups.get(groupOf(ticket.item))?.lanes.raise(ticket, priority);
    },
    take(nowMs): Ticket<T> | undefined {
      const group = turns.shift();
      if (group === undefined) return undefined;
      group.inTurn = false;
      const ticket = group.lanes.take(nowMs);
      group.underWay += 1;
      size -= 1;
      queueUp(group);
      return ticket;
    },
    ended(item): void {
      const name = groupOf(item);
      const group = groups.get(name);
      if (group === undefined) return;
      group.underWay -= 1;
      if (group.underWay > 0 || group.lanes.size > 0) queueUp(group);
      // Namespaces come and go; where there is one group for all, it is not made anew for each item.
      else if (groups.size > 1) groups.delete(name);
    },
  };
}
