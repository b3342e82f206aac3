import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { type Instant, instantOf } from "../clock/instant.ts";
import { checkText } from "../error/given-text.ts";
import type { Source } from "../source/source.ts";
import { checkOptions } from "../source/source-options.ts";
import type { BrokerMessage } from "./broker-message.ts";
import { type BrokerSourceOptions, brokerSource } from "./broker-source.ts";
import { checkTls } from "./broker-tls.ts";
import { createHeldMessages } from "./held-messages.ts";
import { createRedisClaimTimes } from "./redis-claim-times.ts";
import { openRedis, type RedisServerAddress } from "./redis-connection.ts";
import { createRedisGroup, type RedisEntry, type RedisGroup, type RedisStreamPlace } from "./redis-group.ts";

/** An entry of a stream. */
export interface RedisStreamMessage {
  /** `<milliseconds>-<number>` */
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
  /** When it was added, by its id; undefined where the producer gave it an id that is no time. */
  readonly addedAt: Instant | undefined;
  /** How often it was handed over, this time included. */
  readonly deliveries: number;
}

export interface RedisStreamSourceOptions<T> extends BrokerSourceOptions, RedisServerAddress, RedisStreamPlace {
  /** What the event carries; a throw makes the message a dead letter. Default: its fields. */
  readonly read?: ((message: RedisStreamMessage) => T) | undefined;
  /**
   * How long a message stays with a process that died; default 30 s, at least 1 s. It is extended while the message is
   * held.
   */
  readonly claimAfter?: Duration | undefined;
  /**
   * What becomes of an entry that was worked on: it stays (default), or it goes, which takes it from other groups too.
   */
  readonly finished?: "keep" | "delete" | undefined;
}

const mostAtOnce = 100;
/** How long a read may wait: what was given back is claimed between two reads. */
const blockMs = 500;
/** Ids that are times are not from before 2001. */
const firstTimeMs = 1e12;

/**
 * Events from a stream of Redis, by a consumer group.
 *
 * - Delivery: at least once, in the order of the stream where nothing comes again. Several replicas may share a group.
 * - Durability: `origin`, as far as Redis keeps what it acknowledges: a message survives the end of the server with
 *   `appendonly yes` and `appendfsync always`, which a warning says when it is not so. With `everysec`, Redis' default
 *   once it appends, the last second may be lost, without appending all since the last snapshot; a fail-over to a
 *   replica may lose what it had not copied; and a stream that is trimmed (`MAXLEN`) loses what was not worked on.
 * - A message is acknowledged (XACK) when its event was worked on. Meanwhile its idle time is started over (XCLAIM
 *   JUSTID). One whose process died is claimed by another (XAUTOCLAIM) when it was idle for `claimAfter`.
 * - Overflow: `wait`. Back pressure: no more are read than may be held; the others wait in the stream.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`.
 * - Authentication: what the URL says, read again at each opening; `rediss://`, mutual TLS too. It needs XGROUP, XINFO,
 *   XREADGROUP, XAUTOCLAIM, XPENDING, XCLAIM and XACK on the stream; EVAL to take its readers out of the group.
 * - Abort: what is still held is claimed by the next replica when it was idle for `claimAfter`.
 *
 * A message that was handed over `maxDeliveries` times is a dead letter when it comes once more. What is given back
 * waits for `claimAfter` at the most. A lost connection is a failure of the source: it is opened again with backoff.
 * Needs the package redis, and Redis 7 or what speaks like it; no cluster, no sentinel.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`; its stream throws `MissingDependency`, `CredentialFailed`,
 * `ConnectionFailed` and, when the server refuses a command, `Forbidden`, `NotFound`, `InvalidConfig` or
 * `ServerUnavailable`.
 * @example
 * watch(
 *   redisStreamSource({ url: "redis://redis:6379", stream: "uploads", group: "storage" }),
 *   enqueueRequestsFromMapFunc(({ bucket = "" }) => [{ namespace: "default", name: bucket }]),
 * );
 */
export function redisStreamSource<T = Readonly<Record<string, string>>>(
  options: RedisStreamSourceOptions<T>,
): Source<T> {
  checkOptions("redis", options);
  const { stream, group, finished = "keep" } = options;
  // Without `read` T is the fields, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? (({ fields }: RedisStreamMessage): T => fields as T);
  const doing = "read from Redis";
  if (typeof options.url !== "function") {
    const give = "redis://HOST:6379, rediss://HOST:6379 or a function that gives it";
    const isRight = (url: string): boolean => /^rediss?:\/\//i.test(url) && URL.canParse(url);
    checkText(options.url, { doing, what: "url", give, isRight });
  }
  checkTls(options.tls, doing);
  for (const [what, name] of Object.entries({ stream, group })) checkText(name, { doing, what, give: "a name" });
  const claimAfterMs = givenMs(options.claimAfter ?? "30s", { doing, what: "claimAfter", least: "1s" });
  return brokerSource(options, {
    name: `redis-${stream}-${group}`,
    choices: { finished: { given: finished, of: ["keep", "delete"] } },
    async *events({ clock, health, signal, log }, holding) {
      await using connection = await openRedis({ ...options, source: holding.source, clock, signal });
      await using entries = createRedisGroup({ connection, stream, group, claimAfterMs, finished, log });
      await entries.begin();
      health.serving();
      await using held = createHeldMessages<T, BrokerMessage<T>>({
        ...holding,
        extend: { every: claimAfterMs / 3, run: (messages) => entries.extend(messages.map(({ id }) => id)) },
      });
      const times = createRedisClaimTimes(clock.elapsed());
      // A millisecond more than the server counts, so that nobody looks too soon.
      const given = (afterMs: number): void => times.givenBack(clock.elapsed() + Math.min(afterMs, claimAfterMs) + 1);
      const next = async (most: number): Promise<readonly RedisEntry[]> => {
        const nowMs = clock.elapsed();
        if (nowMs >= times.nextMs) {
          const claimed = await entries.claim(most);
          // Where there may be more of them, the next look is at once.
          if (claimed.length < most) times.looked(nowMs, nowMs + claimAfterMs / 3);
          if (claimed.length > 0) return claimed;
        }
        const leftMs = Math.ceil(times.nextMs - clock.elapsed());
        return await entries.read(most, Math.min(blockMs, Math.max(1, leftMs)));
      };
      yield* held.events(async (most) => {
        const found = await next(Math.min(most, mostAtOnce));
        return found.map((entry) => messageOfEntry(entry, { entries, read, given }));
      }, signal);
    },
  });
}

interface Settling<T> {
  readonly entries: RedisGroup;
  readonly read: (message: RedisStreamMessage) => T;
  /** Called when an entry was given back. */
  given(afterMs: number): void;
}

function messageOfEntry<T>(entry: RedisEntry, { entries, read, given }: Settling<T>): BrokerMessage<T> {
  const { id, fields, deliveries } = entry;
  const addedMs = Number(id.split("-")[0]);
  const addedAt = addedMs >= firstTimeMs ? instantOf(addedMs) : undefined;
  return {
    id,
    deliveries,
    occurredAt: addedAt,
    bytes: Object.entries(fields).reduce((sum, [name, value]) => sum + name.length + value.length, 0),
    raw: entry,
    read: () => read({ id, fields, addedAt, deliveries }),
    done: () => entries.finish(id),
    async retry(afterMs): Promise<void> {
      await entries.giveBack(id, afterMs);
      given(afterMs);
    },
  };
}
