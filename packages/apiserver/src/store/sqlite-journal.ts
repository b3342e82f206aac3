import { createRequire } from "node:module";
import type { DatabaseSync } from "node:sqlite";
import { CodedError } from "farwatch";
import { readJson } from "../failure/read-json.ts";
import type { StoredObject } from "../registry/api-object.ts";
import type { Journal, StoreState } from "./store.ts";
import { checkState, StateProblem } from "./store-state.ts";

const schemaVersion = 1;

/**
 * Keeps the newest state in an SQLite file; history is not kept, so that watches of before a restart are told to list
 * anew.
 *
 * @throws CodedError `InvalidOption` when the file cannot be opened, or is something else; `load` when it is damaged.
 * `Internal` from `record` and `reset` when nothing can be written, as on a full disk; then nothing has been.
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
      // On a full disk and the like SQLite has done that itself.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw isSqliteError(error) ? unwritten(file, error) : error;
    }
  };

  return {
    load(): StoreState {
      try {
        return read(database);
      } catch (error) {
        if (isSqliteError(error) || error instanceof StateProblem) throw unusable(file, damaged(error), error);
        throw error;
      }
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

function read(database: DatabaseSync): StoreState {
  const meta = database.prepare("SELECT version FROM meta").get();
  const rows = database.prepare("SELECT resource, key, json FROM object ORDER BY resource, key").all();
  const state = {
    version: Number(meta?.version),
    objects: rows.map(({ resource, key, json }) => ({
      resource: String(resource),
      key: String(key),
      object: objectOf(json, `${resource} ${key}`),
    })),
  };
  checkState(state);
  return state;
}

function objectOf(json: unknown, where: string): StoredObject {
  if (typeof json !== "string") throw new StateProblem(`its row of ${where} is no text`);
  return readJson(json, (why) => new StateProblem(`its row of ${where} is no JSON, ${why}`)) as StoredObject;
}

function isSqliteError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}

function unusable(file: string, why: string, cause: unknown): CodedError {
  return new CodedError("InvalidOption", `Cannot keep the server's state in ${file}: ${why}`, { cause });
}

function damaged({ message }: Error): string {
  return `it is damaged, ${message}; put back a copy of it, or give another file to begin anew`;
}

function unwritten(file: string, cause: Error): CodedError {
  const why = `${cause.message}; nothing was changed, make room or give a file that can be written`;
  return new CodedError("Internal", `Cannot write the server's state to ${file}: ${why}`, { cause });
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
    throw unusable(file, whyNot(error), error);
  }
}

function whyNot(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  if (/\block(?:ed)?\b/.test(message)) return "another server has it open, end that one or give another file";
  if (/malformed|disk image/.test(message)) return damaged(error as Error);
  return "give a file that can be written and was made by this server, or none";
}
