import { createApiServer } from "@farwatch/apiserver";
import { startKubeApiserver, type TestUser } from "@farwatch/testing";

export const serverNames = ["embedded", "kube-apiserver"] as const;
export type ServerName = (typeof serverNames)[number];

/** A server that the suite speaks with. */
export interface Server extends AsyncDisposable {
  /**
   * Whether cases must remove their kinds and namespaces. The real server takes 5 s to remove a kind, five at a time, which a
   * case that waits for the removal of its own would have to wait for.
   */
  readonly isKept: boolean;
  readonly url: string;
  readonly ca: string | undefined;
  /** Forgets every version but the newest of each object, as etcd's compaction; the real server starts again for it. */
  forgetHistory(): Promise<void>;
  /** Of a user; undefined stands for the administrator. */
  tokenOf(user: string | undefined): string | undefined;
}

/** What cases ask of the server that they run on. */
export interface ServerNeeds {
  readonly users: readonly TestUser[];
  readonly controllers: boolean;
}

/** Starts a server that knows the users of these areas; its controllers run when an area wants them. */
export async function startServer(name: ServerName, areas: readonly ServerNeeds[]): Promise<Server> {
  const users = areas.flatMap((area) => area.users);
  const controllers = areas.some((area) => area.controllers);
  if (name === "embedded") {
    const embedded = createApiServer({ users, controllers });
    const { url } = await embedded.listen();
    return {
      url,
      ca: undefined,
      isKept: false,
      forgetHistory: async () => embedded.compact(),
      tokenOf: (user) => embedded.token(user),
      [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
    };
  }
  const server = await startKubeApiserver({ users, controllerManager: controllers });
  return {
    url: server.url,
    ca: server.ca,
    isKept: false,
    async forgetHistory() {
      await server.compactEtcd();
      await server.restart();
    },
    tokenOf: (user) => (user === undefined ? server.token : server.user(user).token),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** One that runs already, and knows nobody but the bearer of the token. */
export function givenServer(url: string, token: string | undefined): Server {
  return {
    url,
    ca: undefined,
    isKept: true,
    async forgetHistory() {
      throw new Error(`Cannot make the server at ${url} forget: it was not started here`);
    },
    tokenOf(user) {
      if (user === undefined) return token;
      throw new Error(`Cannot ask as ${user}: the server at ${url} was given without users`);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
