import { isIP } from "node:net";
import type { Clock, PeerCertificate, TransportRequest, TransportResponse } from "farwatch";
import { partsOf } from "../fault/parts-of.ts";
import type { ServedAnswer } from "./served-request.ts";

export interface InProcessServer {
  readonly clock: Clock;
  /** What every host name resolves to, for the connect policy. */
  readonly address: string;
  /** Shown to https requests. */
  readonly certificate?: PeerCertificate | undefined;
  readonly serve: () => Promise<ServedAnswer>;
}

/** Sends one request to a server in this process, with what a Transport on sockets would do around it. */
export async function answerInProcess(request: TransportRequest, server: InProcessServer): Promise<TransportResponse> {
  const { clock, address, certificate, serve } = server;
  const { hostname, port, protocol } = new URL(request.url);
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  request.connectPolicy?.({
    ip: isIP(host) === 0 ? address : host,
    port: Number(port === "" ? (protocol === "https:" ? 443 : 80) : port),
    host,
    proxy: false,
  });
  request.beforeWrite?.();
  // Checking signatures takes turns of the event loop, in which no virtual time may pass.
  const { status, headers, body = "" } = await clock.outside(serve());
  request.signal?.throwIfAborted();
  const bytes = request.method === "HEAD" ? new Uint8Array() : Buffer.from(body);
  const length = bytes.length === 0 ? {} : { "content-length": String(bytes.length) };
  return {
    status,
    headers: { date: clock.now().toUTCString(), ...length, ...headers },
    body: partsOf(bytes),
    timings: { firstByte: 0 },
    peerCertificate: protocol === "https:" ? certificate : undefined,
  };
}
