import type { Duration } from "../clock/duration.ts";
import { givenMs } from "../clock/given-duration.ts";
import { CodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { redactText } from "../observe/redact.ts";
import { createHttpTransport } from "../transport/http-transport.ts";
import type { Transport } from "../transport/transport.ts";
import { type CheckpointStore, checkCheckpoint } from "./checkpoint.ts";
import { readProblem } from "./read-problem.ts";
import { checkBounds, checkFunctions, checkNeeded } from "./refuse-source.ts";
import { createResumable, type ResumableEvents } from "./resumable-events.ts";
import { createSilence } from "./silence.ts";
import type { Source, SourceContext } from "./source.ts";
import { createSourceMetrics } from "./source-metrics.ts";
import { checkOptions, declaredBy, type SourceOptions } from "./source-options.ts";
import { createSseStream, type SseItem, type SseMessage } from "./sse-stream.ts";
import { checkWebAccess, checkWebUrl, discard, getWeb, statusError, type WebAccess } from "./web-access.ts";

export interface SseSourceOptions<T> extends WebAccess, SourceOptions {
  /** http or https. */
  readonly url: string;
  /**
   * What the event carries; undefined: it is none. A throw is logged and counted, and the message left out. Default:
   * the message.
   */
  readonly read?: ((message: SseMessage) => T | undefined) | undefined;
  /** Where the last id is kept whose events were all worked on. */
  readonly checkpoint?: CheckpointStore | undefined;
  /** A connection on which not even a comment came for so long is made anew; default 5 min. */
  readonly idle?: Duration | undefined;
  /** An event that is larger fails the source; default 1 MiB. */
  readonly maxEventBytes?: number | undefined;
  /** Default: one of its own for each opening. It is not disposed of. */
  readonly transport?: Transport | undefined;
  /** Events that may be under way and not worked on; beyond it nothing is read; default 1,000. */
  readonly maxUnacknowledged?: number | undefined;
  /** Default: `sse-<host>`. */
  readonly name?: string | undefined;
}

/** What is waited for before the server is asked again, unless it says so (`retry:`). */
const defaultRetryMs = 3_000;
const [shortestRetryMs, longestRetryMs] = [1_000, 300_000];

/**
 * Events that a server sends over HTTP as `text/event-stream` (server-sent events, WHATWG HTML §9.2).
 *
 * - Delivery: with a checkpoint at least once, as far back as the server can go on from `Last-Event-ID`; without one at
 *   most once: what it sends before the first opening, or while nobody listens and it does not repeat, is lost.
 * - Durability: without a checkpoint `process`; this process goes on behind the last event that it read. With one
 *   `origin`: the server is asked to go on behind the last event before which all were worked on, which is written
 *   after that.
 * - Overflow: `wait`. Back pressure: what is not taken is not read, down to the socket.
 * - Connections: one that ends, is cut, or is silent for longer than `idle` is made again after the server's `retry:`
 *   (3 s; held within 1 s and 5 min) with the last id. The source shows as failing from a cut until the server answers.
 *   When it cannot be reached or answers anything but 200 `text/event-stream`, the source fails and is opened again
 *   with backoff. 204 ends the source for good, as the standard says.
 * - Leader need: open on the leader alone, or everywhere with `needLeaderElection: false`.
 * - Authentication: `headers`, read before each connection; a client certificate. Neither goes to another origin.
 * - Bounds: events of 1 MiB, five redirects in a row, under the same `connectPolicy` and never from https to http.
 *
 * @throws CodedError `InvalidOption`, `InvalidDuration`; its stream throws `ConnectionFailed`, `ProtocolError` for what
 *   is no event stream or an event that is too large, and by status `Unauthorized`, `Forbidden`, `NotFound`, `Gone`,
 *   `TooManyRequests`, `ServerUnavailable`.
 * @example
 * watch(
 *   sseSource({
 *     url: "https://flags.test/stream",
 *     headers: () => ({ authorization: `Bearer ${token()}` }),
 *     read: ({ data }) => JSON.parse(data),
 *   }),
 *   enqueueRequestsFromMapFunc(({ flag }) => [{ namespace: "default", name: flag }]),
 * );
 */
export function sseSource<T = SseMessage>(options: SseSourceOptions<T>): Source<T> {
  checkOptions("sse", options);
  const { checkpoint, maxEventBytes = 1_048_576, maxUnacknowledged } = options;
  const { host } = checkWebUrl(options.url, options.name ?? "sse", ["http", "https"]);
  const declared = declaredBy(options, `sse-${host}`);
  const idleMs = givenMs(options.idle ?? "5m", { doing: `make source ${declared.name}`, what: "idle" });
  checkWebAccess(declared.name, options);
  checkCheckpoint(declared.name, checkpoint);
  checkBounds(declared.name, { maxEventBytes, maxUnacknowledged });
  checkFunctions(declared.name, { read: options.read });
  if (options.transport !== undefined) checkNeeded(declared.name, { "transport.request": options.transport?.request });
  // Without `read` T is SseMessage, which is what the default says, but the compiler cannot conclude it.
  const read = options.read ?? ((message: SseMessage): T => message as unknown as T);
  const resumable = createResumable<T>(checkpoint);
  let retryMs = defaultRetryMs;
  /** The server asked not to be asked before, on the monotonic clock. */
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  /** Why there is no connection. */
  let failure: unknown;

  async function* events(ctx: SourceContext): AsyncGenerator<GenericEvent<T>, void, undefined> {
    const { name, clock, log, health } = ctx;
    const doing = `read source ${name}`;
    const counted = createSourceMetrics(ctx.metrics);
    const { createParser } = await clock.outside(import("eventsource-parser"));
    await using own = createHttpTransport({ clock });
    const { transport = own } = options;

    const readMessage = (message: SseMessage): T | undefined => {
      try {
        return read(message);
      } catch (error) {
        counted.deadLetter(name);
        log.error("Cannot read an event: it is left out", {
          id: message.id,
          event: message.event,
          problem: readProblem(error),
        });
        return undefined;
      }
    };
    const take = async (item: SseItem, to: ResumableEvents<T>): Promise<void> => {
      if (item.type === "retry") {
        retryMs = Math.min(longestRetryMs, Math.max(shortestRetryMs, item.ms));
        return;
      }
      const value = item.type === "message" ? readMessage(item.message) : undefined;
      if (value !== undefined) await to.send(value, item.place);
      else if (item.place !== undefined) to.passTo(item.place);
    };

    /** Reads one connection until it ends; false when the server wants no other. */
    const connect = async (to: ResumableEvents<T>, stopped: AbortSignal): Promise<boolean> => {
      using silence = createSilence({ clock, signal: stopped }, idleMs, doing);
      const lastId = to.place;
      const answer = await silence.during(
        getWeb({
          ...options,
          transport,
          doing,
          signal: silence.signal,
          streaming: true,
          ownHeaders: headersFor(lastId),
        }),
      );
      if (answer.status === 204) {
        await discard(answer);
        return false;
      }
      const type = answer.headers["content-type"] ?? "";
      if (answer.status !== 200 || !/^text\/event-stream\s*(;|$)/i.test(type)) {
        await discard(answer);
        if (answer.status !== 200) throw statusError(answer.status, doing, host);
        throw new CodedError(
          "ProtocolError",
          `Cannot ${doing}: ${host} answers ${JSON.stringify(redactText(type.slice(0, 100)))}, not text/event-stream`,
        );
      }
      failure = undefined;
      health.serving();
      const stream = createSseStream({ createParser, maxEventBytes, lastId, doing });
      const chunks = answer.body[Symbol.asyncIterator]();
      try {
        for (;;) {
          let next: IteratorResult<Uint8Array>;
          try {
            next = await silence.during(chunks.next());
          } catch (error) {
            if (stopped.aborted) throw error;
            health.failing(error);
            log.info("Connection was lost, connecting again", { error });
            return true;
          }
          if (next.done) return true;
          for (const item of stream.items(next.value)) await take(item, to);
        }
      } finally {
        await chunks.return?.();
      }
    };

    yield* resumable.read(ctx, async (to, stopped) => {
      // Opened after a failure, it has not recovered before the server answers.
      if (failure !== undefined) health.failing(failure);
      for (let goesOn = true; goesOn; ) {
        const waitMs = notBeforeMs - clock.elapsed();
        if (waitMs > 0) await clock.sleep(waitMs, stopped);
        try {
          goesOn = await connect(to, stopped);
        } catch (error) {
          failure = error;
          throw error;
        } finally {
          notBeforeMs = stopped.aborted ? Number.NEGATIVE_INFINITY : clock.elapsed() + retryMs;
        }
      }
    });
  }

  return {
    ...declared,
    delivery: checkpoint === undefined ? "atMostOnce" : "atLeastOnce",
    durability: checkpoint === undefined ? "process" : "origin",
    overflow: "wait",
    ends: true,
    maxUnacknowledged,
    connects: true,
    events,
  };
}

function headersFor(lastId: string | undefined): Readonly<Record<string, string>> {
  const headers = { accept: "text/event-stream", "cache-control": "no-cache" };
  // Sent as UTF-8, which a header holds as bytes.
  return lastId ? { ...headers, "last-event-id": Buffer.from(lastId).toString("latin1") } : headers;
}
