import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import type { Clock } from "../clock/clock.ts";
import { type CodedError, messageOf } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { lateSignal } from "../flow/late-signal.ts";
import { loadPackage } from "../source/optional-package.ts";
import { brokerFailure } from "./broker-failure.ts";
import { socketTls } from "./broker-tls.ts";
import { freshSecret } from "./fresh-secret.ts";
import { checkAuth, type NatsAuth, type NatsServers } from "./nats-servers.ts";
import { createOwnSockets } from "./own-sockets.ts";

export interface NatsConnectionOptions extends NatsServers {
  readonly source: string;
  /** Packages that the source needs besides. */
  readonly alongside?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A connection that is not made again: whoever reads it opens a new one. */
export interface OpenNats extends AsyncDisposable {
  readonly connection: NatsConnection;
  /** A subject of our own for answers. */
  readonly inbox: string;
  /** Rejects with a CodedError `ConnectionFailed` when the connection is lost; never resolves. */
  readonly lost: Promise<never>;
  /**
   * Waits for what the server answers to. The client leaves that open for ever when the connection is closed meanwhile.
   *
   * @throws CodedError `ConnectionFailed` when the connection is lost; whatever `answer` rejects with.
   */
  answered<A>(answer: Promise<A>): Promise<A>;
  /** Closes it without a word to the server, which may be silent: then it is lost. */
  cut(): void;
  failed(state: string, cause?: unknown): CodedError;
}

const connectMs = 5_000;
const pingMs = 10_000;
const closeMs = 2_000;

/**
 * When the signal aborts, what was asked has 2 s to be answered, then the connection is cut.
 *
 * @throws CodedError `MissingDependency` without the package, `ConnectionFailed` when no server can be reached or lets
 * us in, `CredentialFailed` when `auth` or `tls` fails; the signal's reason when it aborts.
 */
export async function openNats(options: NatsConnectionOptions): Promise<OpenNats> {
  const { source, alongside, clock, signal } = options;
  const load = () => import("@nats-io/transport-node");
  const nats = await loadPackage({ source, name: "@nats-io/transport-node", alongside, clock, load });
  const { auth, tls, inboxPrefix } = options;
  const failed = (state: string, cause?: unknown): CodedError =>
    brokerFailure(state, { source, broker: "NATS", cause });

  const opening = { source, clock, signal };
  const given = await freshSecret(auth, { ...opening, what: "auth" });
  checkAuth(given, `open source ${source}`);
  const socket = tls === undefined ? undefined : await socketTls(tls, opening);
  const sockets = createOwnSockets();
  const connecting = sockets.during(() =>
    nats.connect({
      servers: typeof options.servers === "string" ? options.servers : [...options.servers],
      name: `farwatch ${source}`,
      timeout: connectMs,
      pingInterval: pingMs,
      maxPingOut: 2,
      reconnect: false,
      ...(inboxPrefix === undefined ? {} : { inboxPrefix }),
      ...authOptions(given, nats),
      ...(socket === undefined ? {} : { tls: socket }),
    }),
  );
  let connection: NatsConnection;
  try {
    connection = await abortable(clock.outside(connecting), signal);
  } catch (cause) {
    // The client cannot be told to stop connecting, and leaves a socket open on which the server has not spoken.
    sockets.destroy();
    connecting.then((opened) => opened.close()).catch(() => {});
    // The client's own words name no server.
    throw signal.aborted
      ? cause
      : failed(`no connection to ${[options.servers].flat().join(", ")}: ${messageOf(cause)}`, cause);
  }
  const over = new AbortController();
  const lost = connection.closed().then((error): never => {
    const reason = failed(error === undefined ? "the connection was closed" : messageOf(error), error);
    over.abort(reason);
    throw reason;
  });
  lost.catch(() => {});
  const cut = (): void => {
    connection.close().catch(() => {});
  };
  const overdue = lateSignal(signal, { clock, afterMs: closeMs });
  overdue.addEventListener("abort", cut, { once: true });
  return {
    connection,
    inbox: nats.createInbox(inboxPrefix),
    lost,
    answered: (answer) => clock.outside(abortable(answer, over.signal)),
    cut,
    failed,
    async [Symbol.asyncDispose](): Promise<void> {
      using _overdue = clock.schedule(closeMs, cut, { unref: true });
      // Drained: acknowledgements that are on their way still go out. A drain that is cut never ends by itself.
      await clock.outside(Promise.race([connection.drain().catch(() => connection.close()), connection.closed()]));
      overdue[Symbol.dispose]();
    },
  };
}

function authOptions(
  auth: NatsAuth | undefined,
  nats: typeof import("@nats-io/transport-node"),
): Partial<NodeConnectionOptions> {
  if (auth === undefined) return {};
  if ("token" in auth) return { token: auth.token };
  if ("user" in auth) return { user: auth.user, pass: auth.password };
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  if ("credentials" in auth) return { authenticator: nats.credsAuthenticator(bytes(auth.credentials)) };
  return { authenticator: nats.nkeyAuthenticator(bytes(auth.nkeySeed)) };
}
