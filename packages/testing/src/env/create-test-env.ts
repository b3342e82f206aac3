import { applyManifests, askServer, type Speaker } from "@farwatch/apiserver/access";
import {
  type ClusterConfig,
  CodedError,
  type ConnectedClient,
  createClient,
  createManager,
  createMetrics,
  type Duration,
  systemClock,
  toMs,
} from "farwatch";
import { createRecordingLogger } from "farwatch/doubles";
import { withFaults } from "../fault/with-faults.ts";
import { serveKind } from "../kube/served-kind.ts";
import type { Replica, ReplicaOptions, TestEnv, TestEnvOptions } from "./test-env.ts";
import { isServiceAccount, startTestServer, type TestServer } from "./test-server.ts";

/** No test waits longer in real time. */
const maxRealMs = 60_000;
/** What real sockets are given to come to rest. */
const realQuietMs = 50;

/**
 * Starts a server and makes a manager for it, which does not run yet; see `TestEnv`.
 *
 * ```ts
 * await using env = await createTestEnv({ resources: [StorageBucket] });
 * env.manager.add(storageBucketController({ probeInterval: "30s", probe }));
 * await env.client.create(StorageBucket, { metadata: { namespace: "default", name: "photos" }, spec });
 * await env.start();
 * await env.advance("24h");
 * ```
 *
 * @throws CodedError `InvalidOption` or `Invalid` for manifests that the server does not take, `NotFound` for a service account that is not in them.
 */
export async function createTestEnv(options: TestEnvOptions = {}): Promise<TestEnv> {
  await using undo = new AsyncDisposableStack();
  const server = undo.use(await startTestServer(options));
  const clock = server.clock ?? systemClock;
  const admin: Speaker = { transport: server.connect(), config: server.config() };
  const client = undo.use(createClient({ ...admin, clock, resources: options.resources }));
  if (options.resources !== undefined && options.resources.length > 0) {
    for (const group of byDefinition(options.resources)) await serveKind(client, group);
  }
  await applyManifests(admin, options.manifests ?? []);
  const identity = await identityOf(server, admin, options.as);
  const replicas: ReplicaState[] = [];
  let url: Promise<string> | undefined;

  const settle = async (): Promise<void> => {
    if (server.clock !== undefined) return server.clock.settle();
    do await systemClock.sleep(realQuietMs);
    while (replicas.some(({ transport }) => transport.inFlight > 0));
  };
  const advance = async (duration: Duration): Promise<void> => {
    if (server.clock !== undefined) return server.clock.advance(duration);
    if (toMs(duration) > maxRealMs) {
      throw new CodedError(
        "InvalidOption",
        `Cannot advance by ${duration} in real time: wait a minute at most, or take the embedded server`,
      );
    }
    await systemClock.sleep(duration);
  };
  const replica = async (asked: ReplicaOptions = {}): Promise<ReplicaState> => {
    const state = new ReplicaState({
      server,
      identity,
      options,
      replica: asked,
      number: replicas.length,
      settle,
      advance,
    });
    replicas.push(state);
    return state;
  };
  const first = await replica(options.manager);
  const held = undo.move();

  return {
    client,
    clock,
    get server() {
      if (server.embedded !== undefined) return server.embedded;
      throw new CodedError("NotFound", "Cannot give the embedded server: this environment has a kube-apiserver");
    },
    url: () => (url ??= server.url()),
    advance,
    settle,
    jump(byMs): void {
      if (server.clock === undefined)
        throw new CodedError("InvalidOption", "Cannot move the wall clock in real time: take the embedded server");
      server.clock.jump(byMs);
    },
    replica,
    apply: (...manifests) => applyManifests(admin, manifests),
    manager: first.manager,
    transport: first.transport,
    lines: first.lines,
    start: () => first.start(),
    get ended() {
      return first.ended;
    },
    stop: () => first.stop(),
    async [Symbol.asyncDispose](): Promise<void> {
      try {
        for (const each of replicas.toReversed()) await each[Symbol.asyncDispose]();
      } finally {
        await held[Symbol.asyncDispose]();
      }
    },
  };
}

/** Versions of one kind share a definition. */
function byDefinition(
  resources: NonNullable<TestEnvOptions["resources"]>,
): readonly NonNullable<TestEnvOptions["resources"]>[] {
  const groups = Map.groupBy(resources, ({ group, plural }) => `${plural}.${group}`);
  return [...groups.values()];
}

async function identityOf(server: TestServer, admin: Speaker, as: string | undefined): Promise<ClusterConfig> {
  if (as === undefined) return server.config();
  if (!isServiceAccount(as)) return server.config(server.tokenOf(as));
  const [, , namespace = "", name = ""] = as.split(":");
  const answer = await askServer<{ readonly status: { readonly token: string } }>(admin, {
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 315_360_000 } },
    what: `a token of ${as}`,
  });
  if (answer === undefined)
    throw new CodedError("NotFound", `Cannot be ${as}: the manifests hold no such service account`);
  return server.config(answer.status.token);
}

/** What a manager may take to stop: its grace, and what follows. */
const maxStopSeconds = 90;

const unchanged = <T>(port: T): T => port;

interface ReplicaParts {
  readonly server: TestServer;
  readonly identity: ClusterConfig;
  readonly options: TestEnvOptions;
  readonly replica: ReplicaOptions;
  readonly number: number;
  readonly settle: () => Promise<void>;
  readonly advance: (duration: Duration) => Promise<void>;
}

/** A manager and what stands around it. */
class ReplicaState implements Replica {
  readonly manager: Replica["manager"];
  readonly client: ConnectedClient;
  readonly transport: Replica["transport"];
  readonly lines: Replica["lines"];
  readonly #parts: ReplicaParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #ended: { readonly error?: unknown } | undefined;
  #seen = false;

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    const { server, identity, options, number } = parts;
    const { transport: wrap = unchanged, clock: wrapClock = unchanged, ...manager } = parts.replica;
    const clock = wrapClock(server.clock ?? systemClock);
    const log = createRecordingLogger();
    this.lines = log.lines;
    const seed = (options.seed ?? 1) + number;
    this.transport = withFaults(server.connect(), { clock: server.clock ?? systemClock, seed });
    const transport = wrap(this.transport);
    this.client = createClient({ config: identity, transport, clock, resources: options.resources, log });
    this.manager = createManager({
      leaderElection: false,
      http: false,
      log,
      metrics: createMetrics(),
      ...manager,
      client: this.client,
      clock,
    });
  }

  get ended(): { readonly error?: unknown } | undefined {
    this.#seen = true;
    return this.#ended;
  }

  async start(): Promise<void> {
    this.#running = this.manager.start({ signal: this.#stopping.signal }).then(
      () => {
        this.#ended = {};
      },
      (error: unknown) => {
        this.#ended = { error };
      },
    );
    await this.#parts.settle();
    if (this.#ended?.error === undefined) return;
    this.#seen = true;
    throw this.#ended.error;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#parts.settle();
    // Shutting down takes time on the clock that nobody else would move.
    for (let seconds = 0; this.#running !== undefined && this.#ended === undefined && seconds < maxStopSeconds; seconds += 1) {
      await this.#parts.advance("1s");
    }
    this.#seen = true;
    if (this.#running !== undefined && this.#ended === undefined) {
      throw new CodedError("ShutdownTimeout", "Cannot stop the manager: it still runs after its grace");
    }
    if (this.#ended?.error !== undefined) throw this.#ended.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const wasSeen = this.#seen;
    try {
      await this.stop();
    } catch (error) {
      if (!wasSeen || this.#ended === undefined) throw error;
    } finally {
      await this.manager[Symbol.asyncDispose]();
      await this.client[Symbol.asyncDispose]();
      await this.transport[Symbol.asyncDispose]();
    }
  }
}
