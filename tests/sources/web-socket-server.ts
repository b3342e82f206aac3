import { once } from "node:events";
import type { IncomingMessage } from "node:http";
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
}

export async function startWebSocketServer(
  onSocket: (socket: WebSocket, request: IncomingMessage) => void = () => {},
  options: ServerOptions = {},
): Promise<LoopbackWebSocket> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, ...options });
  await once(server, "listening");
  const connections: { readonly socket: WebSocket; readonly request: IncomingMessage }[] = [];
  server.on("connection", (socket, request) => {
    connections.push({ socket, request });
    socket.on("error", () => {});
    onSocket(socket, request);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/feed`,
    port,
    connections,
    get open() {
      return server.clients.size;
    },
    connection: (n) => eventually(`connection ${n}`, () => connections[n - 1]?.socket),
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
