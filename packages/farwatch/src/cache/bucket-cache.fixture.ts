import assert from "node:assert/strict";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import type { Random } from "../clock/random.ts";
import { createRecordingLogger } from "../doubles/recording-logger.ts";
import { createScriptedTransport, type ScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import type { Metrics } from "../observe/metrics.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { defineBuiltin } from "../resource/define-builtin.ts";
import type { Resource } from "../resource/resource.ts";
import { TransportError } from "../transport/transport-error.ts";
import type { KubeObject } from "../wire/object.ts";
import type { InformerOptions } from "./cache.ts";
import { type CacheOptions, createCache, type InformerCache } from "./create-cache.ts";
import { createScriptedKind, type KindScript, type ScriptedKind } from "./scripted-kind.fixture.ts";

export interface Bucket extends KubeObject {
  readonly spec?: { readonly size?: number };
}
export const Bucket: Resource<Bucket> = defineBuiltin({ group: "example.farwatch.dev", version: "v1", kind: "Bucket" });
export const path = "/apis/example.farwatch.dev/v1/buckets";

/** Stops when disposed of, and fails when the cache leaves a request or a timer behind. */
export interface Stage extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly server: ScriptedKind<Bucket>;
  readonly cache: InformerCache;
  readonly metrics: Metrics;
  /** What it said beyond details, each with the problem that it names. */
  readonly logged: readonly string[];
  readonly stop: AbortController;
  start(): void;
}

export function setUp(
  options: {
    readonly script?: Partial<KindScript>;
    readonly random?: Random;
    readonly kinds?: CacheOptions["kinds"];
  } = {},
): Stage {
  const clock = createVirtualClock();
  const transport = createScriptedTransport(clock);
  const server = createScriptedKind<Bucket>(transport, Bucket, options.script);
  const client = createClient({ config: staticConfig({ server: "https://api.test" }), transport, clock });
  const metrics = createMetrics();
  const log = createRecordingLogger();
  const { random = () => 0.5, kinds } = options;
  const cache = createCache({ client, clock: { ...clock, random }, log, metrics, kinds });
  const stop = new AbortController();
  let ended: Promise<void> | undefined;
  return {
    clock,
    transport,
    server,
    cache,
    metrics,
    get logged() {
      return log.lines
        .filter(({ level }) => level !== "debug")
        .map(({ message, fields }) => `${message} ${String(fields.problem ?? "")}`);
    },
    stop,
    start(): void {
      ended = cache.start(stop.signal);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await ended;
      assert.equal(transport.open, 0);
      assert.equal(clock.pendingTimers, 0);
    },
  };
}

export const object = (name: string, size = 1, labels?: Readonly<Record<string, string>>) => ({
  metadata: { namespace: "a", name, ...(labels !== undefined && { labels }) },
  spec: { size },
});
export const key = (name: string) => ({ namespace: "a", name });

/** Reads events as they come, as one line each. */
export function follow(events: AsyncIterable<ObjectEvent<Bucket>>): {
  readonly lines: string[];
  readonly events: ObjectEvent<Bucket>[];
} {
  const lines: string[] = [];
  const seen: ObjectEvent<Bucket>[] = [];
  const read = async (): Promise<void> => {
    for await (const event of events) {
      seen.push(event);
      const { name, uid } = event.object.metadata;
      const notes = [
        event.type === "create" && event.inInitialList ? " initial" : "",
        event.type === "delete" && event.stateUnknown ? " unknown" : "",
      ];
      lines.push(`${event.type} ${name} ${uid}${notes.join("")}`);
    }
    lines.push("end");
  };
  read().catch((error: unknown) => lines.push(`error ${String(error)}`));
  return { lines, events: seen };
}

/** A cache that has synced three objects, with a reader that has taken them. */
export async function synced(
  options: Parameters<typeof setUp>[0] & { readonly informer?: InformerOptions<Bucket> } = {},
) {
  const stage = setUp(options);
  for (const name of ["a", "b", "c"]) stage.server.put(object(name));
  const informer = stage.cache.informer(Bucket, options.informer);
  const { lines, events } = follow(informer.events(stage.stop.signal));
  stage.start();
  await stage.clock.settle();
  assert.equal(informer.state.phase, "watching");
  assert.deepEqual(lines.splice(0), ["create a uid-1 initial", "create b uid-2 initial", "create c uid-3 initial"]);
  events.splice(0);
  return { ...stage, informer, lines, events };
}

export const refused = {
  error: new TransportError("Cannot connect to api.test: connection refused", { phase: "connect", sent: false }),
};
export const watchRequests = ({ transport }: Stage) =>
  transport.requests.filter(({ query }) => query.get("watch") === "true");
