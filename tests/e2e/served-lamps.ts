import { after, before } from "node:test";
import { type SharedKubeApiserver, serveKind, sharedKubeApiserver } from "@farwatch/testing";
import { type ConnectedClient, createClient, loadConfig } from "farwatch";
import { lampKind } from "./lamp.ts";

/** The shared API server, which serves the Lamps of a suite while its tests run, and an administrator's client. */
export interface ServedLamps {
  readonly Lamp: ReturnType<typeof lampKind>;
  readonly server: SharedKubeApiserver;
  readonly client: ConnectedClient;
}

export function serveLamps(suite: string): ServedLamps {
  const Lamp = lampKind(suite);
  const server = sharedKubeApiserver();
  const client = createClient({ config: loadConfig({ kubeconfig: server.kubeconfigFile }) });
  const served = new AsyncDisposableStack();
  served.use(client);
  before(async () => {
    served.use(await serveKind(client, Lamp));
  });
  after(() => served.disposeAsync());
  return { Lamp, server, client };
}
