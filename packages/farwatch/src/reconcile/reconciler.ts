import type { LeaderClient } from "../client/client.ts";
import type { Duration } from "../clock/duration.ts";
import type { Request } from "../event/request.ts";
import type { Context } from "../source/source.ts";
import type { EventRecorder } from "./event-recorder.ts";

/** What a run asks for next. */
export interface Result {
  /** Run again after this; an earlier cause runs it earlier, and clears this. */
  readonly requeueAfter?: Duration | undefined;
  /** The lane of that run. */
  readonly priority?: number | undefined;
}

export interface ReconcileContext extends Context {
  /** Reads from the cache, writes to the server; after a write, reads of the same run see it (promise 9). */
  readonly client: LeaderClient;
  readonly events: EventRecorder;
  /** 1 for the first run, one more for each failure in a row. */
  readonly attempt: number;
}

/**
 * Brings the world in line with one object. Called with namespace and name alone, and again whenever anything may have
 * changed: it must look, not assume. A throw is tried again with backoff; `TerminalError` is not; `RetryAfterError`
 * says when.
 */
export type Reconciler = (request: Request, ctx: ReconcileContext) => Promise<Result | undefined | void>;
