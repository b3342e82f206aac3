import type { Socket } from "node:net";

/** Closes a connection with a reset, so that its other end sees a fault and not an end. */
export function resetSocket(socket: Socket): void {
  // libuv refuses to reset a socket that is shutting down, and Node 24 then waits for it for ever when the process
  // ends.
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
