import { quoteName, quoteText } from "./postgres-name.ts";

/** Where an outbox is. */
export interface PostgresOutboxPlace {
  /** Default `farwatch_outbox`. */
  readonly table?: string | undefined;
  /** Default: the first of the connection's `search_path`. */
  readonly schema?: string | undefined;
  /** The channel of its notifications; default: the name of the table. */
  readonly channel?: string | undefined;
}

/** An outbox as statements name it. */
export interface PostgresOutboxNames {
  /** Quoted, with its schema. */
  readonly table: string;
  readonly channel: string;
  /** A name of its own beside the table, quoted, without a schema. */
  beside(suffix: string): string;
  /** The same with the schema. */
  qualified(suffix: string): string;
}

/** @throws CodedError `InvalidOption` for a name that the server cannot have. */
export function outboxNames({
  table = "farwatch_outbox",
  schema,
  channel = table,
}: PostgresOutboxPlace): PostgresOutboxNames {
  const name = quoteName(table, "table");
  const prefix = schema === undefined ? "" : `${quoteName(schema, "schema")}.`;
  // Checked here, so that a program with a wrong name fails when it starts.
  quoteName(channel, "channel");
  const beside = (suffix: string): string => quoteName(`${table}${suffix}`, "table");
  return {
    table: `${prefix}${name}`,
    channel,
    beside,
    qualified: (suffix) => `${prefix}${beside(suffix)}`,
  };
}

/**
 * The statements that make an outbox, for a migration; where it is there already they change nothing. A program adds an
 * event by `INSERT INTO farwatch_outbox (payload) VALUES (…)` in the transaction whose change it tells of, and then
 * neither can be without the other. A trigger notifies the source when that transaction commits; without it, rows wait
 * for the source's poll.
 *
 * @throws CodedError `InvalidOption` for a name that the server cannot have.
 */
export function postgresOutboxTable(place: PostgresOutboxPlace = {}): string {
  const { table, channel, beside, qualified } = outboxNames(place);
  return `CREATE TABLE IF NOT EXISTS ${table} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts integer NOT NULL DEFAULT 0,
  lease_owner text,
  leased_until timestamptz NOT NULL DEFAULT '-infinity',
  done_at timestamptz
);
CREATE INDEX IF NOT EXISTS ${beside("_open")} ON ${table} (id) WHERE done_at IS NULL;
CREATE OR REPLACE FUNCTION ${qualified("_notify")}() RETURNS trigger LANGUAGE plpgsql AS $farwatch$
BEGIN
  PERFORM pg_notify(TG_ARGV[0], '');
  RETURN NULL;
END
$farwatch$;
CREATE OR REPLACE TRIGGER ${beside("_notify")} AFTER INSERT ON ${table}
  FOR EACH STATEMENT EXECUTE FUNCTION ${qualified("_notify")}(${quoteText(channel)});
`;
}
