import type { RedisClientOptions } from "redis";
import type { Clock } from "../clock/clock.ts";
import { CodedError, isCodedError, messageOf } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { lateSignal } from "../flow/late-signal.ts";
import { loadPackage } from "../source/optional-package.ts";
import { brokerFailure } from "./broker-failure.ts";
import { type BrokerTls, socketTls } from "./broker-tls.ts";
import { type FreshSecret, freshSecret } from "./fresh-secret.ts";
import { redisRefusal } from "./redis-refusal.ts";

export interface RedisServerAddress {
  /** `redis://user:password@host:6379/0`, or `rediss://…` for TLS. */
  readonly url: FreshSecret<string>;
  readonly tls?: FreshSecret<BrokerTls> | undefined;
}

export interface RedisConnectionOptions extends RedisServerAddress {
  readonly source: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Two connections, since a command that waits holds up all that follow it. Neither is made again. */
export interface RedisConnection extends AsyncDisposable {
  /**
   * @throws CodedError `ConnectionFailed` when the connection is lost or silent; `Forbidden`, `NotFound`,
   * `InvalidConfig` or `ServerUnavailable`, with the server's own words, when it refuses the command.
   */
  ask(...command: readonly string[]): Promise<unknown>;
  /**
   * The same for a command that answers after `blockMs` at the latest. Time goes on meanwhile, until the signal aborts.
   */
  wait(blockMs: number, ...command: readonly string[]): Promise<unknown>;
}

const connectMs = 5_000;
/** A server that does not answer for so long is as good as gone. */
const answerMs = 10_000;
const closeMs = 2_000;

/**
 * When the signal aborts, what was asked has 2 s to be answered, then the connections are cut.
 *
 * @throws CodedError `MissingDependency` without the package redis, `InvalidOption` for a URL that is none,
 * `ConnectionFailed` when the server cannot be reached or refuses, `CredentialFailed` when a function that gives the
 * URL or `tls` fails; the signal's reason when it aborts.
 */
export async function openRedis(options: RedisConnectionOptions): Promise<RedisConnection> {
  const { source, clock, signal, url, tls } = options;
  const { createClient, ErrorReply } = await loadPackage({ source, name: "redis", clock, load: () => import("redis") });
  const failed = (state: string, cause?: unknown): CodedError =>
    brokerFailure(state, { source, broker: "Redis", cause });
  const given = await freshSecret(url, { source, what: "url", clock, signal });
  const socket = {
    reconnectStrategy: false,
    connectTimeout: connectMs,
    ...(tls === undefined ? {} : { tls: true, ...(await socketTls(tls, { source, clock, signal })) }),
  };
  const settings = {
    url: given,
    RESP: 2,
    disableOfflineQueue: true,
    socket: socket as NonNullable<RedisClientOptions["socket"]>,
  } as const;

  const connected = new Set<() => void>();
  /** Whoever waits for an answer is told so at once. */
  const cut = (): void => {
    for (const end of connected) end();
  };
  const connect = async () => {
    let client: ReturnType<typeof createOne>;
    try {
      client = createOne();
    } catch {
      // The reason would repeat the text, and its password.
      throw new CodedError("InvalidOption", `Cannot open source ${source}: its URL is none of Redis, redis://…`);
    }
    // An error without a listener would end the process; whoever waits for an answer is told of it as well.
    client.on("error", () => {});
    const end = (): void => {
      if (client.isOpen) client.destroy();
    };
    try {
      // The client's own deadline ends with the socket's connection, before the server has said anything.
      using deadline = clock.timeout(connectMs, signal);
      await clock.outside(abortable(client.connect(), deadline));
    } catch (cause) {
      // A socket that is being connected cannot be called off: it is closed when it is there.
      client.once("connect", () => client.destroy());
      end();
      if (signal.aborted) throw cause;
      throw failed(isCodedError(cause, "Timeout") ? "the server does not answer" : messageOf(cause), cause);
    }
    const call = async (withinMs: number, command: readonly string[]): Promise<unknown> => {
      const overdue = Promise.withResolvers<never>();
      const onOverdue = (): void => {
        overdue.reject(failed("the server does not answer"));
        cut();
      };
      using _overdue = clock.schedule(withinMs, onOverdue, { unref: true });
      try {
        return await Promise.race([client.sendCommand([...command]), overdue.promise]);
      } catch (error) {
        if (error instanceof CodedError) throw error;
        if (error instanceof ErrorReply) throw redisRefusal(source, error);
        throw failed(messageOf(error), error);
      }
    };
    connected.add(end);
    // For CLIENT LIST; not every user may give himself a name.
    const name = `farwatch-${source.replaceAll(/[^\w.-]/g, "-")}`;
    await clock.outside(call(answerMs, ["CLIENT", "SETNAME", name]).catch(() => {}));
    return { call };
  };
  const createOne = () => createClient(settings);

  const overdue = lateSignal(signal, { clock, afterMs: closeMs });
  overdue.addEventListener("abort", cut, { once: true });
  const close = (): void => {
    overdue[Symbol.dispose]();
    cut();
  };
  const connectBoth = async () => {
    try {
      return { asking: await connect(), waiting: await connect() };
    } catch (error) {
      close();
      throw error;
    }
  };
  const { asking, waiting } = await connectBoth();
  return {
    ask: (...command) => clock.outside(asking.call(answerMs, command)),
    async wait(blockMs, ...command): Promise<unknown> {
      const reply = waiting.call(blockMs + answerMs, command);
      // Nobody calls it off: whoever closes the source waits for it.
      const onAbort = (): void => {
        clock.outside(reply).catch(() => {});
      };
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        return await reply;
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      close();
    },
  };
}
