import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { createClient } from "../client/create-client.ts";
import { staticConfig } from "../client/static-config.ts";
import type { Clock } from "../clock/clock.ts";
import type { Controller } from "../controller/controller.ts";
import { defineController } from "../controller/define-controller.ts";
import { watch } from "../controller/watch.ts";
import { createScriptedCluster } from "../doubles/scripted-cluster.fixture.ts";
import { createVirtualClock, type VirtualClock } from "../doubles/virtual-clock.ts";
import type { EventHandler } from "../handler/event-handler.ts";
import { silentLogger } from "../observe/logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { defineResource } from "../resource/define-resource.ts";
import { Lease } from "../resource/kind/lease.ts";
import { channelSource } from "../source/channel-source.ts";
import { iterableSource } from "../source/iterable-source.ts";
import type { Source } from "../source/source.ts";
import { tickerSource } from "../source/ticker-source.ts";
import { createManager } from "./create-manager.ts";
import type { Manager, ManagerOptions } from "./manager.ts";

const Bucket = defineResource({ group: "example.farwatch.dev", version: "v1", kind: "Bucket", spec: z.object({}) });

const count = 10_000;
const numbers: readonly number[] = Array.from({ length: count }, (_, n) => n);

/** Where numbers are sent, and what counts how often each was worked on. */
interface Origin {
  readonly source: Source<number>;
  /** Resolves when the number was accepted. */
  send(n: number): Promise<void>;
}

const process = (): Origin => {
  const source = channelSource<number>({ name: "numbers", capacity: count });
  return { source, send: (n) => source.send(n) };
};

/** A broker that hands a message to one consumer until that has settled it or is gone. */
function broker(): Origin {
  const waiting: number[] = [];
  const held = new Set<number>();
  let wake = (): void => {};
  const put = (...messages: readonly number[]): void => {
    for (const n of messages) waiting.push(n);
    wake();
  };
  async function* consume(signal: AbortSignal): AsyncGenerator<number> {
    const own = new Set<number>();
    signal.addEventListener("abort", () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        const n = waiting.shift();
        if (n === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        own.add(n);
        held.add(n);
        yield n;
      }
    } finally {
      const left = [...own].filter((n) => held.delete(n));
      put(...left);
    }
  }
  const event = (object: number) => ({
    type: "generic" as const,
    object,
    ack: {
      done: () => {
        held.delete(object);
      },
      retry: () => {
        if (held.delete(object)) put(object);
      },
    },
  });
  return {
    source: iterableSource("numbers", ({ signal }) => consume(signal), { durability: "origin", event }),
    async send(n) {
      put(n);
    },
  };
}

interface Stage {
  readonly clock: VirtualClock;
  readonly cluster: ReturnType<typeof createScriptedCluster>;
  /** How often each number was worked on. */
  readonly runs: Map<number, number>;
  replica(options?: ManagerOptions): Manager;
  controller(origin: Origin, handler?: EventHandler<number>): Controller;
  /** Every number was worked on, and none twice. */
  assertOnceEach(): void;
}

function setUp(): Stage {
  const clock = createVirtualClock();
  const cluster = createScriptedCluster(clock);
  const runs = new Map<number, number>();
  return {
    clock,
    cluster,
    runs,
    replica(options) {
      const client = createClient({
        config: staticConfig({ server: "https://api" }),
        transport: cluster.transport,
        clock,
      });
      return createManager({ client, clock, log: silentLogger, metrics: createMetrics(), ...options });
    },
    controller: ({ source }, handler = ({ object }) => [{ name: `n${object}` }]) =>
      defineController({
        for: Bucket,
        concurrency: 10,
        watches: [watch(source, handler)],
        // Ends what it has begun, as a probe does: the stop must neither lose nor repeat it.
        async reconcile({ name }) {
          await clock.sleep("10ms");
          const n = Number(name.slice(1));
          runs.set(n, (runs.get(n) ?? 0) + 1);
        },
      }),
    assertOnceEach() {
      assert.deepEqual(
        numbers.filter((n) => runs.get(n) !== 1).map((n) => [n, runs.get(n) ?? 0]),
        [],
        "numbers, and how often they were worked on",
      );
    },
  };
}

/** A controller that another source wakes ten times a second, and the times at which it ran. */
function sibling(): { readonly controller: Controller; readonly at: number[] } {
  const at: number[] = [];
  const controller = defineController({
    name: "sibling",
    for: Bucket,
    watches: [watch(tickerSource({ every: "100ms" }), () => [{ name: "sibling" }])],
    async reconcile(_request, ctx) {
      at.push(ctx.clock.elapsed());
    },
  });
  return { controller, at };
}

function started(manager: Manager): { stop(clock: VirtualClock): Promise<void> } {
  const stop = new AbortController();
  const ended = manager.start({ signal: stop.signal });
  return {
    async stop(clock) {
      stop.abort();
      await clock.advance("1m");
      await ended;
    },
  };
}

for (const [kind, create] of [
  ["this process", process],
  ["an origin", broker],
] as const) {
  // Promise 1
  // Promise 2
  test(`ten thousand events of ${kind} sent before the start are handled once each, and a sibling runs on time`, async () => {
    const stage = setUp();
    const origin = create();
    for (const n of numbers) await origin.send(n);
    const beside = sibling();
    const manager = stage.replica().add(stage.controller(origin)).add(beside.controller);
    const { stop } = started(manager);
    await stage.clock.advance("15s");
    stage.assertOnceEach();
    assert.deepEqual(
      beside.at,
      Array.from({ length: 150 }, (_, tick) => (tick + 1) * 100),
    );
    await stop(stage.clock);
    stage.assertOnceEach();
  });

  // Promise 1
  // Promise 2
  // Promise 3
  test(`ten thousand events of ${kind} sent while a handler stalls are handled once each, and a sibling runs on time`, async () => {
    const stage = setUp();
    const origin = create();
    const beside = sibling();
    const stalled = new Set<number>();
    const handler: EventHandler<number> = async ({ object }, ctx) => {
      // Once for good, which its deadline ends; once for as long as the deadline allows.
      const isFirst = !stalled.has(object);
      stalled.add(object);
      if (object === 10 && isFirst) await new Promise(() => {});
      if (object === 20) await ctx.clock.sleep("9s");
      return [{ name: `n${object}` }];
    };
    const manager = stage.replica().add(stage.controller(origin, handler)).add(beside.controller);
    const { stop } = started(manager);
    await stage.clock.settle();
    const sent = Promise.all(numbers.map((n) => origin.send(n)));
    await stage.clock.advance("8s");
    assert.ok(stage.runs.size <= 10, "the handler stalls");
    await stage.clock.advance("32s");
    await sent;
    stage.assertOnceEach();
    assert.deepEqual(
      beside.at,
      Array.from({ length: 400 }, (_, tick) => (tick + 1) * 100),
    );
    await stop(stage.clock);
  });

  // Promise 1
  // Promise 4
  test(`ten thousand events of ${kind} sent while the lead changes hands and comes back are handled once each`, async () => {
    const stage = setUp();
    const origin = create();
    const leaderElection = { leaseName: "app", namespace: "ops", identity: "a", onLost: "campaign" } as const;
    const manager = stage.replica({ leaderElection }).add(stage.controller(origin));
    const { stop } = started(manager);
    await stage.clock.advance("1s");
    for (const n of numbers.slice(0, 4_000)) await origin.send(n);
    await stage.clock.advance("1s");
    assert.ok(stage.runs.size > 0 && stage.runs.size < 4_000, "work is under way");
    takeLease(stage);
    await stage.clock.advance("3s");
    assert.equal(manager.leadership.isLeader, false);
    const handled = stage.runs.size;
    assert.ok(handled < 4_000);
    for (const n of numbers.slice(4_000)) await origin.send(n);
    await stage.clock.advance("5s");
    assert.equal(stage.runs.size, handled, "another replica leads");
    await stage.clock.advance("30s");
    assert.equal(manager.leadership.isLeader, true);
    stage.assertOnceEach();
    await stop(stage.clock);
  });
}

// Promise 1
// Promise 4
test("ten thousand events of an origin are handled once each over a hand-over from one replica to the next", async () => {
  const stage = setUp();
  const origin = broker();
  const replicas = ["a", "b"].map((identity) => {
    const leaderElection = { leaseName: "app", namespace: "ops", identity };
    return started(stage.replica({ leaderElection }).add(stage.controller(origin)));
  });
  const [first, second] = replicas;
  for (const n of numbers) await origin.send(n);
  await stage.clock.advance("3s");
  assert.ok(stage.runs.size > 0 && stage.runs.size < count, "work is under way");
  await first?.stop(stage.clock);
  stage.assertOnceEach();
  await second?.stop(stage.clock);
  stage.assertOnceEach();
});

/** Another replica takes the Lease, and does not renew it. */
function takeLease({ cluster, clock }: { readonly cluster: Stage["cluster"]; readonly clock: Clock }): void {
  cluster.put(Lease, {
    metadata: { namespace: "ops", name: "app" },
    spec: {
      holderIdentity: "other",
      leaseDurationSeconds: 15,
      renewTime: clock.now().toISOString().replace("Z", "000Z"),
    },
  });
}
