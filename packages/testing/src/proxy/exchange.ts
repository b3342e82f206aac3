import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { Writable } from "node:stream";
import { resetSocket } from "./reset-socket.ts";

/** A request and its answer as either protocol of Node's servers hands them over. */
export type ProxyRequest = IncomingMessage | Http2ServerRequest;
export type ProxyResponse = ServerResponse | Http2ServerResponse;

export function isHttp2Request(request: ProxyRequest): request is Http2ServerRequest {
  return "stream" in request;
}

function isHttp2Response(response: ProxyResponse): response is Http2ServerResponse {
  return "stream" in response;
}

/** What all requests of one client connection have in common. */
export function connectionOf(request: ProxyRequest): object {
  return isHttp2Request(request) ? (request.stream.session ?? request.stream) : request.socket;
}

/** Resets the connection that carries the request. */
export function cutConnection(request: ProxyRequest): void {
  if (isHttp2Request(request)) request.stream.session?.destroy();
  else resetSocket(request.socket);
}

/** Ends one exchange so that the client sees a fault and not an end: a reset stream, or a cut HTTP/1.1 connection. */
export function breakOff(response: ProxyResponse): void {
  if (isHttp2Response(response)) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

export async function readBody(request: ProxyRequest): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Sends status and headers at once, so that the client of a watch hears of it before its first event. */
export function writeHead(response: ProxyResponse, status: number, headers: OutgoingHttpHeaders): void {
  // The two writeHead are the same call with types that have none in common.
  if (isHttp2Response(response)) response.writeHead(status, headers);
  else response.writeHead(status, headers).flushHeaders();
}

/** Writes a part of the answer's body; resolves when there is room for the next, rejects when the client has gone. */
export async function writePart(response: ProxyResponse, part: Buffer, gone: AbortSignal): Promise<void> {
  const writable: Writable = response;
  if (writable.write(part)) return;
  await new Promise<void>((resolve, reject) => {
    const onGone = (): void => reject(gone.reason);
    gone.addEventListener("abort", onGone, { once: true });
    writable.once("drain", () => {
      gone.removeEventListener("abort", onGone);
      resolve();
    });
    if (gone.aborted) onGone();
  });
}
