import type { Client } from "../client/client.ts";
import type { Clock } from "../clock/clock.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { Hold } from "../event/delivery.ts";
import type { Request } from "../event/request.ts";
import { createTaskScope, type TaskScope } from "../flow/task-scope.ts";
import { untilAborted } from "../flow/until-aborted.ts";
import { createRateLimiter } from "../limit/rate-limiter.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { WorkQueue } from "../queue/work-queue.ts";
import type { AnyResource } from "../resource/resource.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import { requestedAtAnnotation } from "../wire/runtime-annotation.ts";

export interface RequestAnnotatorOptions {
  /** Whose objects the requests are for. */
  readonly resource: AnyResource;
  /**
   * What becomes of a cause whose object is not there: `done` (default), since there is nothing to run for, or
   * `giveBack`.
   */
  readonly ifGone?: "done" | "giveBack" | undefined;
  /** Not fenced: any replica may ask for a run. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * Stands where the queue would, on a replica that need not lead: a request becomes the annotation
 * `farwatch.dev/requested-at` on its object, which whoever leads sees through its watch. A request's cause is done when
 * the API server has stored the annotation, or the object is not there (see `ifGone`); it is rejected when there can be
 * none of that name and namespace, and given back when storing failed or took longer than 5 s.
 */
export interface RequestAnnotator extends Pick<WorkQueue, "add"> {
  /** Writes until the signal aborts; then what is not stored is given back, and it resolves. */
  run(signal: AbortSignal): Promise<void>;
}

/** An event of more objects than this is paced, all of them together. */
const burst = 100;
const perSecond = 50;
/** Senders wait no longer, and repeating is harmless. */
const longestMs = 5_000;
/** An object is annotated once in this time; what comes meanwhile shares the next. */
const spacingMs = 1_000;

/** An annotation to be written, and the events that wait for it. */
interface Pending {
  readonly request: Request;
  readonly causes: Hold[];
}

/** Delays and lanes of requests are not carried: an annotation says that a run is wanted now. */
export function createRequestAnnotator(options: RequestAnnotatorOptions): RequestAnnotator {
  const { resource, client, clock, log } = options;
  /** Not sent yet. What comes while one is sent may tell of something that happened after it: it wants another. */
  const pending = new Map<string, Pending>();
  const limiter = createRateLimiter({ name: "annotate", perSecond, burst, longestWait: longestMs, clock });
  const counts = options.metrics.counter({
    name: "farwatch_requested_at_annotations_total",
    help: "Annotations that ask for a run, by kind and result: stored, gone (no such object), impossible (there can be none) or failed.",
    labelNames: ["kind", "result"],
  });
  /** When each object that was annotated in the last second may be again, the earliest first. */
  const freeAtMs = new Map<string, number>();
  let scope: TaskScope | undefined;

  const giveBack = (key: string, { causes }: Pending): void => {
    if (pending.get(key)?.causes === causes) pending.delete(key);
    for (const cause of causes.splice(0)) cause.giveBack();
  };

  const occupy = (key: string): void => {
    const nowMs = clock.elapsed();
    freeAtMs.delete(key);
    freeAtMs.set(key, nowMs + spacingMs);
    for (const [other, atMs] of freeAtMs) {
      if (atMs > nowMs) return;
      freeAtMs.delete(other);
    }
  };

  const store = async ({ request }: Pending, signal: AbortSignal): Promise<"stored" | "gone"> => {
    const { namespace, name } = request;
    const metadata = namespace === undefined ? { name } : { namespace, name };
    // The server looks at the name in the path alone: that is all of the object that is known here.
    const object = { apiVersion: resource.apiVersion, kind: resource.kind, metadata } as KubeObject;
    const chance = Array.from({ length: 8 }, () => Math.floor(clock.random() * 36).toString(36)).join("");
    const token = `${clock.now().toISOString()}/${chance}`;
    try {
      await client.patch(
        object,
        { metadata: { annotations: { [requestedAtAnnotation]: token } } },
        { unconditional: true, signal },
      );
      return "stored";
    } catch (error) {
      if (isCodedError(error, "NotFound")) return "gone";
      throw error;
    }
  };

  const write = async (key: string, entry: Pending, parent: AbortSignal): Promise<void> => {
    using deadline = clock.timeout(longestMs, parent, { waitsFor: "the API server" });
    try {
      const waitMs = (freeAtMs.get(key) ?? 0) - clock.elapsed();
      if (waitMs > 0) await clock.sleep(waitMs, deadline);
      await limiter.take("patches", deadline);
      pending.delete(key);
      occupy(key);
      const result = await store(entry, deadline);
      counts.add({ kind: resource.kind, result });
      if (result === "gone" && options.ifGone === "giveBack") {
        log.warn("Cannot ask for a run: the object that stands for all is not there, create it", { object: key });
        giveBack(key, entry);
      }
      for (const cause of entry.causes.splice(0)) cause.done();
    } catch (error) {
      if (isCodedError(error, "InvalidOption")) {
        counts.add({ kind: resource.kind, result: "impossible" });
        log.warn("Cannot ask for a run: no object can have this name and namespace", { object: key, error });
        for (const cause of entry.causes.splice(0)) cause.reject(error);
        return;
      }
      if (!parent.aborted) {
        counts.add({ kind: resource.kind, result: "failed" });
        log.warn("Cannot ask for a run", { object: key, error });
      }
      giveBack(key, entry);
    }
  };

  return {
    add(request, { cause } = {}): void {
      const key = formatKey(request);
      const before = pending.get(key);
      if (before !== undefined) {
        if (cause !== undefined) before.causes.push(cause);
        return;
      }
      if (scope === undefined || scope.signal.aborted) {
        cause?.giveBack();
        return;
      }
      const entry: Pending = { request, causes: cause === undefined ? [] : [cause] };
      pending.set(key, entry);
      scope.run(`annotate ${key}`, (signal) => write(key, entry, signal));
    },
    async run(signal): Promise<void> {
      const own = createTaskScope(signal);
      scope = own;
      await untilAborted(own.signal);
      await own.join();
      scope = undefined;
    },
  };
}
