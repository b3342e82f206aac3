import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import { createScriptedTransport } from "../doubles/scripted-transport.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { TransportError } from "../transport/transport-error.ts";
import { formatKey } from "../wire/object.ts";
import { Bucket } from "./bucket-cache.fixture.ts";
import { createCache } from "./create-cache.ts";
import { createScriptedKind, type KindSnapshot } from "./scripted-kind.fixture.ts";

/** One step of a script: what happens on the server, in the network, or in time. */
type Step =
  | { readonly do: "put"; readonly name: string; readonly size: number }
  | { readonly do: "remove" | "recreate"; readonly name: string }
  | {
      readonly do:
        | "end"
        | "cut"
        | "silence"
        | "compact"
        | "bookmark"
        | "snapshot"
        | "restore"
        | "expire"
        | "refuse"
        | "up"
        | "read";
    }
  | { readonly do: "down"; readonly as: "refused" | "silent" | 403 | 404 | 500 }
  | { readonly do: "pass"; readonly ms: number };

const name = fc.constantFrom("a", "b", "c", "d");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), name, size: fc.integer({ min: 0, max: 9 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("remove" as const, "recreate" as const), name }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom<Exclude<Step["do"], "put" | "remove" | "recreate" | "down" | "pass">>(
        "end",
        "cut",
        "silence",
        "compact",
        "bookmark",
        "snapshot",
        "restore",
        "expire",
        "refuse",
        "up",
        "read",
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("down" as const),
      as: fc.constantFrom("refused" as const, "silent" as const, 403 as const, 404 as const, 500 as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(0, 1, 500, 5_000, 12_000, 80_000) }),
  },
);

const failures = {
  refused: { error: new TransportError("Cannot connect: refused", { phase: "connect", sent: false }) },
  silent: { silent: true },
  403: { status: 403, body: { kind: "Status", reason: "Forbidden", code: 403, message: "no" } },
  404: { status: 404, body: "404 page not found" },
  500: { status: 500, body: { kind: "Status", reason: "InternalError", code: 500, message: "no" } },
} as const;

/** A reader that takes events only when it is told to, and keeps what they add up to. */
function slowReader(clock: VirtualClock, events: AsyncIterable<ObjectEvent<Bucket>>) {
  const iterator = events[Symbol.asyncIterator]();
  const replay = new Map<string, Bucket>();
  let next = iterator.next();
  return {
    replay,
    async take(count: number): Promise<void> {
      for (let i = 0; i < count; i += 1) {
        const result = await Promise.race([next, clock.settle().then(() => "none" as const)]);
        if (result === "none" || result.done) return;
        next = iterator.next();
        const { type, object } = result.value;
        const key = formatKey(object.metadata);
        if (type === "update") {
          assert.equal(result.value.oldObject.metadata.uid, object.metadata.uid);
          assert.notDeepEqual(result.value.oldObject, object);
        }
        if (type === "delete") replay.delete(key);
        else replay.set(key, object);
      }
    },
  };
}

const byKey = (objects: Iterable<Bucket>): readonly Bucket[] =>
  [...objects].sort((a, b) => (formatKey(a.metadata) < formatKey(b.metadata) ? -1 : 1));

/** A reader that waits takes the first state; the one after it is taken back before it reads on. */
const thereAndBack = [
  [
    { do: "pass", ms: 0 },
    { do: "put", name: "b", size: 0 },
    { do: "snapshot" },
    { do: "put", name: "b", size: 0 },
    { do: "restore" },
  ] satisfies Step[],
  "sends",
  "event Expired",
  0,
] as const;

// Promise 8
test("cache converges on the server's state through any script of faults, and so does every reader", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array<Step>(step, { maxLength: 40 }),
      fc.constantFrom("sends" as const, "refuses" as const, "ignores" as const),
      fc.constantFrom("event Expired" as const, "event Gone" as const, "http" as const),
      fc.nat(),
      async (steps, streams, gone, seed) => {
        const clock = createVirtualClock({ seed });
        const transport = createScriptedTransport(clock);
        const server = createScriptedKind<Bucket>(transport, Bucket, { streams, gone });
        const client = createClient({ transport, clock, config: staticConfig({ server: "https://api.test" }) });
        const cache = createCache({
          client,
          clock,
          log: silentLogger,
          metrics: createMetrics(),
        });
        const stop = new AbortController();
        const informer = cache.informer(Bucket);
        const readers = [
          slowReader(clock, informer.events(stop.signal)),
          slowReader(clock, informer.events(stop.signal)),
        ];
        const ended = cache.start(stop.signal);
        let snapshot: KindSnapshot = server.snapshot();
        let change = 0;
        const put = (each: string, size: number): void => {
          change += 1;
          server.put({ metadata: { namespace: "a", name: each }, spec: { size, change } });
        };
        for (const each of steps) {
          switch (each.do) {
            case "put":
              put(each.name, each.size);
              break;
            case "recreate":
              server.remove({ namespace: "a", name: each.name });
              put(each.name, 0);
              break;
            case "remove":
              server.remove({ namespace: "a", name: each.name });
              break;
            case "snapshot":
              snapshot = server.snapshot();
              break;
            case "restore": {
              // A server is away while it is restored, for longer than anybody waits between two attempts.
              const { failure } = server.script;
              server.script.failure = failures.refused;
              server.restore(snapshot);
              await clock.advance("31s");
              server.script.failure = failure;
              break;
            }
            case "expire":
              server.end();
              server.compact();
              break;
            case "refuse":
              server.script.streams = "refuses";
              break;
            case "up":
              server.script.failure = undefined;
              break;
            case "down":
              server.script.failure = failures[each.as];
              break;
            case "pass":
              await clock.advance(each.ms);
              break;
            case "read":
              await readers[0]?.take(2);
              break;
            default:
              server[each.do]();
          }
        }
        server.script.failure = undefined;
        // Longer than the silence limit, a request's own deadline, and the longest backoff.
        await clock.advance("200s");
        assert.deepEqual(informer.state, { synced: true, phase: "watching" });
        assert.equal(server.openWatches, 1);
        const expected = byKey(server.objects);
        assert.deepEqual(byKey(informer.list()), expected);
        for (const { take, replay } of readers) {
          await take(100);
          assert.deepEqual(byKey(replay.values()), expected);
        }
        stop.abort();
        await ended;
        assert.equal(transport.open, 0);
        assert.equal(clock.pendingTimers, 0);
      },
    ),
    { numRuns: 300, examples: [[...thereAndBack]] },
  );
});
