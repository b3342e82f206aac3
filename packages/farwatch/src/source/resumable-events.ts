import { type Duration, toMs } from "../clock/duration.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { createChannel } from "../flow/channel.ts";
import { createTaskScope } from "../flow/task-scope.ts";
import { type Checkpoint, type CheckpointStore, openCheckpoint } from "./checkpoint.ts";
import type { SourceContext } from "./source.ts";

/** The events of one opening of a source whose far side goes on from a place that it is told. */
export interface ResumableEvents<T> {
  /** Where the far side is to go on: behind what was received in this opening, or else where the last one ended. */
  readonly place: string | undefined;
  /**
   * Hands an event on; resolves when there is room for the next. `place`: that behind it, where the far side says one.
   */
  send(object: T, place: string | undefined): Promise<void>;
  /** The far side says a place without an event. */
  passTo(place: string): void;
}

/** What outlives the openings of a source. */
export interface Resumable<T> {
  /**
   * The events that `receive` sends, until it returns and all are acknowledged, or it throws, or the signal aborts.
   * With a store they carry acknowledgements, and one that is given back comes again; without one, the place behind
   * what was read is remembered for the next opening.
   */
  read(
    ctx: SourceContext,
    receive: (events: ResumableEvents<T>, signal: AbortSignal) => Promise<void>,
  ): AsyncGenerator<GenericEvent<T>, void, undefined>;
}

export function createResumable<T>(store: CheckpointStore | undefined): Resumable<T> {
  /** Behind all that was read; with a store nobody looks at it. */
  let readTo: string | undefined;

  return {
    async *read(ctx, receive): AsyncGenerator<GenericEvent<T>, void, undefined> {
      const { clock, signal } = ctx;
      const out = createChannel<{ readonly event: GenericEvent<T>; readonly place?: string | undefined }>({
        capacity: 1,
      });
      let checkpoint: Checkpoint | undefined;
      try {
        checkpoint = store === undefined ? undefined : await openCheckpoint(store, ctx);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      const scope = createTaskScope(signal);
      let received = checkpoint === undefined ? readTo : checkpoint.place;

      const eventOf = (object: T, done: (() => void) | undefined): GenericEvent<T> => {
        if (done === undefined) return { type: "generic", object };
        const retry = (after: Duration = 0): void =>
          scope.run("redeliver", async (stopped) => {
            const afterMs = toMs(after);
            if (afterMs > 0) await clock.sleep(afterMs, stopped);
            await out.send({ event: eventOf(object, done) }, { signal: stopped });
          });
        return { type: "generic", object, ack: { done, retry } };
      };
      const events: ResumableEvents<T> = {
        get place() {
          return received;
        },
        async send(object, place): Promise<void> {
          received = place ?? received;
          const done = await checkpoint?.hold(place, scope.signal);
          await out.send({ event: eventOf(object, done), place }, { signal: scope.signal });
        },
        passTo(place): void {
          received = place;
          if (checkpoint !== undefined) checkpoint.passTo(place);
          else if (out.size === 0) readTo = place;
        },
      };

      try {
        scope.run("receive", async (stopped) => {
          await receive(events, stopped);
          await checkpoint?.allDone(stopped);
          out.close();
        });
        if (checkpoint !== undefined) scope.run("checkpoint", (stopped) => checkpoint.keep(stopped));
        for (let next = await out.receive(scope.signal); next !== undefined; next = await out.receive(scope.signal)) {
          readTo = next.place ?? readTo;
          yield next.event;
        }
      } catch (error) {
        if (!scope.signal.aborted) throw error;
      } finally {
        scope.abort(signal.reason);
        await scope.join();
      }
    },
  };
}
