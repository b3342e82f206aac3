import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { IssuedCertificate } from "@farwatch/apiserver/access";
import { CodedError, isCodedError, messageOf, type Transport } from "farwatch";
import { readBody, writeHead, writePart } from "../proxy/exchange.ts";
import { resetSocket } from "../proxy/reset-socket.ts";

export interface ServeTransportOptions {
  /** Default: a free one. */
  readonly port?: number | undefined;
  /** Serves https. */
  readonly tls?: IssuedCertificate | undefined;
}

/** A server on 127.0.0.1. Disposal cuts its connections. */
export interface TransportServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, or https. */
  readonly url: string;
  readonly port: number;
  /** Closes the port, and resets the connections that are open. */
  refuse(): void;
  /** Opens the same port again. */
  resume(): void;
  /**
   * Resolves when the port is open, or closed because it refuses. @throws CodedError `ServerUnavailable` when it could
   * not be opened.
   */
  ready(): Promise<void>;
}

/**
 * Puts a server on real sockets before a Transport, so that what a Transport does to a request happens to a connection:
 * a request that fails resets it, one that is never answered leaves it open, a body that is cut is cut. HTTP/1.1.
 */
export async function serveTransport(
  transport: Transport,
  options: ServeTransportOptions = {},
): Promise<TransportServer> {
  const { tls } = options;
  const scheme = tls === undefined ? "http" : "https";
  const sockets = new Set<Socket>();
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    answer(transport, scheme, incoming, outgoing).catch((error: unknown) => fail(outgoing, error));
  };
  const server = tls === undefined ? createServer(onRequest) : createTlsServer({ ...tls }, onRequest);
  // Of a client that gives up on TLS or speaks no HTTP; it sees its own connection close.
  server.on("tlsClientError", () => {});
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });

  let port = options.port ?? 0;
  let opening: Promise<void> = Promise.resolve();
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const onError = (cause: Error): void =>
        reject(
          new CodedError("ServerUnavailable", `Cannot listen on 127.0.0.1:${port}: ${messageOf(cause)}`, { cause }),
        );
      server.once("error", onError);
      server.listen({ host: "127.0.0.1", port }, () => {
        server.off("error", onError);
        ({ port } = server.address() as AddressInfo);
        resolve();
      });
    });
  const close = (): void => {
    if (server.listening) server.close();
    for (const socket of sockets) resetSocket(socket);
  };

  await open();
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    refuse: close,
    resume(): void {
      if (server.listening) return;
      opening = open();
      // Whoever asks `ready` is told; nobody has to.
      opening.catch(() => {});
    },
    ready: () => opening,
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
      close();
      await closed;
    },
  };
}

async function answer(
  transport: Transport,
  scheme: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const { method = "GET", url = "/", headers } = incoming;
  const body = await readBody(incoming);
  try {
    const response = await transport.request({
      method,
      url: `${scheme}://${headers.host ?? "127.0.0.1"}${url}`,
      headers: headers as Readonly<Record<string, string>>,
      ...(body.length === 0 ? {} : { body }),
      signal: gone.signal,
    });
    writeHead(outgoing, response.status, response.headers);
    for await (const part of response.body) await writePart(outgoing, Buffer.from(part), gone.signal);
    outgoing.end();
  } catch (error) {
    if (gone.signal.aborted) return;
    if (!isCodedError(error, "ConnectionFailed")) throw error;
    resetSocket(incoming.socket);
  }
}

/** A fault of the server itself: said where it is seen, and never as an answer of the service. */
function fail(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(500, { "content-type": "text/plain" }).end(`The test server failed: ${messageOf(error)}`);
}
