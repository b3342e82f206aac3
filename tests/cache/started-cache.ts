import {
  type Cache,
  type ClusterConfig,
  createClient,
  createManager,
  type Informer,
  type KubeObject,
  type Metrics,
  type ObjectEvent,
  type Resource,
  silentLogger,
  systemClock,
} from "farwatch";

/** A manager whose only work is to cache one kind in one namespace, and what a reader of that kind was told. */
export interface StartedCache<O extends KubeObject> extends AsyncDisposable {
  readonly cache: Cache;
  readonly informer: Informer<O>;
  readonly metrics: Metrics;
  /** `create a`, `update a`, `delete a`, with ` unknown` for a deletion that was missed; taken out by `told`. */
  told(): readonly string[];
  /** What the reader's events add up to, as `name@version`. */
  readonly replay: ReadonlyMap<string, string>;
  /** Lists begun so far, the first included. */
  readonly lists: number;
}

export async function startCache<O extends KubeObject>(
  config: ClusterConfig | Promise<ClusterConfig>,
  resource: Resource<O>,
  namespace: string | undefined,
): Promise<StartedCache<O>> {
  const client = createClient({ config });
  const manager = createManager({
    client,
    log: silentLogger,
    leaderElection: false,
    http: false,
    ...(namespace !== undefined && { cache: [{ resource, options: { namespace } }] }),
  });
  const stop = new AbortController();
  const informer = manager.cache.informer(resource);
  const lines: string[] = [];
  const replay = new Map<string, string>();
  const reading = read(informer.events(stop.signal), lines, replay);
  const started = manager.start({ signal: stop.signal });
  using deadline = systemClock.timeout("60s");
  await Promise.race([informer.synced(deadline), started]);
  const lists = manager.metrics.counter({
    name: "reflector_lists_total",
    help: "Lists begun, the first one included.",
    labelNames: ["resource", "selector"],
  });
  const resourceName = resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
  const selector = namespace === undefined ? "" : `namespace=${namespace}`;
  return {
    cache: manager.cache,
    informer,
    metrics: manager.metrics,
    told: () => lines.splice(0),
    replay,
    get lists() {
      return lists.read({ resource: resourceName, selector });
    },
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await started;
      await reading;
      await manager[Symbol.asyncDispose]();
      await client[Symbol.asyncDispose]();
    },
  };
}

async function read<O extends KubeObject>(
  events: AsyncIterable<ObjectEvent<O>>,
  lines: string[],
  replay: Map<string, string>,
): Promise<void> {
  for await (const event of events) {
    const { name, resourceVersion } = event.object.metadata;
    lines.push(`${event.type} ${name}${event.type === "delete" && event.stateUnknown ? " unknown" : ""}`);
    if (event.type === "delete") replay.delete(name);
    else replay.set(name, resourceVersion);
  }
}

/** `name@version` of each object, in order. */
export function versions(objects: Iterable<KubeObject>): readonly string[] {
  return Array.from(objects, ({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
}

export function replayed(replay: ReadonlyMap<string, string>): readonly string[] {
  return Array.from(replay, ([name, version]) => `${name}@${version}`).sort();
}
