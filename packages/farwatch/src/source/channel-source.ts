import { CodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { createChannel } from "../flow/channel.ts";
import { readUntilAborted } from "./read-until-aborted.ts";
import { checkBounds, checkChoices, checkFunctions, openElsewhere } from "./refuse-source.ts";
import type { Context, Source } from "./source.ts";
import { checkOptions, declaredBy } from "./source-options.ts";

export interface ChannelSourceOptions<T = never> {
  /** Default: `channel`. */
  readonly name?: string;
  /** Objects that wait for the source to be read; default 1,024. */
  readonly capacity?: number;
  /**
   * An object that waits is replaced, in its place, by a later one of the same key; default: each is an event of its
   * own.
   */
  readonly coalesce?: (object: T) => string;
  /**
   * Objects that were handed on and are not worked on yet; beyond it no more are handed on. Default 10,000, far more
   * than the keys that most programs have at once: while there is room, what comes for a key that waits shares its run.
   */
  readonly maxUnacknowledged?: number;
  /** Open on the leader alone (default), or on every replica. */
  readonly needLeaderElection?: boolean;
  /**
   * `queue` (default): what comes of an event is worked on here. `annotate`: it is written as
   * `farwatch.dev/requested-at` on the controller's objects, so that it is worked on where the leader is; the source is
   * then open on every replica.
   */
  readonly deliver?: "queue" | "annotate";
}

/** A source that a program puts its own events in. */
export interface ChannelSource<T> extends Source<T> {
  /**
   * Resolves when the object is accepted: from then on it is kept while this process lives, over changes of leader too.
   * While the source is open it waits for room; while it is not, because nothing was started or another replica leads,
   * it never waits.
   *
   * @throws CodedError `SourceNotOpen` when the buffer is full and nobody reads it, `ChannelClosed` after `close`; the
   * signal's reason, and what `coalesce` throws.
   */
  send(object: T, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** No more is accepted; what was accepted is still delivered, then the source has ended. Twice does no harm. */
  close(): void;
}

/**
 * Events from inside the program: the way in for whatever is no source of its own. What is sent is the event's object
 * and may be anything, undefined too for a mere nudge.
 *
 * @throws CodedError `InvalidOption` for a capacity that is none, or another `deliver`.
 * @example
 * const uploads = channelSource<{ readonly bucket: string }>({ name: "uploads" });
 * watch(uploads, enqueueRequestsFromMapFunc(({ bucket }) => [{ namespace: "default", name: bucket }]));
 * await uploads.send({ bucket: "photos" }, { signal });
 */
export function channelSource<T = undefined>(options: ChannelSourceOptions<T> = {}): ChannelSource<T> {
  checkOptions("channel", options);
  const { coalesce, deliver = "queue", capacity = 1_024, maxUnacknowledged = 10_000 } = options;
  const declared = declaredBy(options, "channel");
  const { name } = declared;
  checkFunctions(name, { coalesce });
  checkBounds(name, { capacity, maxUnacknowledged });
  checkChoices(name, { deliver: { given: deliver, of: ["queue", "annotate"] } });
  // Wrapped, so that an object may be undefined.
  const accepted = createChannel<GenericEvent<T>>({
    capacity,
    overflow: coalesce === undefined ? "wait" : { coalesce: ({ object }) => coalesce(object) },
  });
  let isOpen = false;

  const notOpen = (): CodedError =>
    new CodedError(
      "SourceNotOpen",
      `Cannot send to source ${name}: its buffer of ${accepted.capacity} is full and nobody reads it, since no manager with it has started or another replica leads; send again later`,
    );

  const closed = (): CodedError =>
    new CodedError("ChannelClosed", `Cannot send to source ${name}: it was closed, make another to send more`);

  return {
    ...declared,
    delivery: "atLeastOnce",
    durability: "process",
    overflow: "wait",
    // What is accepted waits here; behind it there is no second buffer of that size.
    capacity: 1,
    maxUnacknowledged,
    needLeaderElection: deliver === "queue" ? declared.needLeaderElection : false,
    deliver,
    ends: true,
    events({ signal }: Context): AsyncIterable<GenericEvent<T>> {
      if (isOpen) throw openElsewhere(name);
      isOpen = true;
      return readUntilAborted(accepted.receive, signal, () => {
        isOpen = false;
        // Senders must not wait for a reader who may never come.
        accepted.refuse(notOpen);
      });
    },
    send(object, options): Promise<void> {
      if (accepted.closed && !options?.signal?.aborted) return Promise.reject(closed());
      const sent = accepted.send({ type: "generic", object }, options);
      // If it waits, then for nobody.
      if (!isOpen) accepted.refuse(notOpen);
      return sent;
    },
    close: () => accepted.close(),
  };
}
