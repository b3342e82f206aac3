import assert from "node:assert/strict";
import { test } from "node:test";
import { startPostgres, startTcpRelay } from "@farwatch/testing";
import { postgresNotifySource } from "farwatch";
import pg from "pg";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { type OpenedSource, openSource } from "./opened-source.ts";
import { toleratesSilence } from "./silence.ts";

const { server, skip } = await availableServer(startPostgres);
const url = server?.url ?? "";

async function connect(): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Nothing tells that LISTEN was answered but what comes of it. */
async function listening(source: OpenedSource<unknown>, client: pg.Client, channel: string): Promise<void> {
  await eventually("the source listens", async () => {
    await client.query("SELECT pg_notify($1, 'are you there')", [channel]);
    return source.state.phase === "serving";
  });
  while (source.state.buffered > 0) (await source.next()).hold.done();
}

test("postgresNotifySource declares that it delivers at most once and drops", () => {
  const source = postgresNotifySource({ channel: "buckets" });
  assert.deepEqual(
    [source.name, source.delivery, source.durability, source.overflow],
    ["postgres-buckets", "atMostOnce", "process", "dropOldest"],
  );
});

test("postgresNotifySource yields what is notified, in its order, and drops what cannot be read", {
  skip,
}, async () => {
  const channel = `Chan"nel 'of' mine`;
  await using client = await connect();
  const read = (payload: string): string => {
    if (payload === "bad") throw new Error("cannot be read");
    return payload;
  };
  await using source = openSource(postgresNotifySource({ url, channel, read }));
  await listening(source, client, channel);
  for (const payload of ["1", "bad", "2", ""]) await client.query("SELECT pg_notify($1, $2)", [channel, payload]);
  const told: unknown[] = [];
  while (told.at(-1) !== "") {
    const { event, hold } = await source.next();
    if (event.object !== "are you there") told.push(event.object);
    hold.done();
  }
  assert.deepEqual(told, ["1", "2", ""]);
  assert.equal(source.warnings.filter(({ message }) => message.startsWith("Cannot read a message")).length, 1);
});

test("postgresNotifySource fails when its server is killed, and listens again when it is back", { skip }, async () => {
  await using source = openSource(postgresNotifySource({ url, channel: "again" }));
  {
    await using client = await connect();
    await listening(source, client, "again");
    client.on("error", () => {});
    await server?.kill();
  }
  assert.match((await source.failing()).lastError ?? "", /^Cannot read source postgres-again from PostgreSQL: /);
  await server?.restart();
  await using client = await connect();
  await listening(source, client, "again");
});

const silentSource = (port: number) =>
  postgresNotifySource({ url: url.replace(`:${server?.port}/`, `:${port}/`), channel: "silent", read: Number });

toleratesSilence({
  name: "postgresNotifySource",
  skip,
  async create() {
    await using stack = new AsyncDisposableStack();
    const client = stack.use(await connect());
    const relay = stack.use(await startTcpRelay({ targetPort: server?.port ?? 0 }));
    const owned = stack.move();
    let listener: unknown;
    return {
      source: silentSource(relay.port),
      // Each connection of the server has a process of its own.
      server: { pause: () => relay.silence(), resume: () => relay.resume() },
      async publish(number): Promise<void> {
        const listening = "SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN \"silent\"' AND state = 'idle'";
        listener = await eventually("another connection listens", async () => {
          const [first, second] = (await client.query<{ pid: number }>(listening)).rows;
          return second === undefined && first?.pid !== listener && first?.pid;
        });
        await client.query("SELECT pg_notify('silent', $1)", [String(number)]);
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  },
  at: silentSource,
});
