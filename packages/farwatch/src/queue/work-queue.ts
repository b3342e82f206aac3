import type { Hold } from "../event/delivery.ts";
import type { Request } from "../event/request.ts";

export interface AddOptions {
  /** Not before this many milliseconds have passed; default 0. */
  readonly afterMs?: number | undefined;
  readonly priority?: number | undefined;
  /**
   * Released when a run that started after this add has returned, or has ended for good; or before, when a younger
   * event of the same source waits for that run.
   */
  readonly cause?: Hold | undefined;
}

/** How a run ended. */
export type Outcome =
  /** Returned: its causes are released, its failures forgotten; run again after the delay when there is one. */
  | { readonly type: "done"; readonly requeueAfterMs?: number | undefined; readonly priority?: number | undefined }
  /** Threw: its causes are kept for the next run, which comes after the backoff, or after `afterMs`. */
  | { readonly type: "failed"; readonly afterMs?: number | undefined }
  /** A conflict: run again at once, without counting a failure; its causes are kept. */
  | { readonly type: "again" }
  /** Ended for good (terminal error, attempts used up): its causes are released, nothing is scheduled. */
  | { readonly type: "ended" }
  /** The process stops: its causes are given back. */
  | { readonly type: "givenBack" };

/** A request handed to a worker; hand it back with `finish` exactly once. */
export interface Work {
  readonly request: Request;
  /** The request as text, `namespace/name`. */
  readonly key: string;
  /** 1 for the first run, one more for each failure in a row. */
  readonly attempt: number;
  /** How long it waited since it became ready, ms. */
  readonly waitedMs: number;
  readonly priority: number;
}

/**
 * A work queue that keeps promises 6 and 7: a key is in it at most once; never handed to two workers at once; an add
 * during a run makes exactly one more run after it; between pending delays the earlier wins; lanes go by priority, but
 * nothing waits longer than `maxWait` behind younger requests. Where the requests of a namespace are limited, namespaces
 * take turns, and all this holds within each.
 */
export interface WorkQueue {
  add(request: Request, options?: AddOptions): void;
  /** Resolves with the next ready request; undefined once shut down. */
  next(): Promise<Work | undefined>;
  finish(work: Work, outcome: Outcome): void;
  /** Requests that are ready and not handed out. */
  readonly depth: number;
  /** Requests that wait for their time. */
  readonly delayed: number;
  /** No more adds are taken; waiting `next` calls resolve undefined; the causes of all that waits are given back. */
  shutDown(): void;
}
