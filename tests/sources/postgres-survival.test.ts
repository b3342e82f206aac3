import assert from "node:assert/strict";
import { startPostgres } from "@farwatch/testing";
import { postgresOutboxTable } from "farwatch";
import pg from "pg";
import { availableServer } from "./available-server.ts";
import { type SurvivingQueue, survives } from "./survival.ts";

const { server, skip } = await availableServer(startPostgres);

async function query(text: string, values: unknown[] = []): Promise<readonly Record<string, unknown>[]> {
  // A connection each time: the server is killed under it.
  const client = new pg.Client({ connectionString: server?.url ?? "", connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

survives({
  name: "postgresOutboxSource",
  skip,
  many: true,
  async create(): Promise<SurvivingQueue> {
    assert.ok(server);
    await query(`DROP TABLE IF EXISTS farwatch_outbox; ${postgresOutboxTable()}`);
    return {
      source: { type: "postgres", url: server.url },
      server,
      async publish(numbers): Promise<void> {
        await query("INSERT INTO farwatch_outbox (payload) SELECT to_jsonb(n) FROM unnest($1::int[]) AS n", [numbers]);
      },
      left: async () => Number((await query("SELECT count(*) AS n FROM farwatch_outbox"))[0]?.n),
      async [Symbol.asyncDispose](): Promise<void> {},
    };
  },
});
