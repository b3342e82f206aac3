import type { Cache } from "../cache/cache.ts";
import type { Client, LeaderClient } from "../client/client.ts";
import type { ClientView, Fence } from "../client/connected-client.ts";
import type { Clock } from "../clock/clock.ts";
import type { Controller } from "../controller/controller.ts";
import { createControllerRunner } from "../controller/controller-runner.ts";
import { resourcesOf } from "../controller/controller-watches.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { createEventRecorder } from "../reconcile/create-event-recorder.ts";
import type { SourceHub } from "../source/source-hub.ts";
import { type SourceScope, scopeOf } from "../source/source-scope.ts";
import type { Runnable } from "./runnable.ts";

/** What was added to a manager, as tasks that the manager starts and stops. Dispose of it when none of them runs. */
export interface Work extends AsyncDisposable {
  readonly name: string;
  readonly tasks: readonly WorkTask[];
  /** Brings gauges up to date before they are scraped. */
  sample(): void;
}

export interface WorkTask {
  /** Names it in messages. */
  readonly name: string;
  /** On which replicas it runs. */
  readonly scope: SourceScope;
  /** What it has under way, for the message of a shutdown that takes too long. */
  readonly underWay: readonly string[];
  /** Works until the signal aborts; its writes pass the fence. */
  run(signal: AbortSignal, fence: Fence | undefined): Promise<void>;
}

export interface WorkTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly cache: Cache;
  readonly hub: SourceHub;
  /** Names this process in Events. */
  readonly instance: string;
  /** A client that writes under this name, and reads its own writes. */
  view(name: string, options?: Pick<ClientView, "fence" | "resources">): LeaderClient;
}

/**
 * Its watches have their places at once, so that nothing is missed before it starts; they and its informers are held
 * until disposal.
 */
export function controllerWork(controller: Controller, tools: WorkTools): Work {
  const { name } = controller;
  const { cache, clock, log, metrics, instance } = tools;
  using held = new DisposableStack();
  const informers = resourcesOf(controller).map((resource) => held.use(cache.informer(resource)));
  const runner = createControllerRunner({ controller, ...tools });
  const kept = held.move();

  /** Each controller waits for its own kinds alone: a missing CRD holds up whom it concerns. */
  const synced = (signal: AbortSignal) => Promise.all(informers.map((informer) => informer.synced(signal)));

  const reconciling = async (signal: AbortSignal, client: LeaderClient): Promise<void> => {
    const events = createEventRecorder({
      client,
      clock,
      log,
      metrics,
      controller: `farwatch.dev/${name}`,
      instance,
    });
    const done = new AbortController();
    const writing = events.run(done.signal);
    try {
      await synced(signal);
      log.info("Starting controller", { controller: name });
      await runner.start(signal, { client, events });
    } finally {
      done.abort();
      await writing;
    }
  };

  const annotating = async (signal: AbortSignal, client: Client): Promise<void> => {
    // What its handlers read must be there.
    await synced(signal);
    await runner.annotate(signal, { client });
  };

  return {
    name,
    tasks: [
      {
        name: `controller ${name}`,
        scope: scopeOf(controller.options),
        get underWay() {
          return runner.running;
        },
        run: (signal, fence) => reconciling(signal, tools.view(name, { fence })),
      },
      ...(runner.annotates
        ? [
            {
              name: `annotations of ${name}`,
              scope: "everyone" as const,
              underWay: [],
              run: (signal: AbortSignal) =>
                annotating(signal, tools.view(name, { resources: [controller.options.for] })),
            },
          ]
        : []),
    ],
    sample: () => runner.sample(),
    async [Symbol.asyncDispose](): Promise<void> {
      await runner[Symbol.asyncDispose]();
      kept.dispose();
    },
  };
}

export function runnableWork(runnable: Runnable, { clock, cache, log, view }: WorkTools): Work {
  const { name } = runnable;
  return {
    name,
    tasks: [
      {
        name: `runnable ${name}`,
        scope: scopeOf(runnable),
        underWay: [],
        run: (signal, fence) =>
          runnable.start({ signal, client: view(name, { fence }), clock, cache, log: log.child({ runnable: name }) }),
      },
    ],
    sample() {},
    async [Symbol.asyncDispose]() {},
  };
}
