import type { Labels, Metrics } from "../observe/metrics.ts";
import type { WorkQueueObserver } from "../queue/create-work-queue.ts";
import type { WorkQueue } from "../queue/work-queue.ts";
import type { RunResult } from "./reconcile-run.ts";

/** client-go's buckets for queue and work durations. */
const queueBuckets: readonly number[] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1_000];

/**
 * What one controller counts, under controller-runtime's and client-go's names, so that their dashboards and alerts
 * fit.
 */
export interface ControllerMetrics {
  readonly queue: WorkQueueObserver;
  readonly mapper: (source: string) => { handlerFailed(): void; deadLetter(): void };
  runStarted(waitedMs: number): void;
  runEnded(result: RunResult, tookMs: number): void;
  /** Objects that are left alone; undefined while nothing of the controller runs here. */
  pausedObjects(count: number | undefined): void;
  /** Brings the gauges up to date. */
  sample(queue: WorkQueue): void;
  /** Takes the gauges away: the controller is no more. */
  remove(): void;
}

export function createControllerMetrics(metrics: Metrics, controller: string, concurrency: number): ControllerMetrics {
  // Frozen, so that they are known again by themselves at each run.
  const labels = Object.freeze({ controller });
  const named = Object.freeze({ name: controller, controller });
  const resultLabels = (result: string) => Object.freeze({ controller, result });
  const results: Readonly<Record<RunResult, Labels>> = {
    success: resultLabels("success"),
    requeue_after: resultLabels("requeue_after"),
    requeue: resultLabels("requeue"),
    error: resultLabels("error"),
    terminal: resultLabels("error"),
    given_back: resultLabels("given_back"),
  };
  const queueLabels = ["name", "controller"];
  const counter = (name: string, help: string) => metrics.counter({ name, help, labelNames: ["controller"] });
  const gauge = (name: string, help: string) => metrics.gauge({ name, help, labelNames: ["controller"] });

  const total = metrics.counter({
    name: "controller_runtime_reconcile_total",
    help: "Reconciliations by controller and result.",
    labelNames: ["controller", "result"],
  });
  const errors = counter("controller_runtime_reconcile_errors_total", "Reconciliations that failed.");
  const terminal = counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Reconciliations that failed for good.",
  );
  const seconds = metrics.histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "Length of reconciliations.",
    labelNames: ["controller"],
  });
  const active = gauge("controller_runtime_active_workers", "Reconciliations under way.");
  const most = gauge("controller_runtime_max_concurrent_reconciles", "Reconciliations that may be under way at once.");
  most.set(concurrency, labels);
  const paused = gauge(
    "farwatch_paused_objects",
    "Objects that are left alone, by the annotation farwatch.dev/paused.",
  );

  const adds = metrics.counter({ name: "workqueue_adds_total", help: "Requests added.", labelNames: queueLabels });
  const retries = metrics.counter({
    name: "workqueue_retries_total",
    help: "Requests that failed and wait to run again.",
    labelNames: queueLabels,
  });
  const depth = metrics.gauge({ name: "workqueue_depth", help: "Requests that are ready.", labelNames: queueLabels });
  const delayed = metrics.gauge({
    name: "farwatch_workqueue_delayed",
    help: "Requests that wait for their time.",
    labelNames: queueLabels,
  });
  const waited = metrics.histogram({
    name: "workqueue_queue_duration_seconds",
    help: "Time from ready to start.",
    labelNames: queueLabels,
    buckets: queueBuckets,
  });
  const worked = metrics.histogram({
    name: "workqueue_work_duration_seconds",
    help: "Time from start to end.",
    labelNames: queueLabels,
    buckets: queueBuckets,
  });
  const handlerErrors = metrics.counter({
    name: "farwatch_handler_errors_total",
    help: "Failed tries of event handlers.",
    labelNames: ["controller", "source"],
  });
  const deadLetters = metrics.counter({
    name: "farwatch_dead_letters_total",
    help: "Events that their handler could not map.",
    labelNames: ["controller", "source"],
  });
  let running = 0;

  return {
    queue: {
      added: () => adds.add(named),
      retried: () => retries.add(named),
    },
    mapper: (source) => ({
      handlerFailed: () => handlerErrors.add({ controller, source }),
      deadLetter: () => deadLetters.add({ controller, source }),
    }),
    runStarted(waitedMs): void {
      running += 1;
      waited.observe(waitedMs / 1_000, named);
    },
    runEnded(result, tookMs): void {
      running -= 1;
      total.add(results[result]);
      if (result === "error" || result === "terminal") errors.add(labels);
      if (result === "terminal") terminal.add(labels);
      seconds.observe(tookMs / 1_000, labels);
      worked.observe(tookMs / 1_000, named);
    },
    pausedObjects(count): void {
      if (count === undefined) paused.remove(labels);
      else paused.set(count, labels);
    },
    sample(queue): void {
      active.set(running, labels);
      depth.set(queue.depth, named);
      delayed.set(queue.delayed, named);
    },
    remove(): void {
      for (const metric of [active, most]) metric.remove(labels);
      for (const metric of [depth, delayed]) metric.remove(named);
    },
  };
}
