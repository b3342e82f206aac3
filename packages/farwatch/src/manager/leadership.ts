import { createChannel } from "../flow/channel.ts";
import type { Leadership } from "./manager.ts";

/** The Leadership that the manager shows, and the switch that it moves. */
export interface SwitchedLeadership extends Leadership {
  set(isLeader: boolean): void;
}

export function createLeadership(): SwitchedLeadership {
  let isLeader = false;
  const readers = new Set<(isLeader: boolean) => void>();
  return {
    get isLeader() {
      return isLeader;
    },
    set(next): void {
      if (next === isLeader) return;
      isLeader = next;
      for (const tell of readers) tell(next);
    },
    async *changes(signal): AsyncGenerator<boolean, void, undefined> {
      // A reader that falls behind needs the newest state alone.
      const channel = createChannel<boolean>({ capacity: 1, overflow: "dropOldest" });
      const tell = (next: boolean): void => {
        channel.trySend(next);
      };
      const close = (): void => channel.close();
      readers.add(tell);
      signal.addEventListener("abort", close, { once: true });
      try {
        if (signal.aborted) return;
        yield isLeader;
        yield* channel;
      } finally {
        readers.delete(tell);
        signal.removeEventListener("abort", close);
      }
    },
  };
}
