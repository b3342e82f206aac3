import { connect, createServer, type Socket } from "node:net";
import { CodedError, messageOf } from "farwatch";
import { freePort } from "../process/free-port.ts";
import { resetSocket } from "./reset-socket.ts";

export interface TcpRelayOptions {
  /** Where bytes go to: a port of 127.0.0.1. */
  readonly targetPort: number;
}

/** Passes bytes between a port of its own and another one of 127.0.0.1, and can do what bad networks do. */
export interface TcpRelay extends AsyncDisposable {
  readonly port: number;
  /** Clients connected now. */
  readonly connections: number;
  /** Resets every open connection; new ones are served. */
  cut(): void;
  /** Connections stay open and new ones are accepted, but no byte passes in either direction until `resume`. */
  silence(): void;
  /** Resets every open connection and refuses new ones until `resume`. */
  refuse(): Promise<void>;
  /** Ends silence, in which case the bytes held back now pass, or refusal. */
  resume(): Promise<void>;
}

/** The two sockets of one client. */
interface Pair {
  readonly client: Socket;
  readonly target: Socket;
}

/** Starts the relay on a free port of 127.0.0.1. Disposal resets what is open. */
export async function startTcpRelay(options: TcpRelayOptions): Promise<TcpRelay> {
  const pairs = new Set<Pair>();
  let silent = false;
  let refusing = false;

  const join = ({ client, target }: Pair): void => {
    client.pipe(target);
    target.pipe(client);
  };
  const part = ({ client, target }: Pair): void => {
    client.unpipe(target);
    target.unpipe(client);
    client.pause();
    target.pause();
  };
  /** In silence nobody may learn from us that the other end is gone. */
  const dropEnded = (pair: Pair): void => {
    if (silent) return;
    if (pair.client.destroyed || pair.target.destroyed) {
      pair.client.destroy();
      pair.target.destroy();
      pairs.delete(pair);
    }
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ host: "127.0.0.1", port: options.targetPort, allowHalfOpen: true });
    const pair: Pair = { client, target };
    pairs.add(pair);
    for (const socket of [client, target]) {
      // A socket closes right after its error, and the other end is told by our closing.
      socket.on("error", () => {});
      socket.on("close", () => dropEnded(pair));
      socket.setNoDelay(true);
    }
    if (silent) part(pair);
    else join(pair);
  });

  const cut = (): void => {
    for (const { client, target } of pairs) {
      resetSocket(client);
      target.destroy();
    }
    pairs.clear();
  };
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const onError = (cause: Error): void =>
        reject(
          new CodedError("ServerUnavailable", `Cannot listen on 127.0.0.1:${port}: ${messageOf(cause)}`, { cause }),
        );
      server.once("error", onError);
      server.listen({ host: "127.0.0.1", port }, () => {
        server.off("error", onError);
        resolve();
      });
    });
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

  const port = await freePort();
  await listen(port);
  return {
    port,
    get connections() {
      return pairs.size;
    },
    cut,
    silence(): void {
      silent = true;
      for (const pair of pairs) part(pair);
    },
    async refuse(): Promise<void> {
      if (refusing) return;
      refusing = true;
      const closed = close();
      cut();
      await closed;
    },
    async resume(): Promise<void> {
      if (refusing) {
        await listen(port);
        refusing = false;
      }
      if (!silent) return;
      silent = false;
      for (const pair of pairs) {
        dropEnded(pair);
        if (pairs.has(pair)) join(pair);
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = server.listening ? close() : Promise.resolve();
      cut();
      await closed;
    },
  };
}
