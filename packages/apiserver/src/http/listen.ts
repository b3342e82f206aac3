import { createServer, type IncomingMessage, type ServerResponse as NodeResponse, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { CodedError } from "farwatch";
import { maxBodyBytes } from "../route/read-body.ts";
import type { Handler, ServerResponse } from "../route/server-request.ts";

export interface ListenOptions {
  /** Default: a free one. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
}

/** A socket on which the server answers. Disposal ends every connection. */
export interface Listening extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
}

/** Answers on a socket in plain HTTP/1.1. @throws CodedError `InvalidOption` for a port that is taken or not allowed. */
export async function listen(
  handler: Handler,
  { port = 0, host = "127.0.0.1" }: ListenOptions = {},
): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    answer(handler, request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await listening(server, port, host);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new CodedError(
          "InvalidOption",
          `Cannot listen on ${host}:${port}: ${cause.message}; choose another port, or 0 for a free one`,
          {
            cause,
          },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
}

export async function answer(handler: Handler, request: IncomingMessage, response: NodeResponse): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort(new CodedError("ConnectionFailed", "Cannot answer: the client has hung up")));
  const body = await readAll(request);
  if (body === undefined) {
    response.writeHead(413, { connection: "close" }).end();
    return;
  }
  const answered = await handler({
    method: request.method ?? "GET",
    target: request.url ?? "/",
    headers: request.headers,
    body: body.length === 0 ? undefined : body,
    signal: left.signal,
  }).catch((error: unknown) => {
    if (left.signal.aborted) return undefined;
    throw error;
  });
  if (answered !== undefined) await write(answered, request, response);
}

/** Undefined for more than any request may have. */
async function readAll(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // One byte more is kept, so that the handler sees that it is too much.
    if (length > maxBodyBytes + 1024) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function write(
  { status, headers, body }: ServerResponse,
  request: IncomingMessage,
  response: NodeResponse,
): Promise<void> {
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  response.writeHead(status, {
    ...headers,
    ...(isWhole ? { "content-length": typeof body === "string" ? Buffer.byteLength(body) : body.length } : {}),
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  if (isWhole) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  for await (const chunk of body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

function drained(response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go);
      response.off("close", go);
      resolve();
    };
    response.once("drain", go);
    response.once("close", go);
  });
}
