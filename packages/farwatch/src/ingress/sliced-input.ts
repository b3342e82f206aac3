import type { Duplex } from "node:stream";
import { CodedError } from "../error/coded-error.ts";

/** Some tens of the smallest requests: what is parsed of a connection after it was closed on. */
const sliceBytes = 1_024;
/** What waits of a body that nobody reads yet, in chunks that may be of one byte and cost hundreds. */
const unreadBytes = 4 * 1_024;

/**
 * Has what is read of a connection parsed in small slices: the rest waits as it came while nobody takes what was
 * parsed, and is left alone once the connection is told no more. Node's server parses all that one read brings, 64 KiB
 * with thousands of requests or chunks, though the first of them have closed the connection: strangers who send such
 * reads on all connections at once would hold the process up for seconds. Call it when the server has taken the
 * connection.
 */
export function sliceInput(socket: Duplex): void {
  const [parse] = socket.listeners("data");
  if (parse === undefined)
    throw new CodedError("Internal", "Cannot slice what comes on a connection: its server does not read it");
  const slice = (read: Buffer): void => {
    for (let from = 0; from < read.length && socket.writable; from += sliceBytes) {
      if (socket.isPaused()) {
        socket.unshift(read.subarray(from));
        return;
      }
      parse.call(socket, read.subarray(from, from + sliceBytes));
    }
  };
  socket.off("data", parse as (read: Buffer) => void);
  socket.on("data", slice);
  // Each request takes it from its socket; a server with TLS has no option for it.
  Object.defineProperty(socket, "readableHighWaterMark", { value: unreadBytes });
}
