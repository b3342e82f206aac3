import { randomUUID } from "node:crypto";
import {
  type Clock,
  type ClusterConfig,
  CodedError,
  createHttpTransport,
  type Random,
  seededRandom,
  staticConfig,
  systemClock,
  systemRandom,
  type Transport,
} from "farwatch";
import { createAdmission } from "../admit/create-admission.ts";
import { guardRoles } from "../admit/guard-roles.ts";
import { createWebhookPost } from "../admit/webhook/webhook-post.ts";
import { createAuthenticator, type StaticToken } from "../authorize/authenticate.ts";
import { createRbac, rbacRevision } from "../authorize/rbac.ts";
import { createReviews } from "../authorize/reviews.ts";
import { createServiceAccountTokens } from "../authorize/service-account-token.ts";
import { createTokenRequest } from "../authorize/token-request.ts";
import { createClusterAccess } from "../collect/create-cluster-access.ts";
import { startControllers } from "../collect/start-controllers.ts";
import { builtInKinds } from "../registry/built-in-kinds.ts";
import { createRegistry } from "../registry/registry.ts";
import { createHandler } from "../route/handler.ts";
import { createStore } from "../store/create-store.ts";
import { openSqliteJournal } from "../store/sqlite-journal.ts";
import type { StoreState } from "../store/store.ts";
import { createObjectReader } from "../store/store-reader.ts";
import { createCodec } from "../verb/codec.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { createWebhookConversion } from "../verb/webhook-conversion.ts";
import { bootstrap } from "./bootstrap.ts";
import { watchDefinitions } from "./definition-watch.ts";
import { createInProcessTransport } from "./in-process-transport.ts";
import { type Listening, type ListenOptions, listen } from "./listen.ts";

/** Somebody who may ask, by a bearer token. */
export interface ApiServerUser {
  readonly name: string;
  /** Default: the name. */
  readonly uid?: string | undefined;
  /** `system:authenticated` comes by itself; `system:masters` may do everything. */
  readonly groups?: readonly string[] | undefined;
  /** Default: a random one. */
  readonly token?: string | undefined;
}

export interface ApiServerOptions {
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Makes uids, generated names and tokens the same in every run; a whole number, default: random ones. */
  readonly seed?: number | undefined;
  /** Besides `admin`, who is in `system:masters`. */
  readonly users?: readonly ApiServerUser[] | undefined;
  /** Keeps the state in this SQLite file; default: in memory alone. */
  readonly file?: string | undefined;
  /** Runs garbage collection, namespaces and service accounts, as a controller manager does; default true. */
  readonly controllers?: boolean | undefined;
}

/**
 * A Kubernetes API server in this process. It is ready when it has been made, and needs neither socket nor disk: hand
 * `transport` and `config` to a client, or let it `listen`. For demos and tests: whatever it answers is compared with
 * the real server's answers.
 */
export interface ApiServer extends AsyncDisposable {
  /** Reaches the server without a socket. Disposed of with it. */
  readonly transport: Transport;
  /** As `admin`, through `transport`. */
  readonly config: ClusterConfig;
  /** As one of the users. @throws CodedError `NotFound`. */
  configOf(user: string): ClusterConfig;
  /** The bearer token of `admin`, or of another user. @throws CodedError `NotFound`. */
  token(user?: string): string;
  /** Opens a socket in plain HTTP; closed with the server. */
  listen(options?: ListenOptions): Promise<Listening>;
  /** Everything that is stored, as JSON. */
  state(): StoreState;
  /**
   * Goes to another state, as a server that was restored from a backup: versions may go back, and every watch ends.
   *
   * @throws CodedError `InvalidOption` for what `state` does not give; then nothing happens.
   */
  restore(state: StoreState): void;
  /** Forgets history, as etcd's compaction: a watch from before now is answered 410. */
  compact(): void;
  /** Ends every watch, as the real server does when its time is up. */
  closeWatches(): void;
}

const inProcessUrl = "http://apiserver.in-process";

/** @throws CodedError `InvalidOption` when the file cannot be used, and for what is no seed. */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  const { clock = systemClock, file, seed } = options;
  const random: Random = seed === undefined ? systemRandom : seededRandom(seed);
  const uuid = (): string => uuidFrom(random, seed);
  const store = createStore({ journal: file === undefined ? undefined : openSqliteJournal(file) });
  const reader = createObjectReader(store);
  const rbac = createRbac({ reader, revision: rbacRevision(store) });
  const people = [{ name: "admin", groups: ["system:masters"] }, ...(options.users ?? [])].map((user) =>
    staticToken(user, uuid),
  );
  const tokens = createServiceAccountTokens({ clock, reader });
  const authenticator = createAuthenticator({ tokens: people, serviceAccounts: tokens });
  const registry = createRegistry(builtInKinds());
  let webhookSockets: Transport | undefined;
  const webhookTransport = (): Transport => {
    webhookSockets ??= createHttpTransport({ clock });
    return webhookSockets;
  };
  const post = createWebhookPost({ clock, transport: webhookTransport });
  const stopping = new AbortController();
  const codec = createCodec(createWebhookConversion({ reader, post, uuid, signal: stopping.signal }));
  const admission = guardRoles(createAdmission({ reader, registry, codec, random, uuid, post }), rbac);
  const core: ServerCore = {
    clock,
    random,
    store,
    registry,
    codec,
    admission,
    authorizer: rbac,
    reviews: createReviews({ rbac, authenticator }),
    tokenRequest: createTokenRequest({ clock, reader, tokens, uuid }),
    watches: new Set(),
    uuid,
  };
  bootstrap(core);
  // A new server has no history to offer, as the real one's watch caches have none.
  store.compact();
  const definitions = watchDefinitions(core);
  const controllers = startControllers({
    access: createClusterAccess(core, stopping.signal),
    clock,
    serverOnly: options.controllers === false,
  });
  const handler = createHandler({ core, authenticator, info: { address: new URL(inProcessUrl).host, version } });
  const transport = createInProcessTransport(handler, clock);
  const sockets = new Set<Listening>();

  const tokenOf = (user = "admin"): string => {
    const found = people.find((one) => one.user.name === user);
    if (found !== undefined) return found.token;
    throw new CodedError(
      "NotFound",
      `Cannot give the token of ${user}: the server was not given that user, name it in users`,
    );
  };
  const closeWatches = (): void => {
    for (const watch of [...core.watches]) watch.end();
  };

  return {
    transport,
    get config() {
      return staticConfig({ server: inProcessUrl, token: tokenOf() });
    },
    configOf: (user) => staticConfig({ server: inProcessUrl, token: tokenOf(user) }),
    token: tokenOf,
    async listen(asked): Promise<Listening> {
      const socket = await listen(handler, asked);
      sockets.add(socket);
      return socket;
    },
    state: () => store.state(),
    restore(state): void {
      store.restore(state);
      definitions.readAll();
      closeWatches();
      controllers.readAll();
    },
    compact: () => store.compact(),
    closeWatches,
    async [Symbol.asyncDispose](): Promise<void> {
      closeWatches();
      stopping.abort(new CodedError("ConnectionFailed", "Cannot go on: the server in the process has stopped"));
      await controllers[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
      await webhookSockets?.[Symbol.asyncDispose]();
      await Promise.all([...sockets].map((socket) => socket[Symbol.asyncDispose]()));
      store[Symbol.dispose]();
    },
  };
}

/** What `/version` says: the version whose behaviour this server has. */
const version = {
  major: "1",
  minor: "35",
  gitVersion: "v1.35.4",
  gitCommit: "",
  gitTreeState: "",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: `${process.platform}/${process.arch}`,
};

function staticToken({ name, uid = name, groups = [], token }: ApiServerUser, uuid: () => string): StaticToken {
  return { token: token ?? uuid(), user: { name, uid, groups } };
}

/** Version 4; from the seeded source where there is one, since runs of a seed must be alike. */
function uuidFrom(random: Random, seed: number | undefined): string {
  if (seed === undefined) return randomUUID();
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  hex[12] = "4";
  hex[16] = "89ab"[Math.floor(random() * 4)] ?? "8";
  const text = hex.join("");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}
