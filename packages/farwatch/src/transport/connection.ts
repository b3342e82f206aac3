import type { Exchange } from "./exchange.ts";

/** An open connection of a pool: one request at a time over HTTP/1.1, many over HTTP/2. */
export interface Connection {
  /** Requests that it can take now; 0 once it is closing. */
  readonly free: number;
  /** It takes no more requests, however many end. */
  readonly closing: boolean;
  /** Sends a request and sees to its answer. Only while `free` is above 0. */
  run(exchange: Exchange): void;
  /** Lies idle from now on, unless a request is on it: closed after this long, it keeps no process alive meanwhile. */
  rest(idleMs: number): void;
  /** Cuts it, with what is under way on it; `reason` is what those requests fail with. */
  destroy(reason?: Error): void;
}

/** What a connection tells its pool. */
export interface ConnectionOwner {
  /** It has room again. */
  onFree(connection: Connection): void;
  /** Its socket is closed. */
  onClosed(connection: Connection): void;
  /** It is certain that the server saw nothing of this request; `cause` is why. */
  onUnsent(exchange: Exchange, cause: Error): void;
}
