import type { RedisServer } from "@farwatch/testing";
import { createClient } from "redis";

/** A stream of its own and a group. Each call has a connection of its own: servers are killed. */
export interface RedisQueue {
  readonly url: string;
  readonly stream: string;
  readonly group: string;
  /** Each number in the field `n`; resolves when the server has acknowledged all of them. */
  publish(numbers: readonly number[]): Promise<void>;
  ask(...command: readonly string[]): Promise<unknown>;
  /** Entries that were handed over and not acknowledged, by id: how often. */
  pending(): Promise<ReadonlyMap<string, number>>;
  /** Entries that the group has not seen the end of. */
  left(): Promise<number>;
  /** The readers of the group. */
  readers(): Promise<number>;
}

export async function askRedis(url: string, ...commands: readonly (readonly string[])[]): Promise<unknown[]> {
  const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false, connectTimeout: 2_000 } });
  client.on("error", () => {});
  await client.connect();
  try {
    return await Promise.all(commands.map((command) => client.sendCommand([...command])));
  } finally {
    if (client.isOpen) client.destroy();
  }
}

export function createRedisQueue(server: Pick<RedisServer, "url">, stream: string): RedisQueue {
  const { url } = server;
  const group = "farwatch";
  const ask = async (...command: readonly string[]): Promise<unknown> => (await askRedis(url, command))[0];
  const pending = async (): Promise<ReadonlyMap<string, number>> => {
    const rows = (await ask("XPENDING", stream, group, "-", "+", "10000")) as [string, string, number, number][];
    return new Map(rows.map(([id, , , deliveries]) => [id, deliveries]));
  };
  return {
    url,
    stream,
    group,
    ask,
    pending,
    async publish(numbers): Promise<void> {
      await askRedis(url, ...numbers.map((n) => ["XADD", stream, "*", "n", String(n)]));
    },
    async left(): Promise<number> {
      const [info] = (await ask("XINFO", "GROUPS", stream)) as (string | number | null)[][];
      const numberOf = (name: string): number => Number(info?.[info.indexOf(name) + 1]);
      return numberOf("pending") + numberOf("lag");
    },
    readers: async () => ((await ask("XINFO", "CONSUMERS", stream, group)) as unknown[]).length,
  };
}
