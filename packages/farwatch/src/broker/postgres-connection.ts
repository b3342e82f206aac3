import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { lateSignal } from "../flow/late-signal.ts";
import { loadPackage } from "../source/optional-package.ts";
import { brokerFailure } from "./broker-failure.ts";
import { freshSecret } from "./fresh-secret.ts";
import { quoteName } from "./postgres-name.ts";
import { postgresRefusal } from "./postgres-refusal.ts";
import { isPostgresUrl, type PostgresUrl } from "./postgres-url.ts";

export interface PostgresConnectionOptions {
  readonly source: string;
  readonly url: PostgresUrl | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called once, when the connection ends and nobody closed it. */
  onLost(error: CodedError): void;
  onNotification?(payload: string): void;
}

/** One connection: what it is asked follows one another, and notifications come in between. */
export interface PostgresConnection extends AsyncDisposable {
  /**
   * @throws CodedError `ConnectionFailed` once the connection is lost; `Forbidden`, `NotFound`, `InvalidConfig` or
   * `ServerUnavailable`, with the server's own words, when it refuses the statement.
   */
  query<R extends object>(text: string, values?: readonly unknown[]): Promise<readonly R[]>;
  listen(channel: string): Promise<void>;
  /** @throws CodedError `ConnectionFailed` when the connection is lost. */
  check(): void;
}

const connectMs = 10_000;
/** A server that does not answer for so long is as good as gone. */
const queryMs = 30_000;
/** How often a server is asked whether it is there: who only listens would not notice that it is not. */
const askEveryMs = 10_000;
const closeMs = 2_000;

/**
 * Connects. When the signal aborts, what was asked has 2 s to be answered, then the socket is closed.
 *
 * @throws CodedError `MissingDependency` without the package pg, `InvalidOption` for a URL that is none,
 * `ConnectionFailed` when the server cannot be reached or refuses, `CredentialFailed` when the function that gives the
 * URL fails; the signal's reason when it aborts.
 */
export async function openPostgres(options: PostgresConnectionOptions): Promise<PostgresConnection> {
  const { source, clock, signal } = options;
  const { default: pg } = await loadPackage({ source, name: "pg", clock, load: () => import("pg") });
  const connectionString = await freshSecret<string | undefined>(options.url, { source, what: "url", clock, signal });
  const client = createClient();
  let lost: CodedError | undefined;
  let closing = false;

  function createClient(): InstanceType<typeof pg.Client> {
    // Why the client refuses it would repeat the text, and its password.
    const refused = new CodedError(
      "InvalidOption",
      `Cannot open source ${source}: its URL is none of PostgreSQL, postgres://…`,
    );
    if (connectionString !== undefined && !isPostgresUrl(connectionString)) throw refused;
    try {
      return new pg.Client({
        ...(connectionString === undefined ? {} : { connectionString }),
        application_name: `farwatch ${source}`.slice(0, 63),
        connectionTimeoutMillis: connectMs,
        query_timeout: queryMs,
        keepAlive: true,
      });
    } catch {
      throw refused;
    }
  }

  const lose = (cause?: unknown): void => {
    if (lost !== undefined || closing) return;
    lost = failed(cause === undefined ? "the server closed the connection" : messageOf(cause), cause);
    options.onLost(lost);
  };
  const failed = (state: string, cause?: unknown): CodedError =>
    brokerFailure(state, { source, broker: "PostgreSQL", cause });
  // Both stay: an error without a listener would end the process, also when it comes late.
  client.on("error", lose);
  client.on("end", () => lose());
  client.on("notification", ({ payload = "" }) => options.onNotification?.(payload));

  const closeSocket = (): void => (client as unknown as WithSocket).connection.stream.destroy();
  const close = async (): Promise<void> => {
    closing = true;
    using _overdue = clock.schedule(closeMs, closeSocket, { unref: true });
    await clock.outside(client.end().catch(() => {}));
  };

  try {
    await abortable(clock.outside(client.connect()), signal);
  } catch (cause) {
    await close();
    if (signal.aborted) throw cause;
    throw failed(messageOf(cause), cause);
  }
  const overdue = lateSignal(signal, { clock, afterMs: closeMs });
  overdue.addEventListener("abort", closeSocket, { once: true });

  const check = (): void => {
    if (lost !== undefined) throw lost;
  };
  const ask = async <R extends object>(text: string, values: readonly unknown[]): Promise<readonly R[]> => {
    check();
    try {
      const { rows } = await clock.outside(client.query<R>(text, [...values]));
      return rows;
    } catch (error) {
      // What is no answer of the server, or its last one, is the end of the connection.
      const { severity } = error as { readonly severity?: unknown };
      if (severity === undefined || severity === "FATAL") lose(error);
      check();
      throw postgresRefusal(source, error);
    }
  };
  /** What was asked last has its answer. The client would queue too, but no more from its next version on. */
  let answered: Promise<unknown> = Promise.resolve();
  const query = <R extends object>(text: string, values: readonly unknown[] = []): Promise<readonly R[]> => {
    const answer = answered.then(() => ask<R>(text, values));
    answered = answer.catch(() => {});
    return answer;
  };
  let asking: Disposable | undefined;
  const askLater = (): void => {
    asking = clock.schedule(
      askEveryMs,
      () => {
        // What fails is the end of the connection, of which `onLost` is told.
        query("SELECT 1").then(askLater, () => {});
      },
      { unref: true },
    );
  };
  askLater();
  return {
    query,
    check,
    async listen(channel): Promise<void> {
      await query(`LISTEN ${quoteName(channel, "channel")}`);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      asking?.[Symbol.dispose]();
      await close();
      overdue[Symbol.dispose]();
    },
  };
}

/** What pg's client has and its types do not tell of. */
interface WithSocket {
  readonly connection: { readonly stream: { destroy(): void } };
}
