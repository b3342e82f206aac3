import { instantOf } from "../clock/instant.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { createDoorbell } from "../flow/doorbell.ts";
import type { BrokerMessage } from "./broker-message.ts";
import type { Holding } from "./broker-source.ts";
import { createGroupOrder, type Grouped } from "./group-order.ts";
import { createHeldMessages } from "./held-messages.ts";
import type { SqsDelivery, SqsQueue } from "./sqs-queue.ts";

export interface SqsReading<T> {
  readonly queue: SqsQueue;
  readonly visibilitySeconds: number;
  readonly read: (delivery: SqsDelivery) => T;
  readonly signal: AbortSignal;
}

type SqsMessage<T> = BrokerMessage<T> & Grouped & { readonly receipt: string };

/** In seconds, and in all: what SQS allows a message to be invisible. */
const longestSeconds = 12 * 60 * 60;

/** What SQS hands over of a queue before one of them is settled, to all replicas together; it says nothing of it. */
const mostInFlight = 120_000;

/** The events of a queue until the signal aborts. What is still held then is made visible, for the next replica. */
export async function* sqsEvents<T>(
  { queue, visibilitySeconds, read, signal }: SqsReading<T>,
  holding: Holding,
): AsyncGenerator<GenericEvent<T>, void, undefined> {
  const { clock, health, log, maxUnacknowledgedBytes } = holding;
  const maxUnacknowledged = Math.min(holding.maxUnacknowledged, mostInFlight);
  const bell = createDoorbell(clock);
  const order = createGroupOrder<SqsMessage<T>>();
  /** Received and not asked for yet. */
  const ready: SqsMessage<T>[] = [];
  /** All that the queue has handed over and that is not settled. */
  const unsettled = new Map<string, SqsMessage<T>>();
  let unsettledBytes = 0;
  let polling: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;

  const settled = (id: string): void => {
    unsettledBytes -= unsettled.get(id)?.bytes ?? 0;
    unsettled.delete(id);
  };
  const received = (message: SqsMessage<T>): void => {
    settled(message.id);
    unsettled.set(message.id, message);
    unsettledBytes += message.bytes;
  };
  const hideAll = async (messages: Iterable<SqsMessage<T>>, seconds: number): Promise<void> => {
    const calls = [...messages].map(({ receipt }) => queue.hide(receipt, seconds));
    const failed = (await Promise.allSettled(calls)).filter((result) => result.status === "rejected");
    if (failed[0] !== undefined) throw failed[0].reason;
  };
  const extend = async (message: SqsMessage<T>): Promise<void> => {
    try {
      await queue.hide(message.receipt, visibilitySeconds);
    } catch (error) {
      // It was settled meanwhile.
      if (unsettled.get(message.id) !== message) return;
      throw error;
    }
  };
  const messageOf = (delivery: SqsDelivery): SqsMessage<T> => {
    const { id, receipt, group, sentMs } = delivery;
    const message: SqsMessage<T> = {
      id,
      receipt,
      group,
      deliveries: delivery.receiveCount,
      occurredAt: sentMs === undefined ? undefined : instantOf(sentMs),
      bytes: delivery.body.length,
      raw: delivery,
      read: () => read(delivery),
      async done(): Promise<void> {
        settled(id);
        try {
          await queue.remove(receipt);
        } catch (error) {
          if (keepsForbidden(message, error)) throw error;
          // It comes again, and what is behind it must not be handed on before it.
          await goBack(order.givenBack(message));
          throw error;
        }
        const next = order.done(message);
        if (next !== undefined) ready.push(next);
        bell.ring();
      },
      async retry(afterMs): Promise<void> {
        settled(id);
        const seconds = Math.min(longestSeconds, Math.ceil(afterMs / 1_000));
        try {
          // Those behind it first: the group is closed as long as its first is invisible.
          await goBack(order.givenBack(message));
          await queue.hide(receipt, seconds);
        } catch (error) {
          keepsForbidden(message, error);
          throw error;
        }
      },
    };
    return message;
  };
  /** Without the right to settle it, it is still held: it is asked for again, and its visibility goes on meanwhile. */
  const keepsForbidden = (message: SqsMessage<T>, error: unknown): boolean => {
    const isForbidden = isCodedError(error, "Forbidden");
    if (isForbidden) received(message);
    return isForbidden;
  };
  const goBack = async (messages: readonly SqsMessage<T>[]): Promise<void> => {
    for (const { id } of messages) settled(id);
    bell.ring();
    await hideAll(messages, 0);
  };
  const poll = async (most: number): Promise<void> => {
    try {
      const messages = (await queue.receive(most, signal)).map(messageOf);
      for (const message of messages) received(message);
      ready.push(...order.add(messages));
    } catch (error) {
      if (!signal.aborted) failure = { error };
    } finally {
      polling = undefined;
      bell.ring();
    }
  };

  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(async () => {
    await polling;
    try {
      await hideAll(unsettled.values(), 0);
    } catch (error) {
      log.info("Could not make messages visible: they come again when their time is over", { error });
    }
  });
  await using held = createHeldMessages<T, SqsMessage<T>>({
    ...holding,
    extend: {
      every: (visibilitySeconds * 1_000) / 3,
      longest: longestSeconds * 1_000,
      // Those that wait, in their group or to be asked for, too: something is held while they do.
      async run(): Promise<void> {
        const results = await Promise.allSettled([...unsettled.values()].map(extend));
        const failed = results.find((result) => result.status === "rejected");
        if (failed !== undefined) throw failed.reason;
      },
    },
  });
  yield* held.events(async (most) => {
    for (;;) {
      if (failure !== undefined) throw failure.error;
      if (ready.length > 0) return ready.splice(0, most);
      if (signal.aborted) return [];
      // Those that wait in their group are held as well, though nobody has been handed them.
      const room = unsettledBytes < maxUnacknowledgedBytes ? maxUnacknowledged - unsettled.size : 0;
      health.blocked(room > 0 ? undefined : "full");
      if (room > 0) polling ??= poll(Math.min(most, room));
      await bell.wait(Number.POSITIVE_INFINITY, signal);
    }
  }, signal);
}
