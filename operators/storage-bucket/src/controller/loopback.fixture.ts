// What the tests on real sockets share: servers on loopback that stand for an S3 service, a hung one, and a proxy.

import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { IssuedCertificate } from "@farwatch/testing";

export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** Open now. */
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves when none is open. */
  idle(): Promise<void>;
}

async function listen(server: Server): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  let onIdle = (): void => {};
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) onIdle();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    idle: () =>
      new Promise((resolve) => {
        onIdle = resolve;
        if (sockets.size === 0) resolve();
      }),
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export interface HttpServer extends LoopbackServer {
  /** `METHOD host path` of each request. */
  readonly requests: readonly string[];
}

/** Answers every request with 200, or as it is told. */
export async function startHttpServer(
  options: { readonly tls?: IssuedCertificate; readonly answer?: RequestListener } = {},
): Promise<HttpServer> {
  const requests: string[] = [];
  const onRequest: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.headers.host} ${request.url}`);
    if (options.answer === undefined) response.end();
    else options.answer(request, response);
  };
  const server = options.tls === undefined ? createHttpServer(onRequest) : createHttpsServer(options.tls, onRequest);
  return Object.assign(await listen(server), { requests });
}

/** Accepts connections and never says a word. */
export function startHungServer(): Promise<LoopbackServer> {
  // Read, so that it notices when the other side goes.
  return listen(createTcpServer((socket) => socket.resume()));
}

export interface ConnectProxy extends LoopbackServer {
  /** Targets of CONNECT. */
  readonly tunnels: readonly string[];
}

/** Tunnels every CONNECT to this port on loopback, whatever its target. */
export async function startConnectProxy(port: number): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const server = createHttpServer((_request, response) => response.writeHead(501).end());
  server.on("connect", (request, client: Socket, head) => {
    tunnels.push(request.url ?? "");
    const target = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      target.write(head);
      target.pipe(client).pipe(target);
    });
    target.on("error", () => client.destroy());
    client.on("error", () => target.destroy()).once("close", () => target.destroy());
  });
  return Object.assign(await listen(server), { tunnels });
}
