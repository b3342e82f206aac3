import { connect, type Socket } from "node:net";
import type { ClientOptions } from "ws";
import { chooseProxy } from "../client/proxy-choice.ts";
import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { createFifo } from "../flow/fifo.ts";
import { redactText } from "../observe/redact.ts";
import { createDialer, systemLookup } from "../transport/dial.ts";
import { systemCodeOf } from "../transport/failure.ts";
import { openTunnel } from "../transport/proxy-tunnel.ts";
import { routeOf, targetOf } from "../transport/route.ts";
import { loadPackage } from "./optional-package.ts";
import { headersOf, statusError, type WebAccess } from "./web-access.ts";

export interface WebSocketOptions extends WebAccess {
  readonly source: string;
  readonly url: string;
  readonly protocols: readonly string[];
  readonly maxMessageBytes: number;
  /** The far side is asked so often whether it is there; it is gone when it has said nothing until the next time. */
  readonly pingEveryMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A connection that is not made again. Its messages wait, and the socket is not read, until somebody takes them. */
export interface WebSocketConnection extends AsyncDisposable {
  /** The subprotocol that the server chose; "" for none. */
  readonly protocol: string;
  send(data: string | Uint8Array): void;
  /**
   * The next message: text, or bytes.
   *
   * @throws CodedError, once all that came was taken: `ConnectionFailed` with the code and reason of the closing,
   *   `ProtocolError` for what the protocol does not allow or a message that is too large, `WatchSilent`; the signal's
   *   reason.
   */
  next(signal: AbortSignal): Promise<string | Uint8Array>;
}

const connectMs = 30_000;
/** Between the two ends' words that they close, and from there to the end of the connection. */
const closeMs = 1_000;
const tcpKeepAliveMs = 30_000;
/** The far side's words, in an error. */
const longestReason = 123;

/**
 * Connects, to addresses that the policy allows alone, and asks for the upgrade; redirects are not followed.
 *
 * @throws CodedError `MissingDependency` without the package ws; `ConnectionFailed`; by status `Unauthorized` and its
 *   like when the server answers without an upgrade; what the policy and `headers` throw; the signal's reason.
 */
export async function openWebSocket(options: WebSocketOptions): Promise<WebSocketConnection> {
  const { source, clock, signal, pingEveryMs } = options;
  const { WebSocket } = await loadPackage({ source, name: "ws", clock, load: () => import("ws") });
  const { host } = new URL(options.url);
  const doing = `read source ${source}`;
  const failed = (state: string, cause?: unknown): CodedError => {
    const isTheirs = systemCodeOf(cause)?.startsWith("WS_ERR_") ?? false;
    return new CodedError(
      isTheirs ? "ProtocolError" : "ConnectionFailed",
      `Cannot ${doing} from ${host}: ${redactText(state)}`,
      { cause },
    );
  };

  using deadline = clock.timeout(connectMs, signal);
  const headers = await headersOf(options, deadline);
  const stream = await clock.outside(dial(options, deadline));
  const connected = (): InstanceType<typeof WebSocket> => {
    // Its types do not know of the time to close yet.
    const given: ClientOptions & { readonly closeTimeout: number } = {
      headers,
      maxPayload: options.maxMessageBytes,
      perMessageDeflate: false,
      // A server that says that it closes is to end the connection too (RFC 6455 §7.1.1); until then nothing would
      // tell.
      closeTimeout: closeMs,
      // Node takes whatever stream it is given.
      createConnection: (() => stream) as ClientOptions["createConnection"],
    };
    try {
      return new WebSocket(options.url, [...options.protocols], given);
    } catch (error) {
      stream.destroy();
      throw failed(messageOf(error), error);
    }
  };
  const socket = connected();

  const messages = createFifo<string | Uint8Array>();
  let lost: CodedError | undefined;
  let isHeard = true;
  let wake = (): void => {};
  let beating: Disposable | undefined;
  const lose = (error: CodedError): void => {
    lost ??= error;
    beating?.[Symbol.dispose]();
    wake();
  };
  const closed = new Promise<void>((resolve) => {
    socket.once("close", (code, reason) => {
      const words = reason.toString("utf8").slice(0, longestReason);
      lose(failed(`the connection was closed with code ${code}${words === "" ? "" : ` (${words})`}`));
      resolve();
    });
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("unexpected-response", (request, response) => {
      reject(statusError(response.statusCode ?? 0, doing, host));
      request.destroy();
    });
    // Stays: an error without a listener would end the process, also when it comes late.
    socket.on("error", (error) => {
      lose(failed(messageOf(error), error));
      reject(lost);
    });
  });

  socket.on("pong", () => {
    isHeard = true;
  });
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    isHeard = true;
    messages.push(isBinary ? data : data.toString("utf8"));
    socket.pause();
    wake();
  });
  const beat = (): void => {
    if (!isHeard) {
      lose(new CodedError("WatchSilent", `Cannot ${doing}: ${host} answers no ping in ${pingEveryMs} ms`));
      socket.terminate();
      return;
    }
    // Of a socket that is not read nothing can be heard.
    isHeard = socket.isPaused;
    socket.ping();
    beating = clock.schedule(pingEveryMs, beat);
  };

  const close = async (): Promise<void> => {
    beating?.[Symbol.dispose]();
    // The answer to the closing is behind what was not read.
    if (socket.isPaused) socket.resume();
    if (socket.readyState === WebSocket.OPEN) socket.close(1000);
    else socket.terminate();
    using _overdue = clock.schedule(closeMs, () => socket.terminate());
    await clock.outside(closed);
  };

  try {
    await abortable(clock.outside(abortable(opened, deadline)), deadline);
  } catch (error) {
    await close();
    throw error;
  }
  beating = clock.schedule(pingEveryMs, beat);

  return {
    protocol: socket.protocol,
    send(data): void {
      socket.send(data, (error) => {
        if (error) lose(failed(messageOf(error), error));
      });
    },
    async next(until): Promise<string | Uint8Array> {
      for (;;) {
        until.throwIfAborted();
        const message = messages.shift();
        if (message !== undefined) return message;
        if (lost !== undefined) throw lost;
        if (socket.isPaused) {
          isHeard = true;
          socket.resume();
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await abortable(promise, until);
      }
    },
    [Symbol.asyncDispose]: close,
  };
}

/** A stream to the server, ready for the upgrade. */
async function dial(options: WebSocketOptions, signal: AbortSignal): Promise<Socket> {
  const { clock, tls, connectPolicy } = options;
  const url = options.url.replace(/^ws/i, "http");
  const proxy = options.proxy ?? chooseProxy(url, process.env);
  const target = targetOf(url);
  const route = routeOf({ method: "GET", url, tls, connectPolicy, proxy, protocol: "http/1.1" }, target);
  const open = (ip: string, port: number): Socket => {
    const socket = connect({ host: ip, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: tcpKeepAliveMs });
    // Whoever uses it listens; one that nobody uses any more only closes.
    return socket.on("error", () => {});
  };
  const { socket } = await createDialer(route, { clock, lookup: systemLookup, open }).dial(signal);
  return route.proxy === undefined || target.secure ? socket : await openTunnel(socket, route.proxy, target, signal);
}
