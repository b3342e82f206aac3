import type { Socket } from "node:net";
import { CodedError } from "../error/coded-error.ts";
import { transportError } from "./failure.ts";
import { nodeHttp } from "./node-http.ts";
import type { ProxyEndpoint, Target } from "./route.ts";
import { TransportError } from "./transport-error.ts";

/**
 * Asks a proxy for a tunnel to the target (RFC 9110 §9.3.6) over a socket that is connected to it. Rejects with a
 * TransportError of phase `proxy`, or with the signal's reason; the socket is then destroyed.
 */
export function openTunnel(socket: Socket, proxy: ProxyEndpoint, target: Target, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = nodeHttp.request({
      createConnection: () => socket,
      method: "CONNECT",
      path: target.name,
      setHost: false,
      headers: {
        host: target.name,
        ...(proxy.authorization === undefined ? {} : { "proxy-authorization": proxy.authorization }),
      },
    });
    const finish = (): void => signal.removeEventListener("abort", onAbort);
    const fail = (error: unknown): void => {
      finish();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => {
      fail(signal.reason);
      request.destroy();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("error", (error) =>
      fail(transportError({ phase: "proxy", name: target.name, proxy: proxy.name, sent: false }, error)),
    );
    request.on("connect", (response, tunnel, head) => {
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) {
        fail(refusedByProxy(status, proxy, target));
      } else if (head.length > 0) {
        // Nobody speaks before the client in TLS: these bytes are the proxy's own.
        fail(
          new CodedError(
            "ProtocolError",
            `Cannot reach ${target.name} through the proxy ${proxy.name}: it sent data into the new tunnel`,
          ),
        );
      } else {
        finish();
        resolve(tunnel as Socket);
      }
    });
    request.end();
  });
}

function refusedByProxy(status: number, proxy: ProxyEndpoint, target: Target): TransportError {
  const why =
    status === 407 ? "it answered 407, give a valid user name and password in the proxy URL" : `it answered ${status}`;
  return new TransportError(`Cannot reach ${target.name} through the proxy ${proxy.name}: ${why}`, {
    phase: "proxy",
    systemCode: undefined,
    sent: false,
  });
}
