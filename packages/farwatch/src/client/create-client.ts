import type { Clock } from "../clock/clock.ts";
import { systemClock } from "../clock/system-clock.ts";
import { type Logger, silentLogger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { AnyResource } from "../resource/resource.ts";
import { createHttpTransport } from "../transport/http-transport.ts";
import type { Transport } from "../transport/transport.ts";
import type { Client, LeaderClient, Reader, ReadOptions } from "./client.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { ClientView, ConnectedClient } from "./connected-client.ts";
import { createRestClient } from "./create-rest-client.ts";
import { notingHandledRequests } from "./handled-request.ts";
import { createKindRegistry, type KindRegistry } from "./kind-registry.ts";
import { createLiveReader } from "./live-reader.ts";
import { loadConfig } from "./load-config.ts";
import { createObjectWriter } from "./object-writer.ts";
import type { RestClient } from "./rest-client.ts";
import { singleFlight } from "./single-flight.ts";
import { createStatusWriter } from "./status-writer.ts";
import { createWriteSender } from "./write-sender.ts";

export interface ClientOptions {
  /** Default: `loadConfig()`, read at the first request. */
  readonly config?: ClusterConfig | Promise<ClusterConfig> | undefined;
  /** Default: real sockets, closed with the client. A transport given here is left open. */
  readonly transport?: Transport | undefined;
  readonly clock?: Clock | undefined;
  /** Told of the server's warnings; default: nobody. */
  readonly log?: Logger | undefined;
  /** Where requests are counted, as `rest_client_requests_total`; default: nowhere. */
  readonly metrics?: Metrics | undefined;
  /** Names who owns what this client writes; default `farwatch`. */
  readonly fieldManager?: string | undefined;
  /**
   * Kinds whose objects it may be given to write, beyond the built-in ones and those that one of its methods was given.
   */
  readonly resources?: readonly AnyResource[] | undefined;
}

/**
 * A client of one API server. Nothing happens before the first request, which reads the configuration; after a failure
 * the next one reads it again. Reads ask the server always (`view` puts a cache before them).
 *
 * What it gives is the caller's own plain object, with its managedFields; only cached objects are frozen.
 *
 * ```ts
 * await using client = createClient();
 * const settings = await client.get(ConfigMap, { namespace: "default", name: "settings" });
 * await client.patch(settings, { data: { level: "debug" } });
 * ```
 */
export function createClient(options: ClientOptions = {}): ConnectedClient {
  const { clock = systemClock, log = silentLogger, config, fieldManager } = options;
  const transport = options.transport ?? createHttpTransport({ clock });
  // Whoever asks gets the rejection; until then it shall not look unhandled.
  if (config instanceof Promise) config.catch(() => {});
  let loaded: ClusterConfig | undefined;
  const load = singleFlight(async (signal) => {
    loaded ??= await (config ?? loadConfig({ clock, log, signal }));
    return loaded;
  });
  const rest = createRestClient({ config: load, transport, clock, log, metrics: options.metrics });
  const registry = createKindRegistry(options.resources);
  // Whether it is fenced is the caller's word: without leader election every replica leads, and there is nothing to
  // fence.
  const view = ({ resources = [], ...changes }: ClientView): LeaderClient => {
    for (const resource of resources) registry.join(resource);
    return createObjectClient(rest, registry, log, {
      ...changes,
      fieldManager: changes.fieldManager ?? fieldManager,
    }) as LeaderClient;
  };

  return {
    ...view({}),
    rest,
    view,
    config: () => load(),
    async [Symbol.asyncDispose](): Promise<void> {
      await rest[Symbol.asyncDispose]();
      if (options.transport === undefined) await transport[Symbol.asyncDispose]();
    },
  };
}

/** The verbs of one view over a connection and a registry of kinds that all views share. */
function createObjectClient(rest: RestClient, registry: KindRegistry, log: Logger, view: ClientView): Client {
  const live = createLiveReader(rest);
  const sender = createWriteSender(rest, view);
  const objects = createObjectWriter(registry, live, sender, view);
  const statuses = createStatusWriter(registry, live, sender, view);
  const reader = (options: ReadOptions | undefined): Reader => (options?.live ? live : (view.reads ?? live));
  return {
    async get(resource, key, options) {
      registry.join(resource);
      return await reader(options).get(resource, key, options);
    },
    async find(resource, key, options) {
      registry.join(resource);
      return await reader(options).find(resource, key, options);
    },
    async list(resource, options) {
      registry.join(resource);
      return await reader(options).list(resource, options);
    },
    ...objects,
    ...(view.notesRequests ? notingHandledRequests(statuses, { registry, log, patch: objects.patch }) : statuses),
  };
}
