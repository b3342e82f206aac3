import { createCallBatches } from "../flow/call-batches.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** A row that was claimed. Its parts are cast by the server: how pg reads other types is a setting of the process. */
export interface OutboxRow {
  readonly id: string;
  /** JSON. */
  readonly payload: string;
  readonly createdMs: number;
  readonly attempts: number;
}

export interface OutboxRowsOptions {
  readonly connection: PostgresConnection;
  /** Quoted. */
  readonly table: string;
  readonly leaseMs: number;
  readonly finished: "delete" | "mark";
}

/**
 * The rows of an outbox, and which of them this opening has leased. On disposal those that it still has are free at
 * once.
 */
export interface OutboxRows extends AsyncDisposable {
  /** Leases rows that nobody has, the lowest ids first. */
  claim(most: number): Promise<readonly OutboxRow[]>;
  /** Milliseconds until a row that waits, or that another owner has, may be claimed; infinite when there is none. */
  nextDueMs(): Promise<number>;
  extend(ids: readonly string[]): Promise<void>;
  finish(id: string): Promise<void>;
  giveBack(id: string, afterMs: number): Promise<void>;
}

/** Rows that one statement settles. */
const mostAtOnce = 500;

export function createOutboxRows({ connection, table, leaseMs, finished }: OutboxRowsOptions): OutboxRows {
  const owner = crypto.randomUUID();
  const until = (ms: string): string => `now() + ${ms} * interval '1 millisecond'`;

  // Materialized: a plan that looked for claimable rows more than once would claim more of them than it may.
  const claim = `WITH claimable AS MATERIALIZED (
      SELECT id FROM ${table} WHERE done_at IS NULL AND leased_until <= now() ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
    )
    UPDATE ${table} AS row SET attempts = row.attempts + 1, lease_owner = $2, leased_until = ${until("$3::float8")}
    FROM claimable WHERE row.id = claimable.id
    RETURNING row.id::text AS id, row.payload::text AS payload, row.attempts::float8 AS attempts,
      (extract(epoch FROM row.created_at) * 1000)::float8 AS "createdMs"`;
  const nextDue = `SELECT (extract(epoch FROM min(leased_until) - now()) * 1000)::float8 AS "inMs"
    FROM ${table} WHERE done_at IS NULL AND lease_owner IS DISTINCT FROM $1 AND leased_until > now()`;
  const extend = `UPDATE ${table} SET leased_until = ${until("$3::float8")} WHERE id = ANY($1::bigint[]) AND lease_owner = $2`;
  const end =
    finished === "delete" ? `DELETE FROM ${table}` : `UPDATE ${table} SET done_at = now(), lease_owner = NULL`;
  const finish = `${end} WHERE id = ANY($1::bigint[]) AND lease_owner = $2`;
  const giveBack = `UPDATE ${table} AS row SET lease_owner = NULL, leased_until = ${until("given.ms")}
    FROM unnest($1::bigint[], $3::float8[]) AS given (id, ms) WHERE row.id = given.id AND row.lease_owner = $2`;
  const release = `UPDATE ${table} SET lease_owner = NULL, leased_until = now() WHERE done_at IS NULL AND lease_owner = $1`;

  const finishing = createCallBatches<string>({
    most: mostAtOnce,
    async run(ids) {
      await connection.query(finish, [ids, owner]);
      return [];
    },
  });
  const giving = createCallBatches<{ readonly id: string; readonly afterMs: number }>({
    most: mostAtOnce,
    async run(given) {
      await connection.query(giveBack, [given.map(({ id }) => id), owner, given.map(({ afterMs }) => afterMs)]);
      return [];
    },
  });

  return {
    async claim(most): Promise<readonly OutboxRow[]> {
      const rows = await connection.query<OutboxRow>(claim, [most, owner, leaseMs]);
      return rows.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
    },
    async nextDueMs(): Promise<number> {
      const [row] = await connection.query<{ readonly inMs: number | null }>(nextDue, [owner]);
      // A millisecond more, so that what is due is not looked for too soon, and once more.
      return row?.inMs == null ? Number.POSITIVE_INFINITY : Math.max(0, row.inMs) + 1;
    },
    async extend(ids): Promise<void> {
      await connection.query(extend, [ids, owner, leaseMs]);
    },
    finish: finishing,
    giveBack: (id, afterMs) => giving({ id, afterMs }),
    async [Symbol.asyncDispose](): Promise<void> {
      try {
        await connection.query(release, [owner]);
      } catch {
        // The connection is gone: the leases end by themselves.
      }
    },
  };
}
