import { instantOf } from "../clock/instant.ts";
import { type CodedError, messageOf as textOf } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { createCallBatches } from "../flow/call-batches.ts";
import { createDoorbell } from "../flow/doorbell.ts";
import { createSourceMetrics } from "../source/source-metrics.ts";
import { brokerFailure } from "./broker-failure.ts";
import type { BrokerMessage } from "./broker-message.ts";
import type { Holding } from "./broker-source.ts";
import { createHeldMessages } from "./held-messages.ts";
import type { KafkaBatch, KafkaRecord } from "./kafka-batch.ts";
import type { KafkaAssignment, KafkaConsumer, KafkaMember } from "./kafka-consumer.ts";
import { createKafkaPartition, type KafkaPartition } from "./kafka-partition.ts";
import { kafkaFailure } from "./kafka-refusal.ts";

export interface KafkaReading<T> {
  /** Joins the group, and tells the member what happens. */
  readonly join: (member: KafkaMember) => Promise<KafkaConsumer>;
  readonly read: (at: KafkaAssignment, record: KafkaRecord) => T;
  readonly signal: AbortSignal;
}

/**
 * Says how often a message was handed over before it was put where it is now, as a whole number: a program that moves
 * messages writes it.
 */
const deliveriesHeader = "farwatch-deliveries";

/**
 * Messages of a partition that may be finished beyond one that is not. Each of them would come again if this process
 * died, and is remembered: there the partition stands still.
 */
const mostAhead = 10_000;
const commitAgainMs = 1_000;
/**
 * Commits that fail for so long are no rebalance: the group has forgotten this member, and it does not notice, as when
 * the clock by which it sends its heartbeats was set back.
 */
const mostFailingMs = 30_000;

/** The events of a consumer group's share until the signal aborts. */
export async function* kafkaEvents<T>(
  { join, read, signal }: KafkaReading<T>,
  holding: Holding,
): AsyncGenerator<GenericEvent<T>, void, undefined> {
  const { source, clock, health, log, maxUnacknowledged, maxUnacknowledgedBytes } = holding;
  const metrics = createSourceMetrics(holding.metrics);
  const bell = createDoorbell(clock);
  /**
   * Of this member, by `topic/partition`. A partition that is another's now is not in it, and nothing of it is
   * committed.
   */
  const partitions = new Map<string, KafkaPartition>();
  /** Gained when the group was joined once more: a batch of an earlier time may still be under way. */
  const regained = new Set<string>();
  const paused = new Map<string, KafkaAssignment>();
  const ready: KafkaMessage<T>[] = [];
  const timers = new Set<Disposable>();
  let assignments: ReadonlySet<string> | undefined;
  let rebalancing = false;
  let failure: CodedError | undefined;
  /** Since when no commit has succeeded that was tried. */
  let failingSinceMs: number | undefined;
  let consumer: KafkaConsumer | undefined;

  const openMessages = (): number => [...partitions.values()].reduce((sum, { open }) => sum + open, 0);
  const openBytes = (): number => [...partitions.values()].reduce((sum, partition) => sum + partition.openBytes, 0);
  const isOurs = (partition: KafkaPartition): boolean => partitions.get(keyOf(partition)) === partition;
  const later = (afterMs: number, run: () => void): void => {
    const timer = clock.schedule(afterMs, () => {
      timers.delete(timer);
      run();
    });
    timers.add(timer);
  };

  const commit = createCallBatches<KafkaPartition>({
    most: 10_000,
    async run(asked) {
      const due = [...new Set(asked)].filter((one) => isOurs(one) && one.position > one.committed);
      if (rebalancing || consumer === undefined || due.length === 0) return [];
      const positions = due.map(({ topic, partition, position }) => ({ topic, partition, offset: position }));
      try {
        await consumer.commit(positions);
        failingSinceMs = undefined;
        for (const [index, one] of due.entries()) one.committed = positions[index]?.offset ?? one.committed;
      } catch (error) {
        // Nothing is lost by it: the next commit says more.
        commitLater();
        const refusal = kafkaFailure(source, error);
        // Joined anew it would lack the right as well: whoever waits for its message to be settled is told.
        if (refusal.code === "Forbidden") throw refusal;
        metrics.unsettled(source);
        log.warn("Cannot commit offsets: trying again", { error });
        const nowMs = clock.elapsed();
        failingSinceMs ??= nowMs;
        if (nowMs - failingSinceMs >= mostFailingMs) {
          const said = `no commit succeeds: ${textOf(error)}`;
          member.failed(brokerFailure(said, { source, broker: "Kafka", cause: error }));
        }
      }
      return [];
    },
  });
  let commitsLater = false;
  /** One try for all that have failed: a chain of them for each message would become more and more. */
  const commitLater = (): void => {
    if (commitsLater) return;
    commitsLater = true;
    later(commitAgainMs, () => {
      commitsLater = false;
      commitAll();
    });
  };
  const commitAll = (): void => {
    // What it is refused for is told to who waits for it.
    Promise.all([...partitions.values()].map(commit)).catch(() => {});
  };

  const messageOf = (partition: KafkaPartition, record: KafkaRecord, triedBefore: number): KafkaMessage<T> => ({
    id: `${keyOf(partition)}/${record.offset}`,
    partition,
    deliveries: triedBefore + 1,
    occurredAt: instantOf(record.timestampMs),
    bytes: bytesOf(record),
    raw: record,
    read: () => read(partition, record),
    async done(): Promise<void> {
      partition.finish(record.offset);
      bell.ring();
      await commit(partition);
    },
    async retry(afterMs): Promise<void> {
      // The broker hands nothing over again to a member that goes on, so it waits here; its offset is not committed.
      later(afterMs, () => {
        ready.push(messageOf(partition, record, triedBefore + 1));
        bell.ring();
      });
    },
  });

  const partitionOf = (batch: KafkaBatch): KafkaPartition | undefined => {
    const key = keyOf(batch);
    if (assignments?.has(key) === false || regained.delete(key)) return undefined;
    const known = partitions.get(key);
    // Below what was committed there is nothing to come: the topic was made anew, and counts from its beginning.
    if (known !== undefined && batch.start >= known.committed) return known;
    if (known !== undefined) log.warn("A partition was set back: reading it anew", { ...at(batch), from: batch.start });
    const made = createKafkaPartition(batch.topic, batch.partition, batch.start);
    partitions.set(key, made);
    return made;
  };

  const member: KafkaMember = {
    take(batch): number {
      const partition = partitionOf(batch);
      if (partition === undefined) return 0;
      let room = maxUnacknowledged - openMessages();
      let roomBytes = maxUnacknowledgedBytes - openBytes();
      let taken = 0;
      for (const record of batch.records) {
        if (record.offset >= partition.next) {
          if (room <= 0 || roomBytes <= 0 || partition.ahead >= mostAhead) break;
          partition.take(record.offset, bytesOf(record));
          roomBytes -= bytesOf(record);
          ready.push(messageOf(partition, record, countOf(record)));
          room -= 1;
        }
        taken += 1;
      }
      if (taken === batch.records.length) partition.passTo(batch.next);
      else {
        paused.set(keyOf(batch), at(batch));
        consumer?.pause([at(batch)]);
      }
      bell.ring();
      return taken;
    },
    rebalancing(): void {
      rebalancing = true;
    },
    assigned(given): void {
      const keys = new Set(given.map(keyOf));
      if (assignments !== undefined) for (const key of keys) if (!assignments.has(key)) regained.add(key);
      for (const key of [...partitions.keys(), ...paused.keys()]) {
        if (keys.has(key)) continue;
        partitions.delete(key);
        paused.delete(key);
        regained.delete(key);
      }
      assignments = keys;
      rebalancing = false;
      failingSinceMs = undefined;
      commitAll();
    },
    failed(error): void {
      failure = error;
      bell.ring();
    },
  };

  const isFull = (): boolean => openMessages() >= maxUnacknowledged || openBytes() >= maxUnacknowledgedBytes;
  /** Partitions that stood still, and may go on. */
  const resume = (): void => {
    const go = isFull() ? [] : [...paused].filter(([key]) => (partitions.get(key)?.ahead ?? 0) < mostAhead);
    for (const [key] of go) paused.delete(key);
    if (go.length > 0) consumer?.resume(go.map(([, assignment]) => assignment));
    // What is left of them waits for its oldest message.
    health.blocked(paused.size === 0 ? undefined : isFull() ? "full" : "oldest");
  };

  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(() => {
    for (const timer of timers) timer[Symbol.dispose]();
  });
  const joined = cleaning.use(await join(member));
  consumer = joined;
  // What was told before there was a consumer to tell it.
  joined.pause([...paused.values()]);
  await using held = createHeldMessages<T, KafkaMessage<T>>(holding);
  yield* held.events(async (most) => {
    for (;;) {
      if (failure !== undefined) throw failure;
      const pulled = ready.splice(0, most).filter(({ partition }) => isOurs(partition));
      if (pulled.length > 0) return pulled;
      if (signal.aborted) return [];
      if (ready.length > 0) continue;
      resume();
      await bell.wait(Number.POSITIVE_INFINITY, signal);
    }
  }, signal);
}

type KafkaMessage<T> = BrokerMessage<T> & { readonly partition: KafkaPartition };

function keyOf({ topic, partition }: KafkaAssignment): string {
  return `${topic}/${partition}`;
}

function at({ topic, partition }: KafkaAssignment): KafkaAssignment {
  return { topic, partition };
}

function bytesOf({ key, value }: KafkaRecord): number {
  return (key?.byteLength ?? 0) + (value?.byteLength ?? 0);
}

/** Hostile values count as none. */
function countOf({ headers }: KafkaRecord): number {
  const text = headers.get(deliveriesHeader) ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}
