import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

/** A server of node:net, node:http or node:https on a port of 127.0.0.1, which it keeps. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  isUp(): boolean;
  /** Cuts every connection, and takes none until `restart`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export async function listenOnLoopback(server: Server): Promise<LoopbackServer> {
  // The server itself does not know those whose TLS is not agreed yet, nor those that speak another protocol by now.
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const listen = async (at: number): Promise<void> => {
    server.listen(at, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const kill = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    isUp: () => server.listening,
    kill,
    restart: () => listen(port),
    async [Symbol.asyncDispose](): Promise<void> {
      if (server.listening) await kill();
    },
  };
}
