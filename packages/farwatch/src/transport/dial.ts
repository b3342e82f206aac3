import { lookup as dnsLookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { Clock } from "../clock/clock.ts";
import { abortable } from "../flow/abortable.ts";
import { connectToFirst, type OpenSocket } from "./connect.ts";
import { transportError } from "./failure.ts";
import { openTunnel } from "./proxy-tunnel.ts";
import type { Route } from "./route.ts";
import { handshake, peerCertificateOf, secureContextOf } from "./tls-handshake.ts";
import type { PeerCertificate, TransportTimings } from "./transport.ts";
import type { TransportPhase } from "./transport-error.ts";

/**
 * Gives the addresses of a host name in the order in which to try them; throws as `dns.lookup` does when there are
 * none.
 */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** What the machine's resolver says: hosts file, search domains and all. */
export const systemLookup: Lookup = async (host) => {
  const found = await dnsLookup(host, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
};

/** A connection that is ready for HTTP. */
export interface Dialed {
  readonly socket: Socket;
  readonly protocol: "h2" | "http/1.1";
  readonly setUp: Omit<TransportTimings, "firstByte">;
  readonly peerCertificate: PeerCertificate | undefined;
}

export interface DialerOptions {
  readonly clock: Clock;
  readonly lookup: Lookup;
  readonly open: OpenSocket;
}

/** Opens the connections of one route. */
export interface Dialer {
  /**
   * Rejects with a TransportError, with what the connect policy threw, or with the signal's reason. Nothing stays open
   * then.
   */
  dial(signal: AbortSignal): Promise<Dialed>;
}

export function createDialer(route: Route, options: DialerOptions): Dialer {
  const { target, proxy, tls, policy } = route;
  const { clock, lookup, open } = options;
  const endpoint = proxy ?? target;
  const context = { name: target.name, proxy: proxy?.name, sent: false };
  let secureContext: SecureContext | undefined;

  const failed = (phase: TransportPhase, error: unknown, signal: AbortSignal): unknown =>
    signal.aborted ? signal.reason : transportError({ ...context, phase }, error);

  const resolve = async (signal: AbortSignal): Promise<readonly string[]> => {
    try {
      // A lookup cannot be cancelled.
      return await abortable(lookup(endpoint.host), signal);
    } catch (error) {
      throw failed("resolve", error, signal);
    }
  };

  const secure = async (socket: Socket, hop: "proxy" | "target", signal: AbortSignal): ReturnType<typeof handshake> => {
    try {
      if (hop === "proxy") {
        const proxyContext = secureContextOf({}, endpoint.name);
        return await handshake(socket, {
          serverName: endpoint.host,
          context: proxyContext,
          protocols: ["http/1.1"],
          insecureSkipVerify: false,
          signal,
        });
      }
      secureContext ??= secureContextOf(tls, target.name);
      return await handshake(socket, {
        serverName: tls.serverName ?? target.host,
        context: secureContext,
        protocols: route.protocols,
        insecureSkipVerify: tls.insecureSkipVerify ?? false,
        signal,
      });
    } catch (error) {
      socket.destroy();
      throw failed(hop === "proxy" ? "proxy" : "tls", error, signal);
    }
  };

  return {
    async dial(signal): Promise<Dialed> {
      // A proxy that is told an address connects to that address: the one thing behind it that can be checked.
      if (proxy !== undefined && isIP(target.host) !== 0)
        policy?.({ ip: target.host, port: target.port, host: target.host, proxy: false });
      const startMs = clock.elapsed();
      const literal = isIP(endpoint.host) !== 0;
      const addresses = literal ? [endpoint.host] : await resolve(signal);
      const resolvedMs = clock.elapsed();
      let socket = await connectToFirst({
        endpoint,
        addresses,
        policy,
        isProxy: proxy !== undefined,
        clock,
        signal,
        open,
        failed: (error) => transportError({ ...context, phase: "connect" }, error),
      });
      if (proxy?.secure) socket = await secure(socket, "proxy", signal);
      if (proxy !== undefined && target.secure) socket = await openTunnel(socket, proxy, target, signal);
      const connectedMs = clock.elapsed();
      const setUp = { ...(literal ? {} : { resolve: resolvedMs - startMs }), connect: connectedMs - resolvedMs };
      if (!target.secure) return { socket, protocol: "http/1.1", setUp, peerCertificate: undefined };
      const secured = await secure(socket, "target", signal);
      return {
        socket: secured,
        protocol: secured.alpnProtocol === "h2" ? "h2" : "http/1.1",
        setUp: { ...setUp, tls: clock.elapsed() - connectedMs },
        peerCertificate: peerCertificateOf(secured),
      };
    },
  };
}
