import type { SASLOptions } from "kafkajs";
import type { Clock } from "../clock/clock.ts";
import { CodedError } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { lateSignal } from "../flow/late-signal.ts";
import type { Logger } from "../observe/logger.ts";
import { redactText } from "../observe/redact.ts";
import { loadPackage } from "../source/optional-package.ts";
import { type BrokerTls, socketTls } from "./broker-tls.ts";
import { type FreshSecret, type FreshSecretOptions, freshSecret } from "./fresh-secret.ts";
import { batchOf, type KafkaBatch } from "./kafka-batch.ts";
import { kafkaFailure } from "./kafka-refusal.ts";
import { checkSasl, type KafkaSasl } from "./kafka-sasl.ts";

export interface KafkaAssignment {
  readonly topic: string;
  readonly partition: number;
}

/** Told, in one tick each, what happens to a member of a consumer group. */
export interface KafkaMember {
  /** How many of the records, from the first, were taken: the rest is asked for again. */
  take(batch: KafkaBatch): number;
  /** Commits would tell of partitions that may be another's by now, until `assigned`. */
  rebalancing(): void;
  assigned(partitions: readonly KafkaAssignment[]): void;
  failed(error: CodedError): void;
}

/** A member of a consumer group, as a source needs it. Disposal leaves the group. */
export interface KafkaConsumer extends AsyncDisposable {
  pause(partitions: readonly KafkaAssignment[]): void;
  resume(partitions: readonly KafkaAssignment[]): void;
  commit(positions: readonly (KafkaAssignment & { readonly offset: bigint })[]): Promise<void>;
}

export interface KafkaConsumerOptions {
  readonly source: string;
  readonly brokers: readonly string[];
  readonly topics: readonly string[];
  readonly group: string;
  readonly tls: boolean | FreshSecret<BrokerTls>;
  readonly sasl: FreshSecret<KafkaSasl> | undefined;
  readonly fromBeginning: boolean;
  readonly sessionMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly member: KafkaMember;
}

/**
 * A fetch waits this long for records, and so does the client when all is paused: leaving the group and going on wait
 * for it.
 */
const fetchMs = 250;
const closeMs = 2_000;
const settleMs = 2_000;
/** Few, so that a broker that is gone shows as a source that fails; who reopens it goes on. */
const retry = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 };

/**
 * Joins the group.
 *
 * @throws CodedError `MissingDependency` without kafkajs, `CredentialFailed` when a function of `tls` or `sasl` fails,
 * `Forbidden` when the user may not, `ConnectionFailed` when no broker can be reached or it refuses; the signal's reason when it aborts.
 */
export async function openKafkaConsumer(options: KafkaConsumerOptions): Promise<KafkaConsumer> {
  const { source, clock, signal, member } = options;
  const kafkajs = await loadPackage({ source, name: "kafkajs", clock, load: () => import("kafkajs") });
  const failed = (cause: unknown): CodedError => kafkaFailure(source, cause);
  const opening = { source, clock, signal };
  const ssl = typeof options.tls === "boolean" ? options.tls : await socketTls(options.tls, opening);
  const sasl = options.sasl === undefined ? undefined : await clientSasl(options.sasl, opening);
  const kafka = new kafkajs.Kafka({
    clientId: "farwatch",
    brokers: [...options.brokers],
    ssl,
    ...(sasl === undefined ? {} : { sasl }),
    connectionTimeout: 5_000,
    requestTimeout: 15_000,
    retry,
    logLevel: kafkajs.logLevel.INFO,
    logCreator: () => (entry) => {
      const { message, error, groupId, broker } = entry.log;
      const fields = { text: redactText(message), namespace: entry.namespace, groupId, broker, reason: error };
      // What it calls an error it tries again or hands to us, and then it is the source that fails.
      if (entry.level === kafkajs.logLevel.ERROR) options.log.info("The Kafka client says", fields);
      else options.log.debug("The Kafka client says", fields);
    },
  });
  const consumer = kafka.consumer({
    groupId: options.group,
    sessionTimeout: options.sessionMs,
    rebalanceTimeout: options.sessionMs,
    heartbeatInterval: Math.ceil(options.sessionMs / 10),
    maxWaitTimeInMs: fetchMs,
    allowAutoTopicCreation: false,
    retry: { ...retry, restartOnFailure: async () => false },
  });
  let closing = false;
  const settling = lateSignal(signal, { clock, afterMs: settleMs });
  /** Nobody waits any longer for what a broker was asked. */
  const over = new AbortController();
  settling.addEventListener("abort", () => over.abort(settling.reason), { once: true });
  const forget = [
    // It would ask three times more, and is opened again by then: other brokers of the cluster may answer.
    consumer.on(consumer.events.REQUEST_TIMEOUT, ({ payload }) => {
      if (closing) return;
      const error = failed(new Error(`${payload.broker} does not answer`));
      over.abort(error);
      member.failed(error);
    }),
    consumer.on(consumer.events.REBALANCING, () => member.rebalancing()),
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => member.assigned(assignmentsOf(payload.memberAssignment))),
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      if (!closing) member.failed(failed(payload.error));
    }),
  ];
  const start = async (): Promise<void> => {
    await consumer.connect();
    await consumer.subscribe({ topics: [...options.topics], fromBeginning: options.fromBeginning });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      // Nothing is awaited in it, so that no batch outlives the assignment that it was fetched in.
      async eachBatch({ batch, resolveOffset, isRunning, isStale }) {
        if (closing || !isRunning() || isStale()) return;
        const taken = member.take(batchOf(batch));
        const last = batch.messages[taken - 1];
        if (last !== undefined) resolveOffset(last.offset);
      },
    });
  };
  const starting = start();
  const close = async (): Promise<void> => {
    closing = true;
    settling[Symbol.dispose]();
    for (const stop of forget) stop();
    // A consumer that is disconnected while it joins would connect again, and stay for ever.
    const gone = starting.catch(() => {}).then(() => consumer.disconnect());
    using late = clock.timeout(closeMs);
    // A broker that does not answer is not waited for: the session ends by itself.
    await clock.outside(abortable(gone, late).catch(() => {}));
  };
  /** Of a consumer that has crashed nothing can be asked, and its crash is told by itself. */
  const whileRunning = (ask: () => void): void => {
    try {
      ask();
    } catch (error) {
      options.log.debug("The Kafka consumer does not run", { error });
    }
  };

  try {
    await abortable(clock.outside(abortable(starting, over.signal)), signal);
  } catch (cause) {
    await close();
    if (signal.aborted) throw signal.reason;
    throw cause instanceof CodedError ? cause : failed(cause);
  }

  return {
    pause: (partitions) => whileRunning(() => consumer.pause(byTopic(partitions))),
    resume: (partitions) => whileRunning(() => consumer.resume(byTopic(partitions))),
    async commit(positions): Promise<void> {
      const offsets = positions.map((one) => ({ ...one, offset: one.offset.toString() }));
      await clock.outside(abortable(consumer.commitOffsets(offsets), over.signal));
    },
    [Symbol.asyncDispose]: close,
  };
}

function assignmentsOf(assignment: Readonly<Record<string, readonly number[]>>): readonly KafkaAssignment[] {
  return Object.entries(assignment).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition })),
  );
}

function byTopic(partitions: readonly KafkaAssignment[]): { topic: string; partitions: number[] }[] {
  return partitions.map(({ topic, partition }) => ({ topic, partitions: [partition] }));
}

/**
 * What it says now, for the client, which asks for a token of its own whenever it connects.
 *
 * @throws CodedError `CredentialFailed` when the function fails, `InvalidOption` when it gives anything else; the
 *   signal's reason when it aborts.
 */
async function clientSasl(
  sasl: FreshSecret<KafkaSasl>,
  opening: Omit<FreshSecretOptions, "what">,
): Promise<SASLOptions> {
  const given = await freshSecret(sasl, { ...opening, what: "sasl" });
  checkSasl(given ?? null, `open source ${opening.source}`);
  if (given.mechanism !== "oauthbearer") return { ...given };
  const { mechanism, token } = given;
  return {
    mechanism,
    oauthBearerProvider: async () => ({ value: await freshSecret(token, { ...opening, what: "token" }) }),
  };
}
