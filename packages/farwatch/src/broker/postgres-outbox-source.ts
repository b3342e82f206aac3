import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { type Instant, instantOf } from "../clock/instant.ts";
import { createDoorbell } from "../flow/doorbell.ts";
import type { Source } from "../source/source.ts";
import { checkOptions } from "../source/source-options.ts";
import type { BrokerMessage } from "./broker-message.ts";
import { type BrokerSourceOptions, brokerSource } from "./broker-source.ts";
import { createHeldMessages } from "./held-messages.ts";
import { openPostgres } from "./postgres-connection.ts";
import { createOutboxRows, type OutboxRow, type OutboxRows } from "./postgres-outbox-rows.ts";
import { outboxNames, type PostgresOutboxPlace } from "./postgres-outbox-table.ts";
import { checkPostgresUrl, type PostgresUrl } from "./postgres-url.ts";

/** A row of an outbox. */
export interface PostgresOutboxMessage {
  readonly id: string;
  /** The row's JSON. */
  readonly payload: unknown;
  readonly createdAt: Instant;
  /** How often it was claimed, this time included. */
  readonly attempts: number;
}

export interface PostgresOutboxOptions<T> extends BrokerSourceOptions, PostgresOutboxPlace {
  /**
   * A direct connection: a pooler that shares one among transactions swallows LISTEN, and rows then wait for the poll.
   */
  readonly url?: PostgresUrl | undefined;
  /** What the event carries; a throw makes the row a dead letter. Default: the payload. */
  readonly read?: ((message: PostgresOutboxMessage) => T) | undefined;
  /**
   * How long a row stays claimed by a process that died; default 30 s, at least 1 s. It is extended while the row is
   * held.
   */
  readonly lease?: Duration | undefined;
  /** Looks for rows of which no notification came; default 10 s. */
  readonly poll?: Duration | undefined;
  /** What becomes of a row that was worked on: it goes (default), or it stays and has the time in `done_at`. */
  readonly finished?: "delete" | "mark" | undefined;
}

/** Rows that one statement claims, so that no transaction is long. */
const mostAtOnce = 100;

/**
 * Events from an outbox: a table to which a program adds a row in the transaction whose change it tells of, made by
 * `postgresOutboxTable`.
 *
 * - Delivery: at least once. Rows are claimed one by one, by a lease in the row (`FOR UPDATE SKIP LOCKED`, in
 *   transactions of one statement), and not by a position in the table: a row that commits after one with a higher id
 *   is found all the same. So order is that of ids where nothing comes between, and several replicas may share an
 *   outbox.
 * - Durability: `origin`. A row goes when its event was worked on; one whose process died is claimed again when its
 *   lease is over.
 * - Overflow: `wait`. Back pressure: no more rows are claimed than may be held; the others wait in the table.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`.
 * - Authentication: what the URL says; `sslmode=verify-full` checks the server. The role needs SELECT, UPDATE and
 *   DELETE.
 * - Abort: rows that are still held are free for the next replica at once.
 *
 * `attempts` counts claims; a row that was claimed `maxDeliveries` times is a dead letter when it is claimed once more.
 * Needs the package pg.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`; its stream throws `MissingDependency`, `CredentialFailed`,
 * `ConnectionFailed`, `NotFound` when there is no such table, and `Forbidden`, `InvalidConfig` or `ServerUnavailable`
 * when the server refuses a statement.
 * @example
 * watch(
 *   postgresOutboxSource({ url: process.env.OUTBOX_URL, read: ({ payload }) => Order.parse(payload) }),
 *   enqueueRequestsFromMapFunc(({ bucket }) => [{ namespace: "default", name: bucket }]),
 * );
 */
export function postgresOutboxSource<T = unknown>(options: PostgresOutboxOptions<T> = {}): Source<T> {
  checkOptions("postgres", options);
  const { finished = "delete" } = options;
  // Without `read` T is unknown, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? (({ payload }: PostgresOutboxMessage): T => payload as T);
  checkPostgresUrl(options.url);
  const names = outboxNames(options);
  const doing = "read from PostgreSQL";
  const leaseMs = givenMs(options.lease ?? "30s", { doing, what: "lease", least: "1s" });
  const pollMs = givenMs(options.poll ?? "10s", { doing, what: "poll", least: "10ms" });
  return brokerSource(options, {
    name: `postgres-${options.table ?? "outbox"}`,
    choices: { finished: { given: finished, of: ["delete", "mark"] } },
    async *events({ clock, health, signal }, holding) {
      const bell = createDoorbell(clock);
      const ring = (): void => bell.ring();
      await using connection = await openPostgres({
        source: holding.source,
        url: options.url,
        clock,
        signal,
        onLost: ring,
        onNotification: ring,
      });
      await connection.listen(names.channel);
      health.serving();
      await using rows = createOutboxRows({ connection, table: names.table, leaseMs, finished });
      await using held = createHeldMessages<T, BrokerMessage<T>>({
        ...holding,
        extend: { every: leaseMs / 3, run: (messages) => rows.extend(messages.map(({ id }) => id)) },
      });
      yield* held.events(async (most) => {
        for (;;) {
          connection.check();
          const claimed = await rows.claim(Math.min(most, mostAtOnce));
          if (claimed.length > 0) return claimed.map((row) => messageOfRow(row, { rows, read, given: ring }));
          await bell.wait(Math.min(pollMs, await rows.nextDueMs()), signal);
          if (signal.aborted) return [];
        }
      }, signal);
    },
  });
}

interface Settling<T> {
  readonly rows: OutboxRows;
  readonly read: (message: PostgresOutboxMessage) => T;
  /** Called when a row was given back. */
  given(): void;
}

function messageOfRow<T>(row: OutboxRow, { rows, read, given }: Settling<T>): BrokerMessage<T> {
  const createdAt = instantOf(row.createdMs);
  return {
    id: row.id,
    deliveries: row.attempts,
    occurredAt: createdAt,
    bytes: row.payload.length,
    raw: row,
    read: () => read({ id: row.id, payload: JSON.parse(row.payload), createdAt, attempts: row.attempts }),
    done: () => rows.finish(row.id),
    async retry(afterMs): Promise<void> {
      await rows.giveBack(row.id, afterMs);
      given();
    },
  };
}
