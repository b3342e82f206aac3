import { checkText } from "../error/given-text.ts";
import type { Source } from "../source/source.ts";
import { checkOptions } from "../source/source-options.ts";
import { type HeardSourceOptions, heardSource } from "./heard-source.ts";
import { openNats } from "./nats-connection.ts";
import { checkNatsServers, type NatsServers } from "./nats-servers.ts";

/** A message of core NATS. */
export interface NatsMessage {
  readonly subject: string;
  readonly data: Uint8Array;
}

export interface NatsSourceOptions<T> extends HeardSourceOptions, NatsServers {
  /** May have wildcards: `uploads.*`, `uploads.>`. */
  readonly subject: string;
  /**
   * Subscribers of one queue group share what comes, each message to one of them. Default: every subscriber gets all.
   */
  readonly queue?: string | undefined;
  /** What the event carries; what throws is logged and dropped. Default: its data, read as JSON. */
  readonly read?: ((message: NatsMessage) => T) | undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Events from a subject of core NATS, for senders that know no better: what is published while nobody listens, or while
 * the connection is lost, is lost. For what must arrive put a stream over the subject and take `jetStreamSource`; that
 * works without the sender's knowledge.
 *
 * - Delivery: at most once, in the order of each publisher.
 * - Durability: `process`: what has come is kept while this process lives. Overflow: `dropOldest`: the server would
 *   disconnect a subscriber that does not read, so there is no back pressure.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`, where `queue` gives each
 *   message to one replica.
 * - Authentication: a token, a user, a `.creds` file or an NKey, read again at each opening; TLS, mutual too. It needs
 *   to subscribe to its subject.
 *
 * A lost connection is a failure of the source: it is opened again with backoff. Needs the
 * package @nats-io/transport-node.
 *
 * @throws CodedError `InvalidOption`; its stream throws `MissingDependency`, `CredentialFailed` and `ConnectionFailed`.
 * @example
 * watch(
 *   natsSource({ servers: "nats://nats:4222", subject: "buckets", read: ({ subject }) => subject }),
 *   enqueueAll(StorageBucket),
 * );
 */
export function natsSource<T = unknown>(options: NatsSourceOptions<T>): Source<T> {
  checkOptions("nats", options);
  const { subject, queue } = options;
  // Without `read` T is unknown, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? (({ data }: NatsMessage): T => JSON.parse(utf8.decode(data)) as T);
  checkNatsServers(options);
  for (const [what, text] of Object.entries({ subject, ...(queue === undefined ? {} : { queue }) })) {
    const isRight = (given: string): boolean => /^[^\s]+$/.test(given);
    checkText(text, { doing: "read from NATS", what, give: "one without spaces", isRight });
  }
  return heardSource(options, {
    name: `nats-${subject}`,
    read,
    describe: (message: NatsMessage) => ({ subject: message.subject }),
    async open({ clock, signal }, { source, heard, lost }): Promise<AsyncDisposable> {
      const nats = await openNats({ ...options, source, clock, signal });
      nats.lost.catch(lost);
      nats.connection.subscribe(subject, {
        ...(queue === undefined ? {} : { queue }),
        callback(error, message): void {
          if (error === null) heard({ subject: message.subject, data: message.data });
          else lost(nats.failed(error.message, error));
        },
      });
      return nats;
    },
  });
}
