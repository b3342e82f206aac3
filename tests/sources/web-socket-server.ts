import { createServer, type IncomingMessage } from "node:http";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { eventually } from "../eventually.ts";
import { type LoopbackServer, listenOnLoopback } from "../loopback-server.ts";

/** A WebSocket server on loopback. */
export interface LoopbackWebSocket extends LoopbackServer {
  /** `ws://127.0.0.1:port/feed`. */
  readonly url: string;
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
  const http = createServer();
  const server = new WebSocketServer({ server: http, ...options });
  const connections: { readonly socket: WebSocket; readonly request: IncomingMessage }[] = [];
  server.on("connection", (socket, request) => {
    connections.push({ socket, request });
    socket.on("error", () => {});
    onSocket(socket, request);
  });
  const loopback = await listenOnLoopback(http);
  return {
    ...loopback,
    url: `ws://127.0.0.1:${loopback.port}/feed`,
    connections,
    get open() {
      return server.clients.size;
    },
    connection: (n) => eventually(`connection ${n}`, () => connections[n - 1]?.socket),
  };
}
