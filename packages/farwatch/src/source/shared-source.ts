import type { Cache } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import { backoff } from "../clock/backoff.ts";
import type { Clock } from "../clock/clock.ts";
import type { Instant } from "../clock/instant.ts";
import { CodedError, isCodedError, messageOf } from "../error/coded-error.ts";
import type { SourceEvent } from "../event/source-event.ts";
import { createTaskScope, type TaskScope } from "../flow/task-scope.ts";
import { untilAborted } from "../flow/until-aborted.ts";
import type { Ingress } from "../ingress/ingress.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { plainText } from "../observe/plain-text.ts";
import { createFanOut } from "./fan-out.ts";
import { readStream } from "./read-stream.ts";
import type { Source, SourceBlock, SourceHealth } from "./source.ts";
import { createSourceGauges } from "./source-gauges.ts";
import { createSourceMetrics } from "./source-metrics.ts";
import type { SourceState } from "./source-state.ts";
import { createWatchBuffer, type WatchBuffer } from "./watch-buffer.ts";

export interface SharedSourceOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly cache: Cache;
  readonly client: Client;
  readonly ingress: Ingress;
  readonly metrics: Metrics;
  /** How long a stream stays open, after the last read, for acknowledgements of what it has yielded. */
  readonly acknowledgeGraceMs: number;
  readonly closeGraceMs: number;
}

/** One source of a manager with the buffers of its watches; it is open while its scope is and while anybody watches. */
export interface SharedSource {
  readonly state: SourceState;
  join(watch: string): WatchBuffer<unknown>;
  /** Resolves when the stream is closed, if nobody else watches. */
  leave(buffer: WatchBuffer<unknown>): Promise<void>;
  /** Brings gauges up to date before they are scraped. */
  sample(): void;
  /** Takes gauges away: nobody watches, and nobody may join any more. */
  remove(): void;
  /** Opens the stream in this scope, now or when somebody watches; it closes when the scope's signal aborts. */
  open(scope: TaskScope): void;
}

/** A source that says nothing of its connection is `serving` after an event, or when it has stood this long. */
const standingMs = 10_000;
/** Backoff starts over when a source failed after this long. */
const healthyMs = 60_000;

export function createSharedSource(source: Source<unknown>, name: string, options: SharedSourceOptions): SharedSource {
  const { clock, cache, client, ingress } = options;
  const metrics = createSourceMetrics(options.metrics);
  metrics.known(name);
  const gauges = createSourceGauges(options.metrics, name);
  const log = options.log.child({ source: name });
  const delays = backoff({ initial: "1s", max: "1m", jitter: "equal", random: clock.random });
  const buffers = new Set<WatchBuffer<unknown>>();
  const fanOut = createFanOut({ source, name, clock, log, metrics, buffers, session: () => session });
  let scope: TaskScope | undefined;
  /** The opening under way. */
  let session: TaskScope | undefined;
  let sessionEnded: Promise<void> = Promise.resolve();
  let phase: SourceState["phase"] = "waiting";
  let blocked: SourceBlock | undefined;
  let failingSinceMs = 0;
  let restarts = 0;
  let lastError: string | undefined;
  let lastErrorAt: Instant | undefined;
  let lastEventAt: Instant | undefined;
  let lagMs: number | undefined;

  const become = (next: SourceState["phase"]): void => {
    if (phase === next) return;
    if (phase === "failing" || next === "failing") gauges.failing(next === "failing");
    if (next === "failing") failingSinceMs = clock.elapsed();
    if (phase === "failing" && next === "serving")
      log.info("Source serves again", { failedMs: Math.round(clock.elapsed() - failingSinceMs) });
    phase = next;
  };

  const failing = (error: unknown): void => {
    lastError = plainText(messageOf(error));
    lastErrorAt = clock.now();
    become("failing");
  };

  const heard = (event: SourceEvent<unknown>): void => {
    metrics.event(name);
    lastEventAt = clock.now();
    const occurredAt = event.type === "generic" ? event.occurredAt?.getTime() : undefined;
    // The origin's clock may be ahead of this one, and what it says may be no time.
    if (occurredAt !== undefined && Number.isFinite(occurredAt))
      lagMs = Math.max(0, lastEventAt.getTime() - occurredAt);
    become("serving");
  };

  /** What was read before the stop is acknowledged while its stream is still open, or comes again. */
  const released = async (): Promise<void> => {
    const graceMs = options.acknowledgeGraceMs;
    const overdue = Promise.withResolvers<void>();
    using _timer = clock.schedule(graceMs, () => {
      log.warn("Source closes before its events are acknowledged: they come again", {
        graceMs,
        unacknowledged: fanOut.unacknowledged,
      });
      overdue.resolve();
    });
    await Promise.race([fanOut.acknowledged(), overdue.promise]);
  };

  const read = async (signal: AbortSignal): Promise<void> => {
    const standing = source.connects ? undefined : clock.schedule(standingMs, () => become("serving"), { unref: true });
    const healthIn = (opened: AbortSignal): SourceHealth => ({
      failing(error): void {
        if (opened.aborted) return;
        standing?.[Symbol.dispose]();
        failing(error);
      },
      serving(): void {
        if (!opened.aborted) become("serving");
      },
      blocked(by): void {
        if (!opened.aborted) blocked = by;
      },
    });
    try {
      await readStream(
        (opened) =>
          source.events({
            name,
            signal: opened,
            clock,
            cache,
            client,
            ingress,
            log,
            health: healthIn(opened),
            metrics: options.metrics,
          }),
        {
          signal,
          clock,
          log,
          graceMs: options.closeGraceMs,
          ready: () => fanOut.room(signal),
          take(event) {
            heard(event);
            return fanOut.deliver(event, signal);
          },
          released,
          late: (event) => fanOut.giveBack(event),
        },
      );
    } finally {
      standing?.[Symbol.dispose]();
      blocked = undefined;
    }
    if (signal.aborted || source.ends) return;
    throw new CodedError(
      "SourceEnded",
      `Cannot read source ${name}: its stream ended, declare \`ends\` if it may; it is opened again`,
    );
  };

  /**
   * Reads, and reads again after a failure, until the signal aborts or the source has ended for good; throws what no
   * opening mends.
   */
  const serve = async (signal: AbortSignal): Promise<void> => {
    let failures = 0;
    while (phase !== "ended") {
      const openedMs = clock.elapsed();
      try {
        await read(signal);
        if (signal.aborted) return;
        become("ended");
        log.info("Source ended");
      } catch (error) {
        if (signal.aborted) {
          if (error !== signal.reason) log.warn("Source failed while it was closed", { error });
          return;
        }
        failures = clock.elapsed() - openedMs >= healthyMs ? 1 : failures + 1;
        const delayMs = Math.round(delays.delayMs(failures));
        metrics.failed(name);
        failing(error);
        // No later opening finds what this process was not installed with.
        if (isCodedError(error, "MissingDependency")) throw error;
        log.warn("Source failed, opening it again", { error, failures, delayMs });
        await clock.sleep(delayMs, signal);
        restarts += 1;
        // Another manager may have given events back since this one opened the source.
        await fanOut.redeliver(signal);
      }
    }
  };

  const runSession = async (parent: AbortSignal): Promise<void> => {
    if (phase !== "ended") become("starting");
    const own = createTaskScope(parent);
    session = own;
    try {
      own.run("read", async (signal) => {
        await fanOut.redeliver(signal);
        await serve(signal);
      });
      await untilAborted(own.signal);
      // Nobody works on what waits, and the stream stays open until it is given back.
      for (const buffer of buffers) buffer.drain();
      await own.join();
    } finally {
      session = undefined;
      if (phase !== "ended") become("waiting");
    }
  };

  const ensureSession = (): void => {
    const inScope = scope;
    if (inScope === undefined || inScope.signal.aborted || session !== undefined || buffers.size === 0) return;
    inScope.run(name, (signal) => {
      sessionEnded = runSession(signal);
      return sessionEnded.then(ensureSession);
    });
  };

  const stateNow = (): SourceState => {
    const stuckOn = fanOut.stuckOn(blocked);
    return {
      name,
      phase,
      reason: stuckOn === undefined ? undefined : { type: "Held", request: stuckOn },
      critical: source.critical ?? false,
      watches: [...buffers].map(({ watch }) => watch),
      restarts,
      lastError,
      lastErrorAt,
      lastEventAt,
      lagMs,
      buffered: Math.max(0, ...[...buffers].map(({ size }) => size)),
      unacknowledged: fanOut.unacknowledged,
      kept: fanOut.kept,
    };
  };

  return {
    get state() {
      return stateNow();
    },
    sample: () => gauges.sample(stateNow(), [...buffers]),
    remove: () => gauges.remove(),
    join(watch): WatchBuffer<unknown> {
      const buffer = createWatchBuffer(source, watch, {
        dropped: () => metrics.dropped(name, watch),
        coalesced: () => metrics.coalesced(name, watch),
        unkeyed: (error) => log.error("Cannot tell the key of an event that may coalesce", { watch, error }),
      });
      buffers.add(buffer);
      ensureSession();
      return buffer;
    },
    async leave(buffer): Promise<void> {
      if (!buffers.delete(buffer)) return;
      buffer.close();
      if (buffers.size > 0) return;
      session?.abort();
      // What ended it is for the scope that it was open in.
      await sessionEnded.catch(() => {});
    },
    open(inScope): void {
      scope = inScope;
      ensureSession();
    },
  };
}
