import type { Cache } from "../cache/cache.ts";
import type { Client, LeaderClient } from "../client/client.ts";
import { createBreather } from "../clock/breather.ts";
import type { Clock } from "../clock/clock.ts";
import { toMs } from "../clock/duration.ts";
import { createTaskScope } from "../flow/task-scope.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { createWorkQueue } from "../queue/create-work-queue.ts";
import type { WorkQueue } from "../queue/work-queue.ts";
import type { EventRecorder } from "../reconcile/event-recorder.ts";
import { removeFinalizers } from "../reconcile/finalizer.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { unlessPaused } from "../reconcile/unless-paused.ts";
import type { Context } from "../source/source.ts";
import type { SourceHub, Subscription } from "../source/source-hub.ts";
import type { KubeObject } from "../wire/object.ts";
import type { Controller, ControllerOptions } from "./controller.ts";
import { createControllerMetrics } from "./controller-metrics.ts";
import { watchesOf } from "./controller-watches.ts";
import { createEventMapper } from "./event-mapper.ts";
import { handlerOfOwn } from "./own-annotation.ts";
import { createReconcileRun } from "./reconcile-run.ts";
import { createRequestAnnotator } from "./request-annotator.ts";
import type { Watch } from "./watch.ts";

export interface ControllerRunnerOptions {
  readonly controller: Controller;
  readonly cache: Cache;
  readonly hub: SourceHub;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** What the runs of one term are given. */
export interface RunnerTools {
  /** Fenced where the controller needs leadership; writes under the controller's name; reads its own writes. */
  readonly client: LeaderClient;
  readonly events: EventRecorder;
}

/**
 * A controller at work: watches in, workers over the queue, results settled. Dispose of it when nothing of it runs: it
 * leaves its sources, and what waits there is given back.
 */
export interface ControllerRunner extends AsyncDisposable {
  readonly name: string;
  /** The requests that a worker has, for the message of a shutdown that takes too long. */
  readonly running: readonly string[];
  /**
   * Works until the signal aborts: then no run starts any more, `ctx.signal` of those under way has aborted, and it
   * resolves when they have ended. Events and requests that were not worked on are given back to their sources. A fault
   * of the runner itself stops it in the same way, and is what it rejects with.
   */
  start(signal: AbortSignal, tools: RunnerTools): Promise<void>;
  /** Some of its sources are delivered as annotations, whoever leads: `annotate` is for every replica. */
  readonly annotates: boolean;
  /**
   * Asks for runs by annotations until the signal aborts; `client` is not fenced. What is not stored by then is given
   * back.
   */
  annotate(signal: AbortSignal, tools: { readonly client: Client }): Promise<void>;
  /** Brings gauges up to date before they are scraped. */
  sample(): void;
}

/** Subscribes to every source at once, so that nothing is missed between `add` and `start`. */
export function createControllerRunner(runner: ControllerRunnerOptions): ControllerRunner {
  const { controller, cache, hub, clock } = runner;
  const { name, options } = controller;
  const log = runner.log.child({ controller: name });
  const concurrency = options.concurrency ?? 1;
  const metrics = createControllerMetrics(runner.metrics, name, concurrency);
  const running = new Set<string>();
  const subscriptions: (readonly [Watch, Subscription<unknown>])[] = [];
  const leave = async (): Promise<void> => {
    await Promise.all(subscriptions.map(([, subscription]) => subscription[Symbol.asyncDispose]()));
  };
  try {
    for (const each of watchesOf(controller)) subscriptions.push([each, hub.subscribe(each.source, { name })]);
  } catch (error) {
    metrics.remove();
    leave().catch((failure: unknown) => log.error("Cannot leave a source", { error: failure }));
    throw error;
  }
  const { maxWait, backoff, namespaceConcurrency } = options;
  const createQueue = (): WorkQueue =>
    createWorkQueue({ clock, maxWait, backoff, namespaceConcurrency, observer: metrics.queue });
  let queue = createQueue();

  const isAnnotated = ([{ source }]: (typeof subscriptions)[number]): boolean => source.deliver === "annotate";

  const read = async (
    each: Watch,
    subscription: Subscription<unknown>,
    sink: { readonly ctx: Context; readonly queue: Pick<WorkQueue, "add"> },
  ): Promise<void> => {
    const { ctx } = sink;
    const mapper = createEventMapper({
      controller: name,
      source: subscription.name,
      handler: each.handler,
      predicates: each.predicates,
      queue: sink.queue,
      ctx,
      timeout: options.handlerTimeout,
      attempts: options.handlerAttempts,
      onDeadLetter: options.onDeadLetter,
      observer: metrics.mapper(subscription.name),
    });
    try {
      for (;;) {
        const received = await subscription.receive(ctx.signal);
        if (received === undefined) return;
        const mapping = mapper.map(received.event, received.hold);
        if (mapping !== undefined) await mapping;
      }
    } finally {
      await mapper.idle();
    }
  };

  return {
    name,
    get running() {
      return [...running];
    },
    sample: () => metrics.sample(queue),
    async start(parent, { client, events }): Promise<void> {
      queue = createQueue();
      const own = queue;
      // Everything hangs on the scope's signal: what fails in one watch or worker must not leave the others waiting.
      await using scope = createTaskScope(parent);
      const { signal } = scope;
      const ctx = { signal, clock, log, cache };
      const run = createReconcileRun({
        reconcile: unlessPaused(
          options.for,
          withoutRetiredFinalizers(options, options.reconcile),
          metrics.pausedObjects,
        ),
        clock,
        ctx: { ...ctx, client, events },
        timeoutMs: options.reconcileTimeout === undefined ? undefined : toMs(options.reconcileTimeout),
        graceMs: toMs(options.reconcileGrace ?? "2s"),
        maxAttempts: options.maxAttempts ?? Number.POSITIVE_INFINITY,
      });
      // Runs that compute for long, or ask to run again at once for ever, must not keep the Lease from being renewed.
      const breathe = createBreather(clock);
      const work = async (): Promise<void> => {
        for (;;) {
          const turn = breathe();
          if (turn !== undefined) await turn;
          const next = await own.next();
          if (next === undefined) return;
          if (signal.aborted) {
            own.finish(next, { type: "givenBack" });
            continue;
          }
          const startedMs = clock.elapsed();
          running.add(next.key);
          metrics.runStarted(next.waitedMs);
          const { outcome, result } = await run(next);
          running.delete(next.key);
          metrics.runEnded(result, clock.elapsed() - startedMs);
          own.finish(next, outcome);
        }
      };
      signal.addEventListener("abort", () => own.shutDown(), { once: true });
      if (signal.aborted) own.shutDown();
      for (const [each, subscription] of subscriptions.filter((one) => !isAnnotated(one))) {
        scope.run(`watch ${subscription.name}`, () => read(each, subscription, { ctx, queue: own }));
      }
      for (let worker = 0; worker < concurrency; worker += 1) scope.run(`worker ${worker}`, work);
      metrics.pausedObjects(0);
      try {
        await scope.join();
      } finally {
        metrics.pausedObjects(undefined);
      }
    },
    annotates: subscriptions.some(isAnnotated),
    async annotate(parent, { client }): Promise<void> {
      await using scope = createTaskScope(parent);
      const { signal } = scope;
      const ctx = { signal, clock, log, cache };
      const parts = { client, clock, log, metrics: runner.metrics };
      const annotator = createRequestAnnotator({ ...parts, resource: options.for });
      scope.run("annotations", () => annotator.run(signal));
      for (const [each, subscription] of subscriptions.filter(isAnnotated)) {
        const { annotates } = each.source;
        const source = subscription.name;
        if (annotates === undefined) {
          scope.run(`watch ${source}`, () => read(each, subscription, { ctx, queue: annotator }));
          continue;
        }
        const own = createRequestAnnotator({ ...parts, resource: annotates.resource, ifGone: "giveBack" });
        scope.run(`annotations of ${source}`, () => own.run(signal));
        const mapped = { ...each, handler: handlerOfOwn(annotates) };
        scope.run(`watch ${source}`, () => read(mapped, subscription, { ctx, queue: own }));
      }
      await scope.join();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await leave();
      metrics.remove();
    },
  };
}

/** Finalizers that earlier versions of the controller set would keep a deleted object for ever. */
function withoutRetiredFinalizers(options: ControllerOptions<KubeObject>, reconcile: Reconciler): Reconciler {
  const { retiredFinalizers = [] } = options;
  if (retiredFinalizers.length === 0) return reconcile;
  return async (request, ctx) => {
    const object = await ctx.client.find(options.for, request, { signal: ctx.signal });
    if (object?.metadata.deletionTimestamp !== undefined) {
      await removeFinalizers(ctx.client, object, retiredFinalizers, { signal: ctx.signal });
    }
    return reconcile(request, ctx);
  };
}
