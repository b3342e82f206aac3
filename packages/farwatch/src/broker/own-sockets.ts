import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** The sockets of a client that does not give them away, and does not let go of one on which no server speaks. */
export interface OwnSockets {
  /** Runs what connects; each socket that it opens, then or later, is one of these. */
  during<R>(connect: () => R): R;
  /** Ends them, and those to come as soon as they are made. */
  destroy(): void;
}

interface Owner {
  readonly sockets: Set<Socket>;
  destroyed: boolean;
}

const owners = new AsyncLocalStorage<Owner>();
let listens = false;

/** Node tells of each socket right when it is made, in the course of whoever makes it. */
function listen(): void {
  if (listens) return;
  listens = true;
  subscribe("net.client.socket", (message) => {
    const owner = owners.getStore();
    if (owner === undefined) return;
    const { socket } = message as { readonly socket: Socket };
    owner.sockets.add(socket);
    socket.once("close", () => owner.sockets.delete(socket));
    // Not at once: its maker connects it now, which would bring it back.
    if (owner.destroyed) queueMicrotask(() => socket.destroy());
  });
}

export function createOwnSockets(): OwnSockets {
  const owner: Owner = { sockets: new Set(), destroyed: false };
  return {
    during(connect) {
      listen();
      return owners.run(owner, connect);
    },
    destroy(): void {
      owner.destroyed = true;
      for (const socket of owner.sockets) socket.destroy();
    },
  };
}
