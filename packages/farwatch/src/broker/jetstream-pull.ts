import type { Msg } from "@nats-io/transport-node";
import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import type { JetStreamLimits } from "./jetstream-consumer.ts";
import { nanosPerMs } from "./jetstream-place.ts";
import type { OpenNats } from "./nats-connection.ts";

export interface JetStreamPullOptions {
  readonly nats: OpenNats;
  readonly stream: string;
  readonly consumer: string;
  /** What the consumer allows; it refuses a request for more. */
  readonly limits: Pick<JetStreamLimits, "mostAtOnce" | "mostBytes" | "longestWaitMs">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Asks a consumer for messages, and never for more than are wanted: what waits in a client's buffer, nobody extends.
 */
export interface JetStreamPull {
  /** Waits for at least one; none when it has waited long enough, or the signal has aborted and none was on its way. */
  next(most: number): Promise<readonly Msg[]>;
}

/** What a request of a pull says, in nanoseconds where it is a time (NATS ADR-13). */
interface PullRequest {
  readonly batch: number;
  readonly max_bytes?: number;
  readonly no_wait?: boolean;
  readonly expires: number;
  readonly idle_heartbeat?: number;
}

const mostAtOnce = 100;
/**
 * Of one request, except for a single message: a server closes a connection to which more than 64 MiB are on their way.
 */
const mostBytes = 16 * 1024 * 1024;
/**
 * A server ends a request for what is there when it has handed that over, but not when it stops before, since as much
 * is unsettled as the consumer allows: perhaps because of what this very request was given.
 */
const atOnceMs = 250;
const expiresMs = 30_000;
const heartbeatMs = 5_000;
/** A server that says nothing for so long is as good as gone. */
const silenceMs = 15_000;
/** Codes with which the server says that a request has had its answer: nothing there, and the time is over. */
const answered = new Set([404, 408]);
/** With 409 it tells both of what is wrong and of a request that is full by its bytes. */
const full = /^(?:Message Size Exceeds MaxBytes|Batch Completed)$/i;
const heartbeat = 100;

/**
 * Two requests in turn, since a server keeps one either until it is filled or not at all: first for what is there, then
 * for a single message to come.
 */
export function createJetStreamPull(options: JetStreamPullOptions): JetStreamPull {
  const { nats, stream, consumer, limits, clock, signal } = options;
  const { connection, lost, failed } = nats;
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
  const replies = nats.inbox;
  const arrived: Msg[] = [];
  let asked = 0;
  /** Told of what comes, by the request under way. */
  let heard: (message: Msg | Error) => void = () => {};

  const subscription = connection.subscribe(`${replies}.*`, {
    callback(error, message) {
      if (error !== null) {
        heard(failed(error.message, error));
        return;
      }
      if (!isStatus(message, replies)) arrived.push(message);
      heard(message);
    },
  });

  /** Once it is lost. */
  let failure: unknown;
  lost.catch((error: unknown) => {
    failure = error;
    heard(error as Error);
  });

  const ask = (request: PullRequest): Promise<void> =>
    new Promise((resolve, reject) => {
      asked += 1;
      const reply = `${replies}.${asked}`;
      let missing = request.batch;
      let silence: Disposable | undefined;
      const end = (error?: unknown): void => {
        silence?.[Symbol.dispose]();
        signal.removeEventListener("abort", onAbort);
        heard = () => {};
        if (error === undefined) resolve();
        else reject(error);
      };
      const onAbort = (): void => end();
      const onSilence = (): void => {
        end(failed("the server says nothing any more"));
        // Nor does it answer to what else waits for it.
        nats.cut();
      };
      const listen = (): void => {
        silence?.[Symbol.dispose]();
        silence = clock.schedule(silenceMs, onSilence, { unref: true });
      };
      heard = (message): void => {
        listen();
        if (message instanceof Error) {
          end(message);
        } else if (!isStatus(message, replies)) {
          missing -= 1;
          if (missing === 0) end();
        } else if (message.subject === reply) {
          const { code = 0, description = "" } = message.headers ?? {};
          if (answered.has(code) || full.test(description)) end();
          else if (code !== heartbeat) end(failed(`it answers ${code} ${description}`));
        }
      };
      signal.addEventListener("abort", onAbort, { once: true });
      listen();
      try {
        if (failure !== undefined) throw failure;
        connection.publish(subject, JSON.stringify(request), { reply });
      } catch (error) {
        end(error instanceof CodedError ? error : failed(messageOf(error), error));
      }
    });

  return {
    async next(most): Promise<readonly Msg[]> {
      if (arrived.length === 0) {
        const batch = Math.min(most, mostAtOnce, limits.mostAtOnce);
        const expires = Math.min(atOnceMs, limits.longestWaitMs) * nanosPerMs;
        await ask({ batch, max_bytes: Math.min(mostBytes, limits.mostBytes), no_wait: true, expires });
      }
      if (arrived.length === 0 && !signal.aborted) {
        const expires = Math.min(expiresMs, limits.longestWaitMs) * nanosPerMs;
        // A server refuses one that it would send less than twice.
        await ask({ batch: 1, expires, idle_heartbeat: Math.min(heartbeatMs * nanosPerMs, Math.floor(expires / 2)) });
      }
      // What the server has sent by now is given back, and not left to its deadline.
      if (signal.aborted) await nats.answered(subscription.drain());
      return arrived.splice(0);
    },
  };
}

/** A message comes under the subject on which it was published, what the server has to say under ours. */
function isStatus(message: Msg, replies: string): boolean {
  return message.subject.startsWith(`${replies}.`);
}
