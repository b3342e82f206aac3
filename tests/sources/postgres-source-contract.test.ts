import { test } from "node:test";
import { sourceContract, startPostgres } from "@farwatch/testing";
import { postgresNotifySource, postgresOutboxSource, postgresOutboxTable } from "farwatch";
import pg from "pg";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";

/** A pool must end before its server does. */
async function startWithPool() {
  const server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url, max: 4 });
  const end = async (): Promise<void> => {
    await pool.end();
    await server[Symbol.asyncDispose]();
  };
  return { url: server.url, pool, [Symbol.asyncDispose]: end };
}

const { server, skip } = await availableServer(startWithPool);
const { url = "", pool } = server ?? {};

let made = 0;

async function query(text: string, values: unknown[] = []): Promise<void> {
  await pool?.query(text, values);
}

/** Waits until no source is connected. */
async function open(): Promise<number> {
  const connected = "SELECT FROM pg_stat_activity WHERE application_name LIKE 'farwatch %'";
  await eventually("nobody is connected", async () => (await pool?.query(connected))?.rowCount === 0);
  return 0;
}

sourceContract({
  name: "postgresOutboxSource",
  time: "real",
  numberOf: ({ object }) => Number(object),
  test: (name, run) => test(name, { skip }, run),
  create() {
    made += 1;
    const table = `contract_${made}`;
    return {
      source: postgresOutboxSource({ url, table, lease: "1s", maxUnacknowledged: 50 }),
      begin: () => query(postgresOutboxTable({ table })),
      emit: (n) => query(`INSERT INTO ${table} (payload) VALUES ($1)`, [n]),
      open,
      taken: async () => (await pool?.query(`SELECT FROM ${table} WHERE lease_owner IS NOT NULL`))?.rowCount ?? 0,
    };
  },
});

sourceContract({
  name: "postgresNotifySource",
  time: "real",
  numberOf: ({ object }) => Number(object),
  test: (name, run) => test(name, { skip }, run),
  create() {
    made += 1;
    const channel = `contract_${made}`;
    return {
      source: postgresNotifySource({ url, channel }),
      async emit(n): Promise<void> {
        // What is notified while nobody listens is lost, as is declared.
        const listening = "SELECT FROM pg_stat_activity WHERE query = $1 AND state = 'idle'";
        await eventually(
          "it listens",
          async () => (await pool?.query(listening, [`LISTEN "${channel}"`]))?.rowCount === 1,
        );
        await query("SELECT pg_notify($1, $2)", [channel, String(n)]);
      },
      open,
    };
  },
});
