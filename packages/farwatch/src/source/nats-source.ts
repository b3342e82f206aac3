import { CodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { createChannel } from "../flow/channel.ts";
import { createDoorbell } from "./doorbell.ts";
import { openNats } from "./nats-connection.ts";
import type { NatsServers } from "./nats-servers.ts";
import { readProblem } from "./read-problem.ts";
import type { Source } from "./source.ts";
import { createSourceMetrics } from "./source-metrics.ts";

/** A message of core NATS. */
export interface NatsMessage {
  readonly subject: string;
  readonly data: Uint8Array;
}

export interface NatsSourceOptions<T> extends NatsServers {
  /** May have wildcards: `uploads.*`, `uploads.>`. */
  readonly subject: string;
  /** Subscribers of one queue group share what comes, each message to one of them. Default: every subscriber gets all. */
  readonly queue?: string | undefined;
  /** Default: `nats-` and the subject. */
  readonly name?: string | undefined;
  /** What the event carries; what throws is logged and dropped. Default: its data, read as JSON. */
  readonly read?: ((message: NatsMessage) => T) | undefined;
  /** Messages that may wait to be read; beyond them the oldest is dropped and counted; default 1,024. */
  readonly capacity?: number | undefined;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean | undefined;
  readonly critical?: boolean | undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Events from a subject of core NATS, for senders that know no better: what is published while nobody listens, or while the connection is lost, is
 * lost. For what must arrive put a stream over the subject and take `jetStreamSource`; that works without the sender's knowledge.
 *
 * - Delivery: at most once, in the order of each publisher.
 * - Durability: `process`: what has come is kept while this process lives. Overflow: `dropOldest`: the server would disconnect a subscriber that does not
 *   read, so there is no back pressure.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`, where `queue` gives each message to one replica.
 * - Authentication: a token, a user, a `.creds` file or an NKey, read again at each opening; TLS, mutual too. It needs to subscribe to its subject.
 *
 * A lost connection is a failure of the source: it is opened again with backoff. Needs the package @nats-io/transport-node.
 *
 * @throws CodedError `InvalidOption`; its stream throws `MissingDependency`, `CredentialFailed` and `ConnectionFailed`.
 * @example
 * watch(natsSource({ servers: "nats://nats:4222", subject: "buckets", read: ({ subject }) => subject }), enqueueAll(StorageBucket));
 */
export function natsSource<T = unknown>(options: NatsSourceOptions<T>): Source<T> {
  const { subject, queue, capacity = 1_024 } = options;
  // Without `read` T is unknown, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? (({ data }: NatsMessage): T => JSON.parse(utf8.decode(data)) as T);
  const name = options.name ?? `nats-${subject}`;
  for (const [what, text] of Object.entries({ subject, queue })) {
    if (text === undefined || /^[^\s]+$/.test(text)) continue;
    throw new CodedError(
      "InvalidOption",
      `Cannot make source ${name}: ${what} is ${JSON.stringify(text)}, give one without spaces`,
    );
  }
  if (!Number.isInteger(capacity) || capacity < 1) {
    throw new CodedError(
      "InvalidOption",
      `Cannot make source ${name}: capacity is ${capacity}, give a whole number of at least 1`,
    );
  }
  /** Counts in the metrics of the opening. */
  let drop = (): void => {};
  /** What has come and was not read yet, also while the source is closed. */
  const messages = createChannel<NatsMessage>({ capacity, overflow: "dropOldest", onDrop: () => drop() });
  return {
    name,
    delivery: "atMostOnce",
    durability: "process",
    overflow: "dropOldest",
    capacity,
    needLeaderElection: options.needLeaderElection ?? true,
    critical: options.critical ?? false,
    async *events({ clock, log, metrics, signal }): AsyncGenerator<GenericEvent<T>, void, undefined> {
      const counted = createSourceMetrics(metrics);
      drop = () => counted.dropped(name, "*");
      const bell = createDoorbell(clock);
      await using nats = await openNats({ ...options, source: name, clock, signal });
      let failure: { readonly error: unknown } | undefined;
      const fail = (error: unknown): void => {
        failure ??= { error };
        bell.ring();
      };
      nats.lost.catch(fail);
      nats.connection.subscribe(subject, {
        ...(queue === undefined ? {} : { queue }),
        callback(error, message): void {
          if (error !== null) {
            fail(nats.failed(error.message, error));
            return;
          }
          messages.trySend({ subject: message.subject, data: message.data });
          bell.ring();
        },
      });
      while (!signal.aborted) {
        const message = messages.tryReceive();
        if (message === undefined) {
          if (failure !== undefined) throw failure.error;
          await bell.wait(Number.POSITIVE_INFINITY, signal);
          continue;
        }
        let object: T;
        try {
          object = read(message);
        } catch (error) {
          log.error("Cannot read a message: it is dropped", { subject: message.subject, problem: readProblem(error) });
          continue;
        }
        yield { type: "generic", object };
      }
    },
  };
}
