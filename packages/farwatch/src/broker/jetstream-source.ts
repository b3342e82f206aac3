import type { Msg } from "@nats-io/transport-node";
import { givenMs } from "../clock/given-duration.ts";
import { type Instant, instantOf } from "../clock/instant.ts";
import { messageOf } from "../error/coded-error.ts";
import { checkText, checkTexts } from "../error/given-text.ts";
import type { Source } from "../source/source.ts";
import { checkOptions } from "../source/source-options.ts";
import { brokerFailure } from "./broker-failure.ts";
import type { BrokerMessage } from "./broker-message.ts";
import { type BrokerSourceOptions, brokerSource } from "./broker-source.ts";
import { createHeldMessages } from "./held-messages.ts";
import { ensureConsumer, isConsumerFull } from "./jetstream-consumer.ts";
import { type JetStreamDelivery, parseDelivery } from "./jetstream-delivery.ts";
import { type JetStreamPlace, nanosPerMs } from "./jetstream-place.ts";
import { createJetStreamPull } from "./jetstream-pull.ts";
import { openNats } from "./nats-connection.ts";
import { comesOf } from "./nats-error.ts";
import { checkNatsServers, type NatsServers } from "./nats-servers.ts";

/** A message of a stream. */
export interface JetStreamMessage {
  readonly subject: string;
  /** Its number in the stream. */
  readonly sequence: number;
  readonly data: Uint8Array;
  /** By name, as the producer wrote it. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly storedAt: Instant;
  /** How often it was handed over, this time included. */
  readonly deliveries: number;
}

export interface JetStreamSourceOptions<T> extends BrokerSourceOptions, NatsServers, JetStreamPlace {
  /** What the event carries; a throw makes the message a dead letter. Default: its data, read as JSON. */
  readonly read?: ((message: JetStreamMessage) => T) | undefined;
}

const acknowledgeMs = 10_000;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Events from a stream of NATS JetStream, by a durable pull consumer.
 *
 * - Delivery: at least once, in the order of the stream where nothing comes again. Several replicas may share a
 *   consumer.
 * - Durability: `origin`. A message is acknowledged, and the server has confirmed that, when its event was worked on;
 *   the consumer's deadline is started over meanwhile. What the server has acknowledged to its producer survives its
 *   end when the stream is on files; a stream in memory gets a warning.
 * - Overflow: `wait`. Back pressure: no more are pulled than may be held here, or unsettled of the consumer
 *   (`max_ack_pending`); the others wait in the stream, within its limits.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`.
 * - Authentication: a token, a user, a `.creds` file or an NKey, read again at each opening; TLS, mutual too. It needs
 *   to publish to `$JS.API.STREAM.INFO`, `$JS.API.CONSUMER.>` and `$JS.ACK.>` of its stream, and to subscribe to its
 *   inbox.
 * - Abort: messages that are still held come again when the consumer's ack_wait is over.
 *
 * A message that was handed over `maxDeliveries` times is terminated when it comes once more; a consumer whose
 * `max_deliver` is not above that gives messages up before, which a warning says. A lost connection is a failure of the
 * source: it is opened again with backoff. Needs the packages @nats-io/transport-node and @nats-io/jetstream, and NATS
 * 2.9.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`; its stream throws `MissingDependency`, `CredentialFailed`,
 * `ConnectionFailed`, `NotFound` when there is no such stream, `Forbidden` when the user may not ask for it,
 * `ServerUnavailable` when JetStream is off or answers with another error, and `InvalidConfig` for a consumer that does
 * not wait for explicit acknowledgements.
 * @example
 * watch(
 *   jetStreamSource({
 *     servers: "nats://nats:4222",
 *     stream: "uploads",
 *     consumer: "storage",
 *     read: ({ subject }) => subject,
 *   }),
 *   enqueueRequestsFromMapFunc((subject) => [{ namespace: "default", name: subject.slice("uploads.".length) }]),
 * );
 */
export function jetStreamSource<T = unknown>(options: JetStreamSourceOptions<T>): Source<T> {
  checkOptions("jetstream", options);
  const { stream, consumer } = options;
  // Without `read` T is unknown, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? (({ data }: JetStreamMessage): T => JSON.parse(utf8.decode(data)) as T);
  const doing = "read from JetStream";
  checkNatsServers(options);
  for (const [what, name] of Object.entries({ stream, consumer })) {
    const isRight = (given: string): boolean => /^[^\s.*>/\\]+$/.test(given);
    const give = "a name without spaces, dots, *, > and slashes";
    checkText(name, { doing, what, give, isRight });
  }
  const subjects = { doing, what: "filterSubjects", give: "a list of subjects" };
  if ((options.filterSubjects ?? []).length > 0) checkTexts(options.filterSubjects, subjects);
  givenMs(options.ackWait ?? "30s", { doing, what: "ackWait", least: "1s" });
  return brokerSource(options, {
    name: `jetstream-${stream}-${consumer}`,
    async *events({ clock, health, signal, log }, holding) {
      await using nats = await openNats({
        ...options,
        source: holding.source,
        alongside: ["@nats-io/jetstream"],
        clock,
        signal,
      });
      const { connection } = nats;
      const place = {
        ...options,
        source: holding.source,
        connection,
        failed: nats.failed,
        clock,
        log,
        maxDeliveries: holding.maxDeliveries,
      };
      const limits = await ensureConsumer(place);
      health.serving();
      /** Confirmed by the server: without the right it says so, and hands the message over again. */
      const tell = async (reply: string, payload: string): Promise<void> => {
        try {
          await connection.request(reply, payload, { timeout: acknowledgeMs });
        } catch (cause) {
          if (!comesOf(cause, "PermissionViolationError")) throw cause;
          const advice = `; let the user publish to $JS.ACK.${stream}.${consumer}.>`;
          const said = { source: holding.source, broker: "NATS", code: "Forbidden", advice, cause } as const;
          throw brokerFailure(messageOf(cause), said);
        }
      };
      await using held = createHeldMessages<T, BrokerMessage<T> & { readonly delivery: JetStreamDelivery }>({
        ...holding,
        // More it hands over to nobody, and a request for them would wait.
        maxUnacknowledged: Math.min(holding.maxUnacknowledged, limits.mostHeld),
        extend: {
          every: limits.ackWaitMs / 3,
          async run([first, ...others]): Promise<void> {
            for (const { delivery } of others) connection.publish(delivery.reply, "+WPI");
            // Its answer says that the others were read as well, and whether the user may.
            if (first !== undefined) await tell(first.delivery.reply, "+WPI");
          },
        },
      });
      const pull = createJetStreamPull({ nats, stream, consumer, limits, clock, signal });
      const heldMessage = (message: Msg): BrokerMessage<T> & { readonly delivery: JetStreamDelivery } => {
        const delivery = parseDelivery(message.reply);
        const { reply, sequence, deliveries } = delivery;
        const storedAt = instantOf(delivery.storedMs);
        return {
          id: String(sequence),
          deliveries,
          delivery,
          occurredAt: storedAt,
          bytes: message.data.byteLength,
          raw: message,
          read: () =>
            read({
              subject: message.subject,
              sequence,
              data: message.data,
              headers: headersOf(message),
              storedAt,
              deliveries,
            }),
          done: () => tell(reply, "+ACK"),
          retry: (afterMs) =>
            tell(reply, afterMs === 0 ? "-NAK" : `-NAK ${JSON.stringify({ delay: afterMs * nanosPerMs })}`),
          bury: () => tell(reply, "+TERM"),
        };
      };
      yield* held.events(async (most) => {
        const messages = await pull.next(most);
        // Other replicas may hold what is missing to the consumer's limit.
        const isBlocked = messages.length === 0 && held.size > 0 && !signal.aborted && (await isConsumerFull(place));
        health.blocked(isBlocked ? "full" : undefined);
        return messages.map(heldMessage);
      }, signal);
    },
  });
}

function headersOf({ headers }: Msg): ReadonlyMap<string, readonly string[]> {
  return new Map(headers?.keys().map((name) => [name, headers.values(name)]) ?? []);
}
