import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import type { Clock } from "../clock/clock.ts";
import type { IngressAnswer } from "./ingress.ts";

/**
 * Senders that were refused may still be sending: so long is read and thrown away, lest the answer be lost with the
 * connection.
 */
export const lingerMs = 1_000;

export interface SendAnswerOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** Aborts when the connection closes. */
  readonly closed: AbortSignal;
  /** Called when the answer goes out before its request has come: what still comes of that is thrown away. */
  onUnread(): void;
}

/** Resolves when the sender has the answer, or has gone. */
export async function sendAnswer(
  { status, headers, body = "" }: IngressAnswer,
  { request, response, clock, closed, onUnread }: SendAnswerOptions,
): Promise<void> {
  const isUnread = !request.complete;
  response.writeHead(status, {
    ...(body === "" ? {} : { "content-type": "text/plain; charset=utf-8" }),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
    "content-length": Buffer.byteLength(body),
    ...(isUnread ? { connection: "close" } : {}),
  });
  if (isUnread) {
    onUnread();
    response.write(body);
    response.flushHeaders();
    await discarded(request, clock);
  }
  response.end(isUnread ? undefined : body);
  // Rejects when the sender has gone, before or meanwhile: nobody is left to be told.
  await finished(response, { signal: closed }).catch(() => {});
}

/** Reads what still comes of a request and throws it away, for a moment. */
function discarded(request: IncomingMessage, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.schedule(lingerMs, () => resolve(), { unref: true });
    const end = (): void => {
      timer[Symbol.dispose]();
      resolve();
    };
    request.once("end", end);
    request.once("close", end);
    request.resume();
  });
}
