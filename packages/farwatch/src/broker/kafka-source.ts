import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { type Instant, instantOf } from "../clock/instant.ts";
import { checkText, checkTexts } from "../error/given-text.ts";
import type { Source } from "../source/source.ts";
import { checkOptions } from "../source/source-options.ts";
import { type BrokerSourceOptions, brokerSource } from "./broker-source.ts";
import { type BrokerTls, checkTls } from "./broker-tls.ts";
import type { FreshSecret } from "./fresh-secret.ts";
import type { KafkaRecord } from "./kafka-batch.ts";
import { type KafkaAssignment, openKafkaConsumer } from "./kafka-consumer.ts";
import { kafkaEvents } from "./kafka-messages.ts";
import { checkSasl, type KafkaSasl } from "./kafka-sasl.ts";

export interface KafkaMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Uint8Array | undefined;
  /** Undefined: a tombstone. */
  readonly value: Uint8Array | undefined;
  readonly timestamp: Instant;
  /** The last value of each name, as text. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface KafkaSourceOptions<T> extends BrokerSourceOptions {
  /** `host:port` of some; they name the others. */
  readonly brokers: readonly string[];
  readonly topics: readonly string[];
  /** Whoever has the same group shares its partitions, and goes on where it is. */
  readonly group: string;
  /** Default: plain TCP. */
  readonly tls?: boolean | FreshSecret<BrokerTls> | undefined;
  /** For `oauthbearer` the client asks for a token whenever it connects. */
  readonly sasl?: FreshSecret<KafkaSasl> | undefined;
  /**
   * Where a group begins that has committed nothing; default `earliest`, so that what came before its first start is
   * not lost.
   */
  readonly startAt?: "earliest" | "latest" | undefined;
  /**
   * After this without a sign of life the partitions of a member are given to others; default 30 s, and what the
   * brokers allow.
   */
  readonly session?: Duration | undefined;
  /**
   * What the event carries; a throw makes the message a dead letter. Default: the value as text, `""` for a tombstone.
   */
  readonly read?: ((message: KafkaMessage) => T) | undefined;
}

/**
 * Events from topics of Apache Kafka, as a member of a consumer group.
 *
 * - Delivery: at least once, in the order of each partition. What is committed is the lowest offset that is not worked
 *   on, so a message that takes long holds nothing up but the commit: up to 10,000 later ones of its partition go by,
 *   and come again when this process dies. A message that is given back comes after those that went by.
 * - Durability: `origin`. Nothing is lost that the brokers have acknowledged with `acks=all`.
 * - Overflow: `wait`. Back pressure: partitions are paused while as much is held as may be. Heartbeats go on meanwhile.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`, and then the replicas share
 *   the partitions. One that goes to another member is forgotten here: nothing of it is committed any more, and what
 *   was not comes again there.
 * - Authentication: TLS, with a certificate of one's own, and SASL (PLAIN, SCRAM, OAUTHBEARER), read again at each
 *   opening where a function gives them.
 * - Abort: the group is left, so that others have the partitions at once.
 *
 * Kafka does not count deliveries. `maxDeliveries` counts those within this opening, and adds what the header
 * `farwatch-deliveries` says; a message that ends the process each time is counted anew each time. Needs the package
 * kafkajs, which reaches the brokers over connections of its own.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`; its stream throws `MissingDependency`, `CredentialFailed`,
 * `Forbidden` when the user may not read topics or group, and `ConnectionFailed`.
 * @example
 * watch(
 *   kafkaSource({ brokers: ["kafka:9092"], topics: ["uploads"], group: "storage-bucket" }),
 *   enqueueRequestsFromMapFunc((text) => [{ namespace: "default", name: JSON.parse(text).bucket }]),
 * );
 */
export function kafkaSource<T = string>(options: KafkaSourceOptions<T>): Source<T> {
  checkOptions("kafka", options);
  const { brokers, topics, group, tls = false, sasl, startAt = "earliest" } = options;
  const doing = "read from Kafka";
  checkTexts(brokers, { doing, what: "brokers", give: "a list of at least one HOST:PORT" });
  checkTexts(topics, { doing, what: "topics", give: "a list of at least one name" });
  if (typeof tls !== "boolean") checkTls(tls, doing);
  checkSasl(sasl, doing);
  checkText(group, { doing, what: "group", give: "a name" });
  const sessionMs = givenMs(options.session ?? "30s", { doing, what: "session", least: "1s" });
  // Without `read` T is string, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? (({ value }: KafkaMessage): T => textOf(value) as unknown as T);
  return brokerSource(options, {
    name: `kafka-${topics.join("-")}`,
    choices: { startAt: { given: startAt, of: ["earliest", "latest"] } },
    events({ clock, health, log, signal }, holding) {
      const { source } = holding;
      const fromBeginning = startAt === "earliest";
      return kafkaEvents(
        {
          async join(member) {
            const consumer = await openKafkaConsumer({
              ...{ source, brokers, topics, group, tls, sasl, fromBeginning, sessionMs },
              ...{ clock, log, signal, member },
            });
            health.serving();
            return consumer;
          },
          read: (at, record) => read(messageOf(at, record)),
          signal,
        },
        holding,
      );
    },
  });
}

function messageOf({ topic, partition }: KafkaAssignment, { timestampMs, ...record }: KafkaRecord): KafkaMessage {
  return { topic, partition, ...record, timestamp: instantOf(timestampMs) };
}

function textOf(value: Uint8Array | undefined): string {
  return value === undefined ? "" : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf8");
}
