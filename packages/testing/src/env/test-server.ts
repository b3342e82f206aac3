import { join } from "node:path";
import type { ApiServer } from "@farwatch/apiserver";
import { kubeconfigFor, writeKubeconfig } from "@farwatch/apiserver/access";
import {
  type ClusterConfig,
  CodedError,
  createHttpTransport,
  isCodedError,
  staticConfig,
  type Transport,
} from "farwatch";
import { createVirtualClock, type VirtualClock } from "farwatch/doubles";
import { locateBinaries } from "../binaries/locate-binaries.ts";
import { startKubeApiserver } from "../kube/kube-apiserver.ts";
import { createTempFolder } from "../process/temp-folder.ts";
import type { TestEnvOptions } from "./test-env.ts";

/** The server of a test environment, in the two forms that there are. */
export interface TestServer extends AsyncDisposable {
  /** Virtual for the embedded server; undefined stands for the system's. */
  readonly clock: VirtualClock | undefined;
  readonly embedded: ApiServer | undefined;
  /** A way to the server of one's own. */
  connect(): Transport;
  /** As the administrator, or with a token. */
  config(token?: string): ClusterConfig;
  /** The token of a user that the server was started with. */
  tokenOf(user: string): string;
  /** The path of the administrator's. */
  kubeconfig(): Promise<string>;
}

/** Starts it with one user besides the administrator, unless that is a service account, which gets its token later. */
export async function startTestServer(options: TestEnvOptions): Promise<TestServer> {
  const { as, server = "embedded" } = options;
  if (server !== "embedded" && server !== "kube-apiserver") {
    throw new CodedError(
      "InvalidOption",
      `Cannot start the server ${JSON.stringify(server)}: there are "embedded" and "kube-apiserver"`,
    );
  }
  const users = as === undefined || isServiceAccount(as) ? [] : [{ name: as }];
  return server === "embedded" ? embeddedServer(options, users) : realServer(users);
}

export function isServiceAccount(user: string): boolean {
  return user.startsWith("system:serviceaccount:");
}

async function embeddedServer(
  { now, seed = 1 }: TestEnvOptions,
  users: readonly { readonly name: string }[],
): Promise<TestServer> {
  // Loaded when first used: suites on real servers need none of it.
  const { createApiServer } = await import("@farwatch/apiserver");
  const clock = createVirtualClock({ seed, ...(now === undefined ? {} : { now }) });
  const embedded = createApiServer({ clock, seed, users });
  const { server } = embedded.config;
  const held = new AsyncDisposableStack();
  held.use(embedded);
  let file: Promise<string> | undefined;
  const writeFile = async (): Promise<string> => {
    // kubectl sends no token over plain HTTP.
    const { url, ca } = await embedded.listen({ tls: true });
    const folder = held.use(await createTempFolder("farwatch-env-"));
    const path = join(folder.path, "kubeconfig");
    await writeKubeconfig(path, kubeconfigFor({ url, ca, user: { token: embedded.token() } }));
    return path;
  };
  return {
    clock,
    embedded,
    connect: () => shared(embedded.transport),
    config: (token = embedded.token()) => staticConfig({ server, token }),
    tokenOf: (user) => embedded.token(user),
    kubeconfig: () => (file ??= writeFile()),
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  };
}

async function realServer(users: readonly { readonly name: string }[]): Promise<TestServer> {
  const server = await startKubeApiserver({ users, controllerManager: await hasControllerManager() });
  return {
    clock: undefined,
    embedded: undefined,
    connect: () => createHttpTransport({}),
    config: (token = server.token) => staticConfig({ server: server.url, token, ca: server.ca }),
    tokenOf: (user) => {
      const { token } = server.user(user);
      if (token !== undefined) return token;
      throw new CodedError("NotFound", `Cannot be ${user}: the server has given it no token`);
    },
    kubeconfig: async () => server.kubeconfigFile,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** setup-envtest brings none; a test that needs no garbage collection can do without. */
async function hasControllerManager(): Promise<boolean> {
  try {
    await locateBinaries(["kube-controller-manager"]);
    return true;
  } catch (error) {
    if (isCodedError(error, "NotFound")) return false;
    throw error;
  }
}

/** The server's own, which stays open when a replica disposes of its way to it. */
function shared(transport: Transport): Transport {
  return {
    request: (request) => transport.request(request),
    get inFlight() {
      return transport.inFlight;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
