import { isIPv6, type Socket } from "node:net";
import type { Clock } from "../clock/clock.ts";
import type { Endpoint } from "./route.ts";
import type { ConnectPolicy } from "./transport.ts";

/** How long one address is waited for before the next is tried beside it (RFC 8305 §5). */
const attemptDelayMs = 250;

/** Begins to connect a socket to an address; it is not a name. */
export type OpenSocket = (ip: string, port: number) => Socket;

export interface ConnectOptions {
  readonly endpoint: Endpoint;
  readonly addresses: readonly string[];
  readonly policy: ConnectPolicy | undefined;
  /** The endpoint is a proxy, which the policy is told. */
  readonly isProxy: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly open: OpenSocket;
  /** Words for a system error. */
  readonly failed: (error: unknown) => Error;
}

/**
 * Connects to the first address that answers; families alternate, and a slow address is overtaken. The policy is asked
 * about each address in the tick in which its socket is opened, and the socket is opened to that address: no name is
 * looked up in between. An address that it refuses is passed over.
 *
 * Rejects with the last system error in the words of `failed`, with what the policy threw when it refused every
 * address, or with the signal's reason.
 */
export function connectToFirst(options: ConnectOptions): Promise<Socket> {
  const { endpoint, policy, clock, signal } = options;
  const addresses = alternating(options.addresses);
  return new Promise((resolve, reject) => {
    const racing = new Set<Socket>();
    let next = 0;
    let failure: { readonly error: unknown } | undefined;
    let refusal: { readonly error: unknown } | undefined;
    let timer: Disposable | undefined;

    const finish = (): void => {
      timer?.[Symbol.dispose]();
      signal.removeEventListener("abort", onAbort);
      for (const socket of racing) socket.destroy();
      racing.clear();
    };
    const onAbort = (): void => {
      finish();
      reject(signal.reason);
    };

    const attempt = (ip: string): void => {
      const socket = options.open(ip, endpoint.port);
      racing.add(socket);
      socket.once("connect", () => {
        if (!racing.delete(socket)) return;
        finish();
        resolve(socket);
      });
      socket.once("error", (error) => {
        if (!racing.delete(socket)) return;
        failure = { error };
        tryNext();
      });
    };

    const tryNext = (): void => {
      timer?.[Symbol.dispose]();
      for (let ip = addresses[next]; ip !== undefined; ip = addresses[next]) {
        next += 1;
        try {
          policy?.({ ip, port: endpoint.port, host: endpoint.host, proxy: options.isProxy });
        } catch (error) {
          refusal ??= { error };
          continue;
        }
        attempt(ip);
        if (next < addresses.length) timer = clock.schedule(attemptDelayMs, tryNext, { unref: true });
        return;
      }
      if (racing.size > 0) return;
      finish();
      reject(
        failure === undefined && refusal !== undefined
          ? refusal.error
          : options.failed(failure?.error ?? new Error("the name has no address")),
      );
    };

    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    tryNext();
  });
}

/** The order of the resolver, with the families taking turns. */
function alternating(addresses: readonly string[]): readonly string[] {
  const leading = addresses.filter((ip) => isIPv6(ip) === isIPv6(addresses[0] ?? ""));
  const others = addresses.filter((ip) => !leading.includes(ip));
  return addresses.flatMap((_, turn) => [...leading.slice(turn, turn + 1), ...others.slice(turn, turn + 1)]);
}
