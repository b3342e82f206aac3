import type { Kafka } from "@farwatch/testing";
import type { KafkaSourceOptions } from "farwatch";
import { Kafka as KafkaClient, logLevel } from "kafkajs";

// kafkajs tells each producer of a change of three years ago.
process.env.KAFKAJS_NO_PARTITIONER_WARNING = "1";

export interface TestTopic extends AsyncDisposable {
  readonly topic: string;
  /** For the source; the group is the topic's own. */
  readonly at: Pick<KafkaSourceOptions<string>, "brokers" | "topics" | "group" | "session">;
  /** Resolves when every replica has them (acks=all). */
  send(
    values: readonly string[],
    where?: { readonly partition?: number; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<void>;
  /** What the group has committed, by partition; undefined where it has committed nothing. */
  committed(): Promise<readonly (number | undefined)[]>;
  /** Messages beyond what is committed. */
  left(): Promise<number>;
  /** Deletes the topic. */
  remove(): Promise<void>;
  /** Members of the group. */
  members(): Promise<number>;
}

export interface TestTopicOptions {
  /** Default: one that no other has. */
  readonly topic?: string;
  /** Default 1. */
  readonly partitions?: number;
}

let made = 0;

export async function createTopic(server: Kafka, options: TestTopicOptions = {}): Promise<TestTopic> {
  made += 1;
  const { topic = `uploads-${made}`, partitions = 1 } = options;
  const group = `group-of-${topic}`;
  const client = new KafkaClient({
    brokers: [server.bootstrap],
    logLevel: logLevel.NOTHING,
    requestTimeout: 5_000,
    retry: { initialRetryTime: 100, retries: 1 },
  });
  const admin = client.admin();
  // One in flight: the retry of a batch cannot overtake the next.
  const producer = client.producer({ maxInFlightRequests: 1 });
  await Promise.all([admin.connect(), producer.connect()]);
  await admin.createTopics({ topics: [{ topic, numPartitions: partitions }], waitForLeaders: true });
  const committed: TestTopic["committed"] = async () => {
    const [offsets] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    const known = new Map(offsets?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
    return Array.from({ length: partitions }, (_, partition) => {
      const offset = known.get(partition) ?? -1;
      return offset < 0 ? undefined : offset;
    });
  };
  return {
    topic,
    at: { brokers: [server.bootstrap], topics: [topic], group, session: "3s" },
    async send(values, { partition, headers = {} } = {}): Promise<void> {
      const messages = values.map((value) => ({ value, headers, ...(partition === undefined ? {} : { partition }) }));
      await producer.send({ topic, acks: -1, messages });
    },
    committed,
    async left(): Promise<number> {
      const [ends, done] = await Promise.all([admin.fetchTopicOffsets(topic), committed()]);
      return ends.reduce((sum, { partition, high, low }) => sum + Number(high) - (done[partition] ?? Number(low)), 0);
    },
    remove: () => admin.deleteTopics({ topics: [topic] }),
    async members(): Promise<number> {
      return (await admin.describeGroups([group])).groups[0]?.members.length ?? 0;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    },
  };
}
