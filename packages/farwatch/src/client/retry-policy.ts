import { backoff } from "../clock/backoff.ts";
import type { Random } from "../clock/random.ts";
import { TransportError } from "../transport/transport-error.ts";
import type { RestRequest } from "./rest-client.ts";
import { StatusError } from "./status-error.ts";

/** How often one request is sent at the most, the first time included. */
const mostTries = 6;

/** How often after its connection was lost: more is for the caller's own backoff, which knows what else it could do. */
const mostLostConnections = 2;

/** Says whether a failed try is worth another. */
export interface RetryPolicy {
  /** Milliseconds to wait before the next try; undefined when there shall be none. `tries` counts those that failed. */
  delayMs(request: RestRequest, error: unknown, tries: number): number | undefined;
}

/**
 * Reads are sent again when that can help soon. Writes are sent again only when the server did nothing: it said 429, or
 * it is certain that it saw nothing. A 503 may come from a proxy behind which the write went through; so only what is
 * repeatable is sent again after it. A server that cannot be reached at all is left to the caller's backoff.
 */
export function retryPolicy(random: Random): RetryPolicy {
  const busy = backoff({ initial: "500ms", max: "8s", jitter: "equal", random });
  const lost = backoff({ initial: "100ms", max: "1s", jitter: "full", random });
  return {
    delayMs(request, error, tries): number | undefined {
      if (tries >= mostTries) return undefined;
      const isRead = request.method === "GET";
      if (error instanceof StatusError) {
        if (error.httpStatus === 429) return error.retryAfterMs ?? busy.delayMs(tries);
        if (error.httpStatus === 503 && (request.repeatable ?? isRead)) return error.retryAfterMs;
        return undefined;
      }
      if (!(error instanceof TransportError) || request.streaming || tries > mostLostConnections) return undefined;
      // A connection that was there and broke. One that could not be made would hardly be there a moment later.
      const broke = error.phase === "request" || error.phase === "response";
      return broke && (isRead || !error.sent) ? lost.delayMs(tries) : undefined;
    },
  };
}
