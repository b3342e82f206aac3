import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { eventually } from "../eventually.ts";

/** A WebSocket server on loopback. */
export interface LoopbackWebSocket extends AsyncDisposable {
  /** `ws://127.0.0.1:port/feed`. */
  readonly url: string;
  readonly port: number;
  /** Every connection that was made, and what it asked with, in their order. */
  readonly connections: readonly { readonly socket: WebSocket; readonly request: IncomingMessage }[];
  /** Those that are open. */
  readonly open: number;
  /** Resolves with the n-th connection, from 1. */
  connection(n: number): Promise<WebSocket>;
  readonly isUp: boolean;
  /** Cuts every connection, and takes none until `restart`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export async function startWebSocketServer(
  onSocket: (socket: WebSocket, request: IncomingMessage) => void = () => {},
  options: ServerOptions = {},
): Promise<LoopbackWebSocket> {
  const http = createServer();
  const server = new WebSocketServer({ server: http, ...options });
  const listen = async (at: number): Promise<void> => {
    http.listen(at, "127.0.0.1");
    await once(http, "listening");
  };
  await listen(0);
  const connections: { readonly socket: WebSocket; readonly request: IncomingMessage }[] = [];
  server.on("connection", (socket, request) => {
    connections.push({ socket, request });
    socket.on("error", () => {});
    onSocket(socket, request);
  });
  const { port } = http.address() as AddressInfo;
  const kill = async (): Promise<void> => {
    const closed = new Promise((resolve) => http.close(resolve));
    for (const socket of server.clients) socket.terminate();
    http.closeAllConnections();
    await closed;
  };
  return {
    url: `ws://127.0.0.1:${port}/feed`,
    port,
    connections,
    get open() {
      return server.clients.size;
    },
    connection: (n) => eventually(`connection ${n}`, () => connections[n - 1]?.socket),
    get isUp() {
      return http.listening;
    },
    kill,
    restart: () => listen(port),
    async [Symbol.asyncDispose](): Promise<void> {
      if (http.listening) await kill();
    },
  };
}
