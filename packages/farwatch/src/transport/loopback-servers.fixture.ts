// What the tests of this room share: servers on loopback, certificates for them, and ways to wait for what happens on a
// socket.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from "node:http";
import { createSecureServer, type Http2SecureServer, type SecureServerOptions } from "node:http2";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { Clock } from "../clock/clock.ts";
import { toMs } from "../clock/duration.ts";
import { systemClock } from "../clock/system-clock.ts";
import type { TlsOptions, TransportResponse } from "./transport.ts";
import { TransportError } from "./transport-error.ts";

/** Certificate and key, or the certificate of an authority, as PEM. See the first line of each file. */
export function pem(
  name: "ca" | "other-ca" | "server" | "other-server" | "client" | "other-client" | "expired",
): string {
  return readFileSync(new URL(`fixtures/${name}.pem`, import.meta.url), "utf8");
}

/** Trusts the certificate of the servers below. */
export const trusted: TlsOptions = { ca: pem("ca") };

export interface Loopback extends AsyncDisposable {
  readonly port: number;
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** Sockets that clients have open. */
  readonly sockets: ReadonlySet<Socket>;
  /** Connections that were ever accepted. */
  readonly accepted: number;
  /** Resolves when this many sockets are open. */
  open(count: number): Promise<void>;
  /** Takes no more connections, and cuts those that are open. */
  close(): Promise<void>;
}

/** Has a server listen on loopback, and watches its sockets; closed on disposal, whatever is open. */
export async function listen(server: Server): Promise<Loopback> {
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  let accepted = 0;
  const changed = (): void => {
    for (const wake of waiting) wake();
  };
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      sockets.delete(socket);
      changed();
    });
    changed();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  };
  return {
    port,
    host: `127.0.0.1:${port}`,
    sockets,
    get accepted() {
      return accepted;
    },
    open(count): Promise<void> {
      return new Promise((resolve) => {
        const wake = (): void => {
          if (sockets.size !== count) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        wake();
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export function http1(handle: RequestListener): HttpServer {
  return createHttpServer(handle);
}

/** HTTP/1.1 over TLS alone. */
export function https1(handle: RequestListener, options: ServerOptions = {}): Server {
  return createHttpsServer({ cert: pem("server"), key: pem("server"), ...options }, handle);
}

/** HTTP/2 over TLS; HTTP/1.1 for who asks for it. It sends more at once than Node would by itself. */
export function http2(options: SecureServerOptions = {}): Http2SecureServer {
  const unlimited = { maxSessionMemory: 1_000, maxSendHeaderBlockLength: 10_000_000 };
  return createSecureServer({ cert: pem("server"), key: pem("server"), allowHTTP1: true, ...unlimited, ...options });
}

/** A server that is handed bare sockets. They are read from, since one that is not does not notice its end. */
export function tcp(handle: (socket: Socket) => void): Server {
  return createTcpServer((socket) => {
    handle(socket);
    socket.resume();
  });
}

/** The system's clock, whose timers fire when a test says so. */
export interface ManualClock extends Clock {
  /** The delays of the timers that are armed, ms. */
  readonly armed: readonly number[];
  /** Resolves when a timer of exactly this delay is armed. */
  arming(afterMs: number): Promise<void>;
  /** Fires the timers of exactly this delay; throws when there is none. */
  fire(afterMs: number): void;
}

export function manualClock(): ManualClock {
  const timers = new Set<{ readonly afterMs: number; readonly run: () => void }>();
  const waiting = new Set<() => void>();
  return {
    ...systemClock,
    schedule(after, run): Disposable {
      const timer = { afterMs: toMs(after), run };
      timers.add(timer);
      for (const wake of waiting) wake();
      return { [Symbol.dispose]: () => timers.delete(timer) };
    },
    arming(afterMs): Promise<void> {
      return new Promise((resolve) => {
        const wake = (): void => {
          if (![...timers].some((timer) => timer.afterMs === afterMs)) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        wake();
      });
    },
    get armed() {
      return [...timers].map(({ afterMs }) => afterMs);
    },
    fire(afterMs): void {
      const due = [...timers].filter((timer) => timer.afterMs === afterMs);
      assert.ok(due.length > 0, `no timer of ${afterMs} ms is armed`);
      for (const timer of due) {
        timers.delete(timer);
        timer.run();
      }
    },
  };
}

/** What a promise rejects with; fails the test when it resolves. */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  assert.ok("error" in outcome, "it resolved");
  return outcome.error;
}

/** The TransportError that a promise rejects with. */
export async function failure(work: Promise<unknown>): Promise<TransportError> {
  const error = await rejection(work);
  assert.ok(error instanceof TransportError, `it rejected with ${String(error)}`);
  return error;
}

/** The whole body as text. */
export async function text(response: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
