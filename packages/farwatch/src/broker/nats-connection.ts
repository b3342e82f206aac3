import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { redactText } from "../observe/redact.ts";
import { loadPackage } from "../source/optional-package.ts";
import { socketTls } from "./broker-tls.ts";
import { freshSecret } from "./fresh-secret.ts";
import type { NatsAuth, NatsServers } from "./nats-servers.ts";

export interface NatsConnectionOptions extends NatsServers {
  readonly source: string;
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
  failed(state: string, cause?: unknown): CodedError;
}

const connectMs = 5_000;
const pingMs = 10_000;
const closeMs = 2_000;

/**
 * @throws CodedError `MissingDependency` without the package, `ConnectionFailed` when no server can be reached or lets us in,
 * `CredentialFailed` when `auth` fails; the signal's reason when it aborts.
 */
export async function openNats(options: NatsConnectionOptions): Promise<OpenNats> {
  const { source, clock, signal } = options;
  const load = () => import("@nats-io/transport-node");
  const nats = await loadPackage({ source, name: "@nats-io/transport-node", clock, load });
  const { auth, tls, inboxPrefix } = options;
  const failed = (state: string, cause?: unknown): CodedError =>
    new CodedError("ConnectionFailed", `Cannot read source ${source} from NATS: ${redactText(state)}`, { cause });

  const given = await freshSecret(auth, { source, what: "auth", clock, signal });
  const connecting = nats.connect({
    servers: typeof options.servers === "string" ? options.servers : [...options.servers],
    name: `farwatch ${source}`,
    timeout: connectMs,
    pingInterval: pingMs,
    maxPingOut: 2,
    reconnect: false,
    ...(inboxPrefix === undefined ? {} : { inboxPrefix }),
    ...authOptions(given, nats),
    ...(tls === undefined ? {} : { tls: socketTls(tls) }),
  });
  let connection: NatsConnection;
  try {
    connection = await abortable(clock.outside(connecting), signal);
  } catch (cause) {
    if (!signal.aborted) throw failed(messageOf(cause), cause);
    // A connection that is being made cannot be called off: it is closed when it is there.
    await clock.outside(connecting.then((late) => late.close()).catch(() => {}));
    throw cause;
  }
  const lost = connection.closed().then((error): never => {
    throw failed(error === undefined ? "the connection was closed" : messageOf(error), error);
  });
  lost.catch(() => {});
  return {
    connection,
    inbox: nats.createInbox(inboxPrefix),
    lost,
    failed,
    async [Symbol.asyncDispose](): Promise<void> {
      using _overdue = clock.schedule(closeMs, () => connection.close().catch(() => {}), { unref: true });
      // Drained: acknowledgements that are on their way still go out.
      await clock.outside(connection.drain().catch(() => connection.close()));
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
