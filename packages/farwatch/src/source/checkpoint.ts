import { backoff } from "../clock/backoff.ts";
import { abortable } from "../flow/abortable.ts";
import { answerWithin } from "../flow/answer-within.ts";
import { createDoorbell } from "../flow/doorbell.ts";
import { checkNeeded } from "./refuse-source.ts";
import type { SourceContext } from "./source.ts";
import { createSourceMetrics } from "./source-metrics.ts";

/**
 * Where a source keeps how far its events were worked on, such as an annotation or a row: with it events survive the
 * process. It is written by the replica that leads; one that is late may put an older place there, and events come
 * again.
 */
export interface CheckpointStore {
  /** The place that was written last; undefined when none was. Asked at each opening; a throw fails it, and 30 s without an answer. */
  read(ctx: SourceContext): string | undefined | Promise<string | undefined>;
  /**
   * Called when all events up to this place are acknowledged: one call at a time, at most one a second and once more at
   * the end, the newest place last. A throw is logged and counted, and tried again with backoff. Its signal aborts
   * after 4 s.
   */
  write(place: string, ctx: SourceContext): void | Promise<void>;
}

/** How far the events of one opening are worked on. */
export interface Checkpoint {
  /** What the store said at the opening. */
  readonly place: string | undefined;
  /**
   * An event that is followed by this place, where it is known; what is returned is called when it was worked on. Waits
   * while 10,000 events came after one that is not. Rejects with the signal's reason.
   */
  hold(place: string | undefined, signal: AbortSignal): Promise<() => void>;
  /** A place that follows all events so far. */
  passTo(place: string): void;
  /** Resolves when every event is worked on; rejects with the signal's reason. */
  allDone(signal: AbortSignal): Promise<void>;
  /** Writes to the store until the signal aborts, and then what is left. Never rejects. */
  keep(signal: AbortSignal): Promise<void>;
}

/** @throws CodedError `InvalidOption` for what keeps no checkpoint. */
export function checkCheckpoint(name: string, store: CheckpointStore | undefined): void {
  if (store !== undefined) checkNeeded(name, { "checkpoint.read": store?.read, "checkpoint.write": store?.write });
}

interface Held {
  place: string | undefined;
  done: boolean;
}

/** A place each is remembered. */
const mostHeld = 10_000;
const writeMs = 4_000;
/** Longer than a write, after whose last the source is closed. */
const readMs = 30_000;
const storeName = "the store of its checkpoints";
const paceMs = 1_000;

/** @throws CodedError `Timeout` when the store has not said its place within 30 s; what its `read` throws; the signal's reason. */
export async function openCheckpoint(store: CheckpointStore, ctx: SourceContext): Promise<Checkpoint> {
  const { name, clock, log } = ctx;
  const metrics = createSourceMetrics(ctx.metrics);
  const delays = backoff({ initial: "1s", max: "1m", jitter: "equal", random: clock.random });
  const bell = createDoorbell(clock);
  const how = { clock, signal: ctx.signal, withinMs: readMs, of: storeName };
  const place = await answerWithin((signal) => store.read({ ...ctx, signal }), how);
  /** From the oldest that is not done on, in their order. */
  const held = new Set<Held>();
  let last: Held | undefined;
  let reached = place;
  let written = place;
  /** Wakes whoever waits for fewer to be held. */
  let moved = Promise.withResolvers<void>();

  const advance = (): void => {
    for (const entry of held) {
      if (!entry.done) break;
      held.delete(entry);
      reached = entry.place ?? reached;
    }
    moved.resolve();
    moved = Promise.withResolvers();
    if (reached !== written) bell.ring();
  };
  const heldBelow = async (most: number, signal: AbortSignal): Promise<void> => {
    while (held.size >= most) await abortable(moved.promise, signal);
  };
  const add = (entry: Held): Held => {
    held.add(entry);
    last = entry;
    return entry;
  };

  /** Whether the store has what was reached. */
  const write = async (): Promise<boolean> => {
    const next = reached;
    if (next === undefined || next === written) return true;
    try {
      await answerWithin((signal) => store.write(next, { ...ctx, signal }), {
        clock,
        withinMs: writeMs,
        of: storeName,
      });
      written = next;
      return true;
    } catch (error) {
      metrics.unsettled(name);
      log.warn("Cannot write a checkpoint: without it events come again", { error });
      return false;
    }
  };

  return {
    place,
    async hold(following, signal): Promise<() => void> {
      if (held.size >= mostHeld) {
        ctx.health.blocked("oldest");
        await heldBelow(mostHeld, signal);
        ctx.health.blocked(undefined);
      }
      const entry = add({ place: following, done: false });
      return () => {
        entry.done = true;
        advance();
      };
    },
    passTo(following): void {
      // One entry for many places between which there is no event.
      if (last?.done && held.has(last)) last.place = following;
      else add({ place: following, done: true });
      advance();
    },
    allDone: (signal) => heldBelow(1, signal),
    async keep(signal): Promise<void> {
      for (let failures = 0; !signal.aborted; ) {
        if (failures === 0) await bell.wait(Number.POSITIVE_INFINITY, signal);
        if (signal.aborted) break;
        failures = (await write()) ? 0 : failures + 1;
        await clock.sleep(failures === 0 ? paceMs : delays.delayMs(failures), signal).catch(() => {});
      }
      await write();
    },
  };
}
