import { createRequire } from "node:module";
import type { DatabaseSync } from "node:sqlite";
import { CodedError } from "farwatch";
import type { StoredObject } from "../registry/api-object.ts";
import type { Journal, StoreState } from "./store.ts";

const schemaVersion = 1;

/**
 * Keeps the newest state in an SQLite file; history is not kept, so that watches of before a restart are told to list anew.
 *
 * @throws CodedError `InvalidOption` when the file cannot be opened, or is something else.
 */
export function openSqliteJournal(file: string): Journal {
  const database = open(file);
  const put = database.prepare("INSERT OR REPLACE INTO object (resource, key, json) VALUES (?, ?, ?)");
  const drop = database.prepare("DELETE FROM object WHERE resource = ? AND key = ?");
  const setVersion = database.prepare("UPDATE meta SET version = ?");

  const atomically = (work: () => void): void => {
    database.exec("BEGIN IMMEDIATE");
    try {
      work();
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  };

  return {
    load(): StoreState {
      const meta = database.prepare("SELECT version FROM meta").get();
      const rows = database.prepare("SELECT resource, key, json FROM object ORDER BY resource, key").all();
      return {
        version: Number(meta?.version),
        objects: rows.map(({ resource, key, json }) => ({
          resource: String(resource),
          key: String(key),
          object: JSON.parse(String(json)) as StoredObject,
        })),
      };
    },
    record({ type, resource, key, object, version }): void {
      atomically(() => {
        if (type === "DELETED") drop.run(resource, key);
        else put.run(resource, key, JSON.stringify(object));
        setVersion.run(version);
      });
    },
    reset({ version, objects }): void {
      atomically(() => {
        database.exec("DELETE FROM object");
        for (const { resource, key, object } of objects) put.run(resource, key, JSON.stringify(object));
        setVersion.run(version);
      });
    },
    [Symbol.dispose](): void {
      database.close();
    },
  };
}

function open(file: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    // Loaded here and synchronously: most servers keep nothing, and those that do have nothing to serve before.
    const sqlite = createRequire(import.meta.url)("node:sqlite") as typeof import("node:sqlite");
    database = new sqlite.DatabaseSync(file);
    const found = Number(database.prepare("PRAGMA user_version").get()?.user_version);
    const tables = Number(database.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.count);
    if (found === 0 && tables > 0) throw new Error("it is a database of something else");
    if (found !== 0 && found !== schemaVersion) throw new Error(`its schema is of version ${found}`);
    // One server a file: held from here on, so that a second one is told so instead of splitting the state.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA user_version = ${schemaVersion};
      CREATE TABLE IF NOT EXISTS object (resource TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (resource, key)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS meta (version INTEGER NOT NULL);
      INSERT INTO meta (version) SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM meta);
    `);
    return database;
  } catch (error) {
    database?.close();
    const isTaken = error instanceof Error && /\block(?:ed)?\b/.test(error.message);
    const why = isTaken
      ? "another server has it open, end that one or give another file"
      : "give a file that can be written and was made by this server, or none";
    throw new CodedError("InvalidOption", `Cannot keep the server's state in ${file}: ${why}`, { cause: error });
  }
}
