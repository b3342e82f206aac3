import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { createStore } from "./create-store.ts";
import { configMapDraft, configMaps, keyOf, told } from "./draft.fixture.ts";
import { openSqliteJournal } from "./sqlite-journal.ts";

const folder = mkdtempSync(join(tmpdir(), "farwatch-journal-"));
after(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string): string => join(folder, `${name}.db`);

/** A program of its own with a `store` whose journal is this file. */
function programOn(file: string, work: string): readonly string[] {
  const modules = ["create-store", "sqlite-journal", "draft.fixture"].map((name) =>
    import.meta.resolve(`./${name}.ts`),
  );
  const program = `
    const [{ createStore }, { openSqliteJournal }, { configMapDraft, configMaps, keyOf }] =
      await Promise.all(${JSON.stringify(modules)}.map((module) => import(module)));
    using store = createStore({ journal: openSqliteJournal(${JSON.stringify(file)}) });
    ${work}
  `;
  // Without the guard that test files run under, which prints.
  const conditions = process.execArgv.filter((arg) => arg.startsWith("--conditions"));
  return [...conditions, "--no-warnings", "--input-type=module", "-e", program];
}

test("SQLite journal keeps the newest state from one store to the next", () => {
  const journal = (): ReturnType<typeof openSqliteJournal> => openSqliteJournal(fileOf("state"));
  {
    using store = createStore({ journal: journal() });
    assert.deepEqual([store.version, store.count(configMaps)], [1, 0]);
    for (const name of ["b", "a", "c"]) store.create(configMaps, keyOf(name), configMapDraft(name, 1));
    store.replace(configMaps, keyOf("a"), configMapDraft("a", 2));
    store.remove(configMaps, keyOf("b"));
  }
  {
    using store = createStore({ journal: journal() });
    assert.deepEqual(told(store.list(configMaps)), ["a=2@5", "c=1@4"]);
    assert.deepEqual([store.version, store.compacted], [6, 6], "a version is not given twice");
    store.restore({ version: 2, objects: [] });
    store.create(configMaps, keyOf("d"), configMapDraft("d"));
  }
  using store = createStore({ journal: journal() });
  assert.deepEqual(told(store.list(configMaps)), ["d=@3"]);
});

test("SQLite journal keeps every text as it is", () => {
  const value = "häß ☃ 𝄞 \u0000 \ud800 ' \" __proto__";
  {
    using store = createStore({ journal: openSqliteJournal(fileOf("texts")) });
    store.create(configMaps, keyOf("__proto__"), configMapDraft("__proto__", value));
  }
  using store = createStore({ journal: openSqliteJournal(fileOf("texts")) });
  assert.deepEqual(told(store.list(configMaps)), [`__proto__=${value}@2`]);
});

test("SQLite journal refuses a file that is none, of a later schema, of something else, or in no folder", () => {
  writeFileSync(fileOf("text"), "this is no database, and long enough to be taken for one by nobody at all");
  const later = new DatabaseSync(fileOf("later"));
  later.exec("PRAGMA user_version = 99");
  later.close();
  const other = new DatabaseSync(fileOf("other"));
  other.exec("CREATE TABLE object (something TEXT)");
  other.close();
  const alike = new DatabaseSync(fileOf("alike"));
  alike.exec("PRAGMA user_version = 1; CREATE TABLE meta (age TEXT); CREATE TABLE object (something TEXT)");
  alike.close();
  for (const file of [
    fileOf("text"),
    fileOf("later"),
    fileOf("other"),
    fileOf("alike"),
    join(folder, "nowhere", "state.db"),
  ]) {
    assert.throws(() => openSqliteJournal(file), {
      code: "InvalidOption",
      message: `Cannot keep the server's state in ${file}: give a file that can be written and was made by this server, or none`,
    });
  }
});

test("SQLite journal holds whole changes only when the process is killed between them", () => {
  // Dies in the middle of a stream of writes, with neither dispose nor exit handlers.
  const args = programOn(
    fileOf("killed"),
    `for (let index = 0; ; index += 1) {
      store.create(configMaps, keyOf("a" + index), configMapDraft("a" + index, index));
      if (index === 50) process.kill(process.pid, "SIGKILL");
    }`,
  );
  assert.throws(() => execFileSync(process.execPath, args, { stdio: "pipe" }), { signal: "SIGKILL" });
  using store = createStore({ journal: openSqliteJournal(fileOf("killed")) });
  assert.equal(store.count(configMaps), store.version - 1);
  assert.ok(store.count(configMaps) >= 50);
});

test("SQLite journal takes no change of which it cannot write a part", () => {
  const journal = openSqliteJournal(fileOf("refused"));
  using store = createStore({ journal });
  store.create(configMaps, keyOf("a"), configMapDraft("a", 1));
  const circular = configMapDraft("a", 2);
  circular.data = circular;
  assert.throws(() => store.replace(configMaps, keyOf("a"), circular), TypeError);
  assert.deepEqual(told(store.list(configMaps)), ["a=1@2"]);
  assert.equal(journal.load().version, 2);
  store.create(configMaps, keyOf("b"), configMapDraft("b", 1));
  assert.equal(journal.load().objects.length, 2, "the journal goes on");
});

test("SQLite journal says which file is damaged, how, and what to do", () => {
  const damage = (name: string, sql: string): string => {
    const file = fileOf(name);
    {
      using store = createStore({ journal: openSqliteJournal(file) });
      store.create(configMaps, keyOf("a"), configMapDraft("a", 1));
    }
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    try {
      createStore({ journal: openSqliteJournal(file) });
    } catch (error) {
      new DatabaseSync(file).exec("DROP TABLE meta");
      const { code, message } = error as { readonly code: string; readonly message: string };
      const [start, end] = [
        `Cannot keep the server's state in ${file}: it is damaged, `,
        "; put back a copy of it, or give another file to begin anew",
      ];
      assert.equal(code, "InvalidOption");
      assert.ok(message.startsWith(start) && message.endsWith(end), message);
      return message.slice(start.length, -end.length);
    }
    return assert.fail(`${name} was read`);
  };
  assert.equal(
    damage("cut", "UPDATE object SET json = substr(json, 1, 9)"),
    "its row of /configmaps n/a is no JSON, unexpected end of JSON input",
  );
  assert.equal(
    damage("null", "UPDATE object SET json = 'null'"),
    "objects[0], /configmaps n/a, holds no Kubernetes object",
  );
  assert.equal(damage("blob", "UPDATE object SET json = x'00ff'"), "its row of /configmaps n/a is no text");
  assert.equal(
    damage("moved", "UPDATE object SET key = 'n/b'"),
    "objects[0], /configmaps n/b, holds an object of the key n/a",
  );
  assert.match(
    damage("old", "UPDATE meta SET version = 1"),
    /has the version 2, which must be a whole number up to 1$/,
  );
  assert.match(damage("version", "UPDATE meta SET version = 'x'"), /^its version is NaN, which must be a whole number/);
});

test("SQLite journal tells why it cannot write when the disk is full, and goes on afterwards", () => {
  const args = programOn(
    fileOf("full"),
    `store.create(configMaps, keyOf("small"), configMapDraft("small"));
    try {
      store.create(configMaps, keyOf("large"), configMapDraft("large", "x".repeat(2_000_000)));
    } catch ({ code, message }) {
      store.create(configMaps, keyOf("next"), configMapDraft("next"));
      console.log(JSON.stringify({ code, message, version: store.version, count: store.count(configMaps) }));
    }`,
  );
  // A file may have 512 KiB in there, which is what a full disk looks like.
  const limited = ["-c", 'ulimit -f 1024 && exec "$0" "$@"', process.execPath, ...args];
  const { code, message, ...rest } = JSON.parse(execFileSync("sh", limited, { encoding: "utf8" }));
  assert.equal(code, "Internal");
  assert.match(
    message,
    /^Cannot write the server's state to .*full\.db: .*(?:full|I\/O).*; nothing was changed, make room or/,
  );
  assert.deepEqual(rest, { version: 3, count: 2 });
  using store = createStore({ journal: openSqliteJournal(fileOf("full")) });
  assert.deepEqual(told(store.list(configMaps)), ["next=@3", "small=@2"]);
});
