import type { NatsServer } from "@farwatch/testing";
import { AckPolicy, type ConsumerConfig, jetstream, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { connect, headers } from "@nats-io/transport-node";

/** A stream of its own, and its consumer once the source has made it. Each call has a connection of its own: servers are killed. */
export interface JetStreamQueue {
  readonly url: string;
  readonly stream: string;
  readonly consumer: string;
  /** Each number as JSON under `<stream>.numbers`; resolves when the server has acknowledged all of them. */
  publish(numbers: readonly number[]): Promise<void>;
  /** The same for a body and headers of any kind. */
  send(body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<void>;
  addConsumer(config: Partial<ConsumerConfig>): Promise<void>;
  /** Deletes the stream, and its consumer with it. */
  remove(): Promise<void>;
  /** Messages that the consumer has not handed over, and those that were not acknowledged. */
  left(): Promise<{ readonly pending: number; readonly unacknowledged: number; readonly redelivered: number }>;
}

export interface JetStreamQueueOptions {
  readonly stream: string;
  /** Default `farwatch`. */
  readonly consumer?: string;
  /** Default `file`. */
  readonly storage?: "file" | "memory";
}

export async function createJetStreamQueue(
  server: Pick<NatsServer, "url">,
  { stream, consumer = "farwatch", storage = "file" }: JetStreamQueueOptions,
): Promise<JetStreamQueue> {
  const { url } = server;
  const connected = async <T>(use: (connection: Awaited<ReturnType<typeof connect>>) => Promise<T>): Promise<T> => {
    // The client takes no user out of a URL.
    const { username, password, host } = new URL(url);
    const user = username === "" ? {} : { user: username, pass: password };
    const connection = await connect({ servers: host, ...user, reconnect: false, timeout: 2_000, name: "test" });
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  };
  await connected(async (connection) => {
    const manager = await jetstreamManager(connection);
    const kept = storage === "file" ? StorageType.File : StorageType.Memory;
    await manager.streams.add({ name: stream, subjects: [`${stream}.>`], storage: kept });
  });
  const send = (
    bodies: readonly (string | Uint8Array)[],
    given: Readonly<Record<string, string>> = {},
  ): Promise<void> =>
    connected(async (connection) => {
      const sent = headers();
      for (const [name, value] of Object.entries(given)) sent.append(name, value);
      const client = jetstream(connection, { timeout: 2_000 });
      await Promise.all(bodies.map((body) => client.publish(`${stream}.numbers`, body, { headers: sent })));
    });
  return {
    url,
    stream,
    consumer,
    publish: (numbers) => send(numbers.map(String)),
    send: (body, headers) => send([body], headers),
    addConsumer: (config) =>
      connected(async (connection) => {
        const manager = await jetstreamManager(connection);
        await manager.consumers.add(stream, { durable_name: consumer, ack_policy: AckPolicy.Explicit, ...config });
      }),
    remove: () =>
      connected(async (connection) => {
        await (await jetstreamManager(connection)).streams.delete(stream);
      }),
    left: () =>
      connected(async (connection) => {
        const manager = await jetstreamManager(connection);
        const info = await manager.consumers.info(stream, consumer);
        return { pending: info.num_pending, unacknowledged: info.num_ack_pending, redelivered: info.num_redelivered };
      }),
  };
}
