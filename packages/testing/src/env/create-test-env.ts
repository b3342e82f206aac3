import { applyManifests, askServer, type Speaker } from "@farwatch/apiserver/access";
import { type ClusterConfig, CodedError, createClient } from "farwatch";
import { serveKinds } from "../kube/served-kind.ts";
import { failuresTogether } from "./failures-together.ts";
import { TestReplica } from "./replica.ts";
import type { ReplicaOptions, TestEnv, TestEnvOptions } from "./test-env.ts";
import { isServiceAccount, startTestServer, type TestServer } from "./test-server.ts";
import { realTime, virtualTime } from "./test-time.ts";

/**
 * Starts a server, furnishes it, and makes a manager that has not started; see `TestEnv`.
 *
 * ```ts
 * await using env = await createTestEnv({ resources: [StorageBucket] });
 * env.manager.add(storageBucketController({ probeInterval: "30s", probe }));
 * await env.client.create(StorageBucket, { metadata: { namespace: "default", name: "photos" }, spec });
 * await env.start();
 * await env.advance("24h");
 * ```
 *
 * @throws CodedError `InvalidOption` or `Invalid` for manifests that cannot be applied, `NotFound` for one of a kind
 * that the server does not serve, and for a service account that is not in them.
 */
export async function createTestEnv(options: TestEnvOptions = {}): Promise<TestEnv> {
  await using undo = new AsyncDisposableStack();
  const { resources = [], seed = 1, missingRules = "refuse" } = options;
  if (missingRules !== "refuse" && missingRules !== "collect") {
    throw new CodedError(
      "InvalidOption",
      `Cannot ${JSON.stringify(missingRules)} missing rules: there are "refuse" and "collect"`,
    );
  }
  const server = undo.use(await startTestServer(options));
  const replicas: TestReplica[] = [];
  const time =
    server.clock === undefined
      ? realTime(() => ({
          inFlight: sum(replicas, ({ transport }) => transport.inFlight),
          sent: sum(replicas, ({ requests }) => requests.length),
        }))
      : virtualTime(server.clock);
  const admin: Speaker = { transport: server.connect(), config: server.config() };
  const client = undo.use(createClient({ ...admin, clock: time.clock, resources }));
  await serveKinds(client, resources, () => time.settle());
  await applyManifests(admin, options.manifests ?? []);
  await time.settle();
  const identity = await identityOf(server, admin, options.as);

  const replica = (asked: ReplicaOptions = {}): TestReplica => {
    const made = new TestReplica({
      server,
      time,
      identity,
      resources,
      options: asked,
      number: replicas.length + 1,
      stepIn: missingRules === "collect" ? admin.config.credentials : undefined,
      seed,
    });
    replicas.push(made);
    return made;
  };
  const first = replica(options.manager);
  const held = undo.move();

  return {
    client,
    clock: time.clock,
    get server() {
      if (server.embedded !== undefined) return server.embedded;
      throw new CodedError("NotFound", "Cannot give the embedded server: this environment has a kube-apiserver");
    },
    advance: time.advance,
    settle: time.settle,
    jump: time.jump,
    replica,
    apply: (...manifests) => applyManifests(admin, manifests),
    kubeconfig: () => server.kubeconfig(),
    manager: first.manager,
    transport: first.transport,
    lines: first.lines,
    get requests() {
      return first.requests;
    },
    get missingRules() {
      return [...new Set(replicas.flatMap((each) => each.missingRules))];
    },
    start: () => first.start(),
    get ended() {
      return first.ended;
    },
    stop: () => first.stop(),
    kill: () => first.kill(),
    async [Symbol.asyncDispose](): Promise<void> {
      const rest = new AsyncDisposableStack();
      rest.use(held);
      for (const each of replicas) rest.use(each);
      // All at once, as a cluster that goes: none takes over what another leaves.
      for (const each of replicas) each.beginStop();
      try {
        await rest.disposeAsync();
      } catch (error) {
        throw failuresTogether(error);
      }
    },
  };
}

function sum<T>(all: readonly T[], numberOf: (one: T) => number): number {
  return all.reduce((total, one) => total + numberOf(one), 0);
}

async function identityOf(server: TestServer, admin: Speaker, as: string | undefined): Promise<ClusterConfig> {
  if (as === undefined) return server.config();
  if (!isServiceAccount(as)) return server.config(server.tokenOf(as));
  const [, , namespace = "", name = ""] = as.split(":");
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;
  const found = await askServer(admin, { method: "GET", path, what: `read service account ${as}` });
  if (found === undefined) {
    throw new CodedError(
      "NotFound",
      `Cannot be ${as}: the manifests hold no ServiceAccount ${name} in namespace ${namespace}`,
    );
  }
  const answer = await askServer<{ readonly status: { readonly token: string } }>(admin, {
    method: "POST",
    path: `${path}/token`,
    // Ten years: simulations are long.
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 315_360_000 } },
    what: `get a token of ${as}`,
  });
  return server.config(answer?.status.token);
}
