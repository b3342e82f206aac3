import type { Clock } from "../clock/clock.ts";
import { toMs } from "../clock/duration.ts";
import type { RetryAfterError } from "../clock/retry-after-error.ts";
import { CodedError, isCodedError } from "../error/coded-error.ts";
import { type Logger, lateChild } from "../observe/logger.ts";
import type { Outcome, Work } from "../queue/work-queue.ts";
import type { ReconcileContext, Reconciler } from "../reconcile/reconciler.ts";

/**
 * Conflicts in a row that run a request again at once; one more counts as a failure, so that no loop spins for ever.
 */
const mostConflicts = 10;

export type RunResult = "success" | "requeue_after" | "error" | "requeue" | "terminal" | "given_back";

export interface FinishedRun {
  readonly outcome: Outcome;
  /** The label of controller-runtime's `result`, more or less. */
  readonly result: RunResult;
}

export interface ReconcileRunOptions {
  readonly reconcile: Reconciler;
  readonly clock: Clock;
  /** What every run is given; `signal` aborts when the controller stops. */
  readonly ctx: Omit<ReconcileContext, "attempt">;
  readonly timeoutMs: number | undefined;
  readonly graceMs: number;
  readonly maxAttempts: number;
}

/**
 * Runs the reconciler for one work and says what the queue shall do. Never rejects. A run that goes on after its
 * deadline keeps its key: no second run starts beside it.
 */
export function createReconcileRun(options: ReconcileRunOptions): (work: Work) => Promise<FinishedRun> {
  const { clock, ctx } = options;
  /** Conflicts in a row, by key. */
  const conflicts = new Map<string, number>();

  const withDeadline = async (work: Work, timeoutMs: number, log: Logger): ReturnType<Reconciler> => {
    using deadline = clock.timeout(timeoutMs, ctx.signal);
    using _overdue = clock.schedule(
      timeoutMs + options.graceMs,
      () => log.error("Reconcile goes on after its deadline: it does not honour ctx.signal", { timeoutMs }),
      { unref: true },
    );
    try {
      return await options.reconcile(work.request, contextOf(ctx, deadline, work, log));
    } catch (error) {
      if (!deadline.aborted || ctx.signal.aborted || error !== deadline.reason) throw error;
      throw new CodedError("ReconcileTimeout", `Cannot reconcile ${work.key}: it took longer than ${timeoutMs} ms`, {
        cause: error,
      });
    }
  };

  const failed = (work: Work, error: unknown, log: Logger): FinishedRun => {
    const { key } = work;
    if (ctx.signal.aborted) {
      if (error !== ctx.signal.reason) log.debug("Reconcile failed while its controller stopped", { error });
      return { outcome: { type: "givenBack" }, result: "given_back" };
    }
    if (isCodedError(error, "Conflict")) {
      const count = (conflicts.get(key) ?? 0) + 1;
      if (count <= mostConflicts) {
        conflicts.set(key, count);
        log.debug("Reconcile runs again after a conflict", { error });
        return { outcome: { type: "again" }, result: "requeue" };
      }
    }
    conflicts.delete(key);
    if (isCodedError(error, "Terminal")) {
      log.error("Reconcile failed for good", { error });
      return { outcome: { type: "ended" }, result: "terminal" };
    }
    if (work.attempt >= options.maxAttempts) {
      log.error("Reconcile failed, and no attempts are left", { error, attempt: work.attempt });
      return { outcome: { type: "ended" }, result: "error" };
    }
    log.error("Reconcile failed", { error, attempt: work.attempt });
    return { outcome: { type: "failed", afterMs: askedAfterMs(error) }, result: "error" };
  };

  return async (work) => {
    const { namespace, name } = work.request;
    const log = lateChild(ctx.log, { namespace, name });
    try {
      const asked =
        options.timeoutMs === undefined
          ? options.reconcile(work.request, contextOf(ctx, ctx.signal, work, log))
          : withDeadline(work, options.timeoutMs, log);
      const outcome = toOutcome(await asked);
      conflicts.delete(work.key);
      return {
        outcome,
        result: outcome.type === "done" && outcome.requeueAfterMs !== undefined ? "requeue_after" : "success",
      };
    } catch (error) {
      try {
        return failed(work, error, log);
      } catch (unreadable) {
        // A Proxy, or a RetryAfterError whose time was made none since: a failure like any other.
        log.error("Reconcile failed with an error that cannot be read", { error: unreadable });
        return { outcome: { type: "failed" }, result: "error" };
      }
    }
  };
}

/** The error may come from another copy of this package, or be a CodedError of that code without a time. */
function askedAfterMs(error: unknown): number | undefined {
  const { after }: Partial<RetryAfterError> = isCodedError(error, "RetryAfter") ? error : {};
  return after === undefined ? undefined : toMs(after);
}

function toOutcome(result: Awaited<ReturnType<Reconciler>>): Outcome {
  if (result === undefined || result === null || result.requeueAfter === undefined) return { type: "done" };
  return { type: "done", requeueAfterMs: toMs(result.requeueAfter), priority: result.priority };
}

function contextOf(
  ctx: Omit<ReconcileContext, "attempt">,
  signal: AbortSignal,
  work: Work,
  log: Logger,
): ReconcileContext {
  const { clock, cache, client, events } = ctx;
  return { signal, clock, log, cache, client, events, attempt: work.attempt };
}
