import { CodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { createChannel } from "../flow/channel.ts";
import { createDoorbell } from "./doorbell.ts";
import { openPostgres, type PostgresUrl } from "./postgres-connection.ts";
import { quoteName } from "./postgres-name.ts";
import { readProblem } from "./read-problem.ts";
import type { Source } from "./source.ts";
import { createSourceMetrics } from "./source-metrics.ts";

export interface PostgresNotifyOptions<T> {
  /** As NOTIFY names it, in its exact case. */
  readonly channel: string;
  /** A direct connection: a pooler that shares one among transactions swallows LISTEN. */
  readonly url?: PostgresUrl | undefined;
  /** Default: `postgres-` and the channel. */
  readonly name?: string | undefined;
  /** What the event carries; what throws is logged and dropped. Default: the payload, `""` where NOTIFY gives none. */
  readonly read?: ((payload: string) => T) | undefined;
  /** Notifications that may wait to be read; beyond them the oldest is dropped and counted; default 1,024. */
  readonly capacity?: number | undefined;
  /** Default: on the leader alone. */
  readonly needLeaderElection?: boolean | undefined;
  readonly critical?: boolean | undefined;
}

/**
 * Events from LISTEN alone, where there is no table: what is notified while nobody listens, is lost. For what must arrive take
 * `postgresOutboxSource`.
 *
 * - Delivery: at most once. The server merges equal notifications of one transaction, and tells in the order of commits.
 * - Durability: `process`: what has come is kept while this process lives. Overflow: `dropOldest`: a listener that does not read would in the end make NOTIFY fail for everybody,
 *   so there is no back pressure.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`.
 * - Authentication: what the URL says; `sslmode=verify-full` checks the server. Any role may listen to any channel.
 *
 * Needs the package pg.
 *
 * @throws CodedError `InvalidOption`; its stream throws `MissingDependency`, `CredentialFailed` and `ConnectionFailed`.
 * @example
 * watch(postgresNotifySource({ channel: "buckets", url: process.env.DATABASE_URL }), enqueueAll(StorageBucket));
 */
export function postgresNotifySource<T = string>(options: PostgresNotifyOptions<T>): Source<T> {
  const { channel, capacity = 1_024 } = options;
  // Without `read` T is string, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? ((payload: string): T => payload as unknown as T);
  const name = options.name ?? `postgres-${channel}`;
  quoteName(channel);
  if (!Number.isInteger(capacity) || capacity < 1) {
    throw new CodedError(
      "InvalidOption",
      `Cannot make source ${name}: capacity is ${capacity}, give a whole number of at least 1`,
    );
  }
  /** Counts in the metrics of the opening. */
  let drop = (): void => {};
  /** What has come and was not read yet, also while the source is closed. */
  const payloads = createChannel<string>({ capacity, overflow: "dropOldest", onDrop: () => drop() });
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
      await using connection = await openPostgres({
        source: name,
        url: options.url,
        clock,
        signal,
        onLost: () => bell.ring(),
        onNotification(payload): void {
          payloads.trySend(payload);
          bell.ring();
        },
      });
      await connection.listen(channel);
      while (!signal.aborted) {
        const payload = payloads.tryReceive();
        if (payload === undefined) {
          connection.check();
          await bell.wait(Number.POSITIVE_INFINITY, signal);
          continue;
        }
        let object: T;
        try {
          object = read(payload);
        } catch (error) {
          log.error("Cannot read a notification: it is dropped", { channel, problem: readProblem(error) });
          continue;
        }
        yield { type: "generic", object };
      }
    },
  };
}
