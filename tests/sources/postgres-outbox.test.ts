import assert from "node:assert/strict";
import { test } from "node:test";
import { startPostgres, startTcpRelay } from "@farwatch/testing";
import { postgresOutboxSource, postgresOutboxTable, systemClock } from "farwatch";
import pg from "pg";
import { eventually } from "../eventually.ts";
import { availableServer } from "./available-server.ts";
import { deadLetters } from "./dead-letters.ts";
import { openSource } from "./opened-source.ts";
import { toleratesSilence } from "./silence.ts";

const { server, skip } = await availableServer(startPostgres);

/** What the client says of how it is used, each thing once a process. */
const deprecations: string[] = [];
process.on("warning", ({ name, message }) => {
  if (name === "DeprecationWarning") deprecations.push(message);
});

interface Outbox extends AsyncDisposable {
  readonly url: string;
  readonly table: string;
  query(text: string, values?: unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** A transaction of its own. */
  connect(): Promise<pg.Client>;
  add(...numbers: readonly number[]): Promise<void>;
  count(): Promise<number>;
}

let made = 0;

async function createOutbox(): Promise<Outbox> {
  assert.ok(server);
  const { url } = server;
  made += 1;
  // What a name may hold is tried by the way.
  const table = `out"box' ${made}`;
  const connections: pg.Client[] = [];
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    connections.push(client);
    return client;
  };
  const client = await connect();
  await client.query(postgresOutboxTable({ table }));
  const quoted = client.escapeIdentifier(table);
  const query = async (text: string, values: unknown[] = []): Promise<readonly Record<string, unknown>[]> =>
    (await client.query(text.replaceAll("outbox", quoted), values)).rows;
  return {
    url,
    table,
    query,
    connect,
    async add(...numbers): Promise<void> {
      await query("INSERT INTO outbox (payload) SELECT to_jsonb(n) FROM unnest($1::int[]) AS n", [numbers]);
    },
    count: async () => Number((await query("SELECT count(*) AS n FROM outbox"))[0]?.n),
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(connections.map((connection) => connection.end()));
    },
  };
}

const numberOf = ({ event }: { readonly event: { readonly object: unknown } }): number => Number(event.object);

test("postgresOutboxTable can be run again, and changes nothing then", { skip }, async () => {
  await using outbox = await createOutbox();
  await outbox.add(1);
  await outbox.query(postgresOutboxTable({ table: outbox.table }));
  assert.equal(await outbox.count(), 1);
});

test("postgresOutboxSource is woken by a commit, and deletes a row when its event was worked on", {
  skip,
}, async () => {
  await using outbox = await createOutbox();
  await using source = openSource(postgresOutboxSource({ url: outbox.url, table: outbox.table, poll: "1h" }));
  await outbox.add(1);
  const first = await source.next();
  assert.equal(numberOf(first), 1);
  assert.ok(first.event.type === "generic" && first.event.occurredAt !== undefined);
  // It waits for the next notification now.
  await outbox.add(2);
  const second = await source.next();
  assert.equal(await outbox.count(), 2, "rows are kept while their events are worked on");
  first.hold.done();
  second.hold.done();
  await eventually("the rows are gone", async () => (await outbox.count()) === 0);
});

test("postgresOutboxSource finds a row that commits after one with a higher id", { skip }, async () => {
  await using outbox = await createOutbox();
  const late = await outbox.connect();
  const insert = `INSERT INTO ${late.escapeIdentifier(outbox.table)} (payload) VALUES ('1')`;
  await late.query("BEGIN");
  await late.query(insert);
  await outbox.add(2);
  await using source = openSource(postgresOutboxSource({ url: outbox.url, table: outbox.table, poll: "1h" }));
  const second = await source.next();
  assert.equal(numberOf(second), 2);
  second.hold.done();
  await eventually("row 2 is gone", async () => (await outbox.count()) === 0);
  await late.query("COMMIT");
  const first = await source.next();
  assert.equal(numberOf(first), 1);
  first.hold.done();
});

test("postgresOutboxSource finds rows of which nobody notifies it, by its poll", { skip }, async () => {
  await using outbox = await createOutbox();
  await outbox.query("ALTER TABLE outbox DISABLE TRIGGER USER");
  await using source = openSource(postgresOutboxSource({ url: outbox.url, table: outbox.table, poll: "100ms" }));
  await outbox.add(1);
  (await source.next()).hold.done();
});

test("postgresOutboxSource marks rows that are done when it is told to, and does not deliver them again", {
  skip,
}, async () => {
  await using outbox = await createOutbox();
  const options = { url: outbox.url, table: outbox.table, finished: "mark" } as const;
  {
    await using source = openSource(postgresOutboxSource(options));
    await outbox.add(1);
    (await source.next()).hold.done();
    await eventually(
      "the row is marked",
      async () => (await outbox.query("SELECT FROM outbox WHERE done_at IS NOT NULL")).length === 1,
    );
  }
  await using source = openSource(postgresOutboxSource(options));
  await outbox.add(2);
  assert.equal(numberOf(await source.next()), 2);
});

test("postgresOutboxSource extends its lease while a row is held, so that nobody else gets it", { skip }, async () => {
  await using outbox = await createOutbox();
  const options = { url: outbox.url, table: outbox.table, lease: "1s", poll: "50ms" } as const;
  await using one = openSource(postgresOutboxSource(options));
  await outbox.add(1);
  const held = await one.next();
  await using other = openSource(postgresOutboxSource(options));
  const leaseEnd = async (): Promise<number> =>
    Number((await outbox.query("SELECT extract(epoch FROM leased_until) AS at FROM outbox"))[0]?.at);
  const firstEnd = await leaseEnd();
  await eventually("the lease is three times as long", async () => (await leaseEnd()) > firstEnd + 2);
  assert.equal(other.state.lastEventAt, undefined, "another replica got it");
  held.hold.done();
  await eventually("the row is gone", async () => (await outbox.count()) === 0);
});

test("postgresOutboxSource gives what it holds to the next replica at once when it is closed", { skip }, async () => {
  await using outbox = await createOutbox();
  const options = { url: outbox.url, table: outbox.table, lease: "1h", poll: "1h" } as const;
  await outbox.add(1, 2, 3);
  {
    await using source = openSource(postgresOutboxSource(options));
    await source.next();
    await source.next();
  }
  await using source = openSource(postgresOutboxSource(options));
  assert.deepEqual((await source.take(3)).map(numberOf), [1, 2, 3]);
});

test("postgresOutboxSource delivers a row again that was given back, not before its time", { skip }, async () => {
  await using outbox = await createOutbox();
  await using source = openSource(postgresOutboxSource({ url: outbox.url, table: outbox.table, poll: "1h" }));
  await outbox.add(1);
  const first = await source.next();
  const givenAt = systemClock.elapsed();
  first.hold.giveBack("300ms");
  const again = await source.next();
  assert.ok(systemClock.elapsed() - givenAt >= 299, "it came too soon");
  assert.equal((await outbox.query("SELECT attempts FROM outbox"))[0]?.attempts, 2);
  again.hold.done();
});

test("postgresOutboxSource claims no more rows than may be held", { skip }, async () => {
  await using outbox = await createOutbox();
  await outbox.add(1, 2, 3, 4, 5);
  await using source = openSource(postgresOutboxSource({ url: outbox.url, table: outbox.table, maxUnacknowledged: 2 }));
  const held = await source.take(2);
  assert.equal((await outbox.query("SELECT FROM outbox WHERE lease_owner IS NOT NULL")).length, 2);
  for (const { hold } of held) hold.done();
  for (const { hold } of await source.take(2)) hold.done();
  (await source.next()).hold.done();
});

test("postgresOutboxSource hands a row that cannot be read to onDeadLetter, and goes on", { skip }, async () => {
  await using outbox = await createOutbox();
  const { letters, remember } = deadLetters();
  await outbox.query(`INSERT INTO outbox (payload) VALUES ('{"__proto__": {"n": 1}}')`);
  await outbox.add(2);
  await using source = openSource(
    postgresOutboxSource({
      url: outbox.url,
      table: outbox.table,
      read({ payload }) {
        if (typeof payload !== "number") throw new Error("no number");
        return payload;
      },
      onDeadLetter: remember,
    }),
  );
  assert.equal(numberOf(await source.next()), 2);
  assert.deepEqual(
    letters.map(({ id, reason }) => [id, reason]),
    [["1", "its body cannot be read: no number"]],
  );
  await eventually("the dead letter is gone", async () => (await outbox.count()) === 1);
});

test("postgresOutboxSource hands a row that was claimed too often to onDeadLetter", { skip }, async () => {
  await using outbox = await createOutbox();
  const { letters, remember } = deadLetters();
  await outbox.add(1);
  await outbox.query("UPDATE outbox SET attempts = 3");
  await using source = openSource(
    postgresOutboxSource({
      url: outbox.url,
      table: outbox.table,
      maxDeliveries: 3,
      onDeadLetter: remember,
    }),
  );
  await eventually("the dead letter", () => letters.length === 1);
  await eventually("the row is gone", async () => (await outbox.count()) === 0);
  assert.equal(source.state.lastEventAt, undefined);
});

test("postgresOutboxSource asks its connection one thing after the other, however much there is to say", {
  skip,
}, async () => {
  await using outbox = await createOutbox();
  const numbers = Array.from({ length: 3_000 }, (_, index) => index);
  await outbox.add(...numbers);
  await using source = openSource(postgresOutboxSource<number>({ ...outbox, lease: "1s", maxUnacknowledged: 10_000 }));
  const held = await source.take(1_000);
  for (let taken = held.length; taken < numbers.length; taken += 1) (await source.next()).hold.done();
  // The lease is extended meanwhile.
  await systemClock.sleep("1s");
  for (const { hold } of held) hold.done();
  await eventually("all are done", async () => (await outbox.count()) === 0);
  assert.deepEqual(deprecations, []);
});

test("postgresOutboxSource fails at once when its connection is cut, and reads on when it is back", {
  skip,
}, async () => {
  await using outbox = await createOutbox();
  await using relay = await startTcpRelay({ targetPort: server?.port ?? 0 });
  const url = outbox.url.replace(`:${server?.port}/`, `:${relay.port}/`);
  await using source = openSource(postgresOutboxSource({ url, table: outbox.table, poll: "1h", lease: "1s" }));
  await outbox.add(1);
  const held = await source.next();
  relay.cut();
  const { lastError } = await source.failing();
  assert.match(lastError ?? "", /^Cannot read source postgres-/);
  assert.doesNotMatch(lastError ?? "", /farwatch:/, "the password shows");
  held.hold.done();
  const again = await source.next();
  assert.equal(numberOf(again), 1, "what could not be settled comes again");
  again.hold.done();
  await eventually("the row is gone", async () => (await outbox.count()) === 0);
});

test("postgresOutboxSource says which table there is not, and what its URL may be, without the password", {
  skip,
}, async () => {
  await using outbox = await createOutbox();
  await using source = openSource(postgresOutboxSource({ url: outbox.url, table: "nowhere" }));
  assert.equal(
    (await source.failing()).lastError,
    'Cannot read source postgres-nowhere from PostgreSQL: relation "nowhere" does not exist; make it with what postgresOutboxTable gives',
  );
  await using other = openSource(postgresOutboxSource({ name: "other", url: () => "me:s3cr3t@server/orders" }));
  const { lastError } = await other.failing();
  assert.equal(lastError, "Cannot open source other: its URL is none of PostgreSQL, postgres://…");
  assert.doesNotMatch(JSON.stringify(other.warnings), /s3cr3t/);
});

test("postgresOutboxSource reads a table that was dropped and made anew, and what it held of the old one settles nothing there", {
  skip,
}, async () => {
  await using outbox = await createOutbox();
  await using source = openSource(postgresOutboxSource({ ...outbox, poll: "100ms" }));
  await outbox.add(1, 2);
  const old = await source.take(2);
  await outbox.query("DROP TABLE outbox");
  await source.failing();
  const again = await outbox.connect();
  await again.query(postgresOutboxTable({ table: outbox.table }));
  await outbox.add(3, 4);
  const anew = await source.take(2);
  assert.deepEqual(anew.map(numberOf), [3, 4]);
  for (const { hold } of old) hold.done();
  anew[0]?.hold.done();
  await eventually("one is settled", async () => (await outbox.count()) === 1);
  anew[1]?.hold.done();
  await eventually("all are settled", async () => (await outbox.count()) === 0);
});

test("postgresOutboxSource fails on a server that takes no writes, says so, and reads on when it does", {
  skip,
}, async () => {
  await using outbox = await createOutbox();
  const reading = new URL(outbox.url);
  const writable = { now: false };
  const url = (): string => {
    if (!writable.now) reading.searchParams.set("options", "-c default_transaction_read_only=on");
    else reading.searchParams.delete("options");
    return reading.href;
  };
  await using source = openSource(postgresOutboxSource({ ...outbox, url }));
  assert.match((await source.failing()).lastError ?? "", /read-only transaction/);
  writable.now = true;
  await outbox.add(1);
  (await source.next()).hold.done();
  await eventually("it is settled", async () => (await outbox.count()) === 0);
});

test("postgresOutboxSource says which right its role lacks", { skip }, async () => {
  await using outbox = await createOutbox();
  await outbox.query("CREATE ROLE onlooker LOGIN PASSWORD 's3cr3t'");
  const url = outbox.url.replace(/farwatch:[^@]*@/, "onlooker:s3cr3t@");
  await using source = openSource(postgresOutboxSource({ name: "onlooker", url, table: outbox.table }));
  assert.match(
    (await source.failing()).lastError ?? "",
    /^Cannot read source onlooker from PostgreSQL: permission denied for .*; grant the role of the URL the right to it$/,
  );
  assert.doesNotMatch(JSON.stringify([source.warnings, source.state]), /s3cr3t/);
});

test("postgresOutboxSource asks for its URL at each opening, so that a changed password is found", {
  skip,
}, async () => {
  await using outbox = await createOutbox();
  await outbox.add(1);
  const right = new URL(outbox.url);
  const wrong = new URL(outbox.url);
  wrong.password = "an0ther-s3cret";
  const urls = [wrong, right];
  const url = async (): Promise<string> => (urls.shift() ?? right).href;
  await using source = openSource(postgresOutboxSource({ url, table: outbox.table }));
  const { lastError } = await source.failing();
  assert.match(lastError ?? "", /password authentication failed/);
  (await source.next()).hold.done();
  assert.deepEqual(urls, []);
  for (const { password } of [wrong, right]) assert.ok(!JSON.stringify(source.warnings).includes(password));
});

toleratesSilence({
  name: "postgresOutboxSource",
  skip,
  async create() {
    await using stack = new AsyncDisposableStack();
    const outbox = stack.use(await createOutbox());
    const relay = stack.use(await startTcpRelay({ targetPort: server?.port ?? 0 }));
    const url = outbox.url.replace(`:${server?.port}/`, `:${relay.port}/`);
    const owned = stack.move();
    return {
      source: postgresOutboxSource<number>({ url, table: outbox.table, poll: "1h" }),
      // Each connection of the server has a process of its own.
      server: { pause: () => relay.silence(), resume: () => relay.resume() },
      publish: (number) => outbox.add(number),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  },
  at: (port) => postgresOutboxSource<number>({ url: `postgres://postgres@127.0.0.1:${port}/postgres` }),
});
