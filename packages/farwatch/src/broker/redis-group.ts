import { hostname } from "node:os";
import type { Logger } from "../observe/logger.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { refusalWord } from "./redis-refusal.ts";

/** A stream and a group of it, in which each message goes to one reader. */
export interface RedisStreamPlace {
  /** The key of the stream; it is made when it is not there. */
  readonly stream: string;
  /** It is made when it is not there; then it begins with the first message of the stream. */
  readonly group: string;
}

/** An entry of the stream, handed over to this reader. */
export interface RedisEntry {
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly deliveries: number;
}

export interface RedisGroupOptions extends RedisStreamPlace {
  readonly connection: RedisConnection;
  readonly claimAfterMs: number;
  readonly finished: "keep" | "delete";
  readonly log: Logger;
}

/** This opening's place in a group. On disposal it leaves it, when nothing is left with it. */
export interface RedisGroup extends AsyncDisposable {
  /** Makes stream and group, and warns of what falls short of the source's promises. */
  begin(): Promise<void>;
  /** Entries that a reader has not touched for `claimAfterMs`, or that were given back. */
  claim(most: number): Promise<readonly RedisEntry[]>;
  /** Entries that no reader had; waits `blockMs` for one. */
  read(most: number, blockMs: number): Promise<readonly RedisEntry[]>;
  extend(ids: readonly string[]): Promise<void>;
  finish(id: string): Promise<void>;
  /** It can be claimed after `afterMs`, at the latest after `claimAfterMs`: Redis knows no time to come. */
  giveBack(id: string, afterMs: number): Promise<void>;
}

const prefix = "farwatch";
/** Readers that are gone, with nothing left to them, are taken out of the group. */
const forgetMs = 24 * 60 * 60 * 1_000;
/** Entries that one command names: others wait for it meanwhile. */
const mostAtOnce = 1_000;
/** A reader that goes must leave nothing behind: with it would go what it has not acknowledged. */
const removeIdle = `if #redis.call("XPENDING", KEYS[1], ARGV[1], "-", "+", 1, ARGV[2]) > 0 then return 0 end
redis.call("XGROUP", "DELCONSUMER", KEYS[1], ARGV[1], ARGV[2])
return 1`;

export function createRedisGroup(options: RedisGroupOptions): RedisGroup {
  const { connection, stream, group, claimAfterMs, finished, log } = options;
  const { ask } = connection;
  const reader = `${prefix}-${hostname()}-${crypto.randomUUID()}`;

  const remove = async (name: string): Promise<void> => {
    try {
      await ask("EVAL", removeIdle, "1", stream, group, name);
    } catch (error) {
      log.debug("Cannot take a reader out of its group", { reader: name, error });
    }
  };

  const forgetReaders = async (): Promise<void> => {
    for (const info of rows(await ask("XINFO", "CONSUMERS", stream, group))) {
      const { name = "", pending, idle } = record(info);
      if (name.startsWith(`${prefix}-`) && Number(pending) === 0 && Number(idle) > forgetMs) await remove(name);
    }
  };

  const warnOfDurability = async (): Promise<void> => {
    let settings: Readonly<Record<string, string>>;
    try {
      settings = record(await ask("CONFIG", "GET", "append*"));
    } catch (error) {
      // Many who offer Redis as a service keep CONFIG to themselves.
      log.debug("Cannot see whether Redis keeps what it acknowledges", { error });
      return;
    }
    const { appendonly, appendfsync } = settings;
    if (appendonly === "yes" && appendfsync === "always") return;
    log.warn("Redis may lose messages that it has acknowledged: that takes appendonly yes and appendfsync always", {
      appendonly,
      appendfsync,
    });
  };

  const isThere = async (): Promise<boolean> => {
    try {
      return rows(await ask("XINFO", "GROUPS", stream)).some((info) => record(info).name === group);
    } catch {
      return false;
    }
  };

  /** How often each entry of ours was handed over, by its id. */
  const deliveriesOf = async (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const pending = await Promise.all(
      ids.map(async (id) => rows(await ask("XPENDING", stream, group, id, id, "1", reader))),
    );
    return new Map(pending.flat().map((row) => [String(rows(row)[0]), Number(rows(row)[3])]));
  };

  return {
    async begin(): Promise<void> {
      try {
        await ask("XGROUP", "CREATE", stream, group, "0", "MKSTREAM");
      } catch (error) {
        const word = refusalWord(error);
        // Out of memory Redis makes nothing and does not look what is there, but what is there can be read, which may
        // make room.
        if (word !== "BUSYGROUP" && !(word === "OOM" && (await isThere()))) throw error;
      }
      await forgetReaders();
      await warnOfDurability();
    },
    async claim(most): Promise<readonly RedisEntry[]> {
      const entries: Omit<RedisEntry, "deliveries">[] = [];
      for (let start = "0-0"; ; ) {
        const count = String(most - entries.length);
        const command = ["XAUTOCLAIM", stream, group, reader, String(claimAfterMs), start, "COUNT", count];
        const [next, claimed, gone] = rows(await ask(...command));
        entries.push(...rows(claimed).flatMap(entryOf));
        if (rows(gone).length > 0) {
          log.error("Messages were deleted or trimmed before they were worked on", { ids: rows(gone) });
        }
        start = String(next);
        if (start === "0-0" || entries.length >= most) break;
      }
      const deliveries = await deliveriesOf(entries.map(({ id }) => id));
      return entries.map((entry) => ({ ...entry, deliveries: deliveries.get(entry.id) ?? 1 }));
    },
    async read(most, blockMs): Promise<readonly RedisEntry[]> {
      const command = ["XREADGROUP", "GROUP", group, reader, "COUNT", String(most), "BLOCK", String(blockMs)];
      const [ofStream] = rows(await connection.wait(blockMs, ...command, "STREAMS", stream, ">"));
      return rows(rows(ofStream)[1])
        .flatMap(entryOf)
        .map((entry) => ({ ...entry, deliveries: 1 }));
    },
    async extend(ids): Promise<void> {
      for (let from = 0; from < ids.length; from += mostAtOnce) {
        await ask("XCLAIM", stream, group, reader, "0", ...ids.slice(from, from + mostAtOnce), "JUSTID");
      }
    },
    async finish(id): Promise<void> {
      await ask("XACK", stream, group, id);
      if (finished === "delete") await ask("XDEL", stream, id);
    },
    async giveBack(id, afterMs): Promise<void> {
      const idleMs = Math.max(0, claimAfterMs - Math.ceil(afterMs));
      await ask("XCLAIM", stream, group, reader, "0", id, "IDLE", String(idleMs), "JUSTID");
    },
    [Symbol.asyncDispose]: () => remove(reader),
  };
}

function rows(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}

/** Names and values in turn. */
function record(reply: unknown): Readonly<Record<string, string>> {
  const parts = rows(reply).map(String);
  const pairs = Array.from({ length: parts.length / 2 }, (_, n) => [parts[2 * n], parts[2 * n + 1]] as const);
  return Object.assign(Object.create(null), Object.fromEntries(pairs));
}

/** Nothing for an entry that is gone from the stream. */
function entryOf(reply: unknown): readonly Omit<RedisEntry, "deliveries">[] {
  const [id, fields] = rows(reply);
  return typeof id === "string" ? [{ id, fields: record(fields) }] : [];
}
