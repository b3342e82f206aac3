import { createServer, type IncomingMessage, type ServerResponse as NodeResponse, type Server } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { CodedError } from "farwatch";
import type { ClientCertificate } from "../authorize/authenticate.ts";
import { maxBodyBytes } from "../route/read-body.ts";
import type { Handler, ServerResponse } from "../route/server-request.ts";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type IssuedCertificate,
} from "./certificate-authority.ts";

export interface ListenOptions {
  /** Default: a free one. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /**
   * Speaks TLS, with HTTP/2 and client certificates, under a certificate of its own making; default: plain HTTP/1.1.
   */
  readonly tls?: boolean | undefined;
}

/** A socket on which the server answers. Disposal ends every connection. */
export interface Listening extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, or https. */
  readonly url: string;
  /** PEM of the authority that clients trust, and whose client certificates are users; undefined without TLS. */
  readonly ca: string | undefined;
  /**
   * A client certificate that makes its bearer this user, for a day. @throws CodedError `InvalidOption` without TLS.
   */
  clientCertificate(name: string, groups?: readonly string[]): Promise<IssuedCertificate>;
  readonly port: number;
}

type AnyServer = Http2SecureServer | Server;
type OnRequest = (request: IncomingMessage, response: NodeResponse) => void;

/** Answers on a socket. @throws CodedError `InvalidOption` for a port that is taken or not allowed. */
export async function listen(
  handler: Handler,
  { port = 0, host = "127.0.0.1", tls = false }: ListenOptions = {},
): Promise<Listening> {
  const onRequest: OnRequest = (request, response) => {
    answer(handler, request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  };
  const authority = tls ? await createCertificateAuthority("farwatch-apiserver") : undefined;
  const connections = new Set<{ destroy(): void }>();
  const server = authority === undefined ? createServer(onRequest) : await secureServer(authority, host, onRequest);
  const keep = (socket: Socket): void => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  };
  // With TLS both: one whose handshake never ends is a connection too.
  server.on("connection", keep);
  if (authority !== undefined) server.on("secureConnection", keep);
  await listening(server, port, host);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    ca: authority?.cert,
    async clientCertificate(name, groups = []): Promise<IssuedCertificate> {
      if (authority !== undefined) return authority.issue({ commonName: name, organizations: groups, usage: "client" });
      throw new CodedError(
        "InvalidOption",
        `Cannot make a certificate for ${name}: this socket speaks plain HTTP, listen with tls`,
      );
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

async function secureServer(
  authority: CertificateAuthority,
  host: string,
  onRequest: OnRequest,
): Promise<Http2SecureServer> {
  const hosts = [...new Set([host, "127.0.0.1", "localhost"])];
  const issued = await authority.issue({ commonName: "kube-apiserver", usage: "server", hosts });
  return createSecureServer(
    { ...issued, ca: authority.cert, requestCert: true, rejectUnauthorized: false, allowHTTP1: true },
    // HTTP/2's compatibility layer has all of the members that are used here; its types say so in other words.
    onRequest as (request: unknown, response: unknown) => void,
  );
}

function listening(server: AnyServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: Error) =>
      reject(
        new CodedError(
          "InvalidOption",
          `Cannot listen on ${host}:${port}: ${cause.message}; choose another port, or 0 for a free one`,
          {
            cause,
          },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
}

async function answer(handler: Handler, request: IncomingMessage, response: NodeResponse): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort(new CodedError("ConnectionFailed", "Cannot answer: the client has hung up")));
  const body = await readAll(request);
  const answered = await handler({
    method: request.method ?? "GET",
    target: request.url ?? "/",
    headers: { ...request.headers, ...impersonation(request) },
    certificate: certificateOf(request),
    body: body.length === 0 ? undefined : body,
    signal: left.signal,
  }).catch((error: unknown) => {
    if (left.signal.aborted) return undefined;
    throw error;
  });
  if (answered !== undefined) await write(answered, request, response);
}

/** Repeated headers of this kind are several values; Node joins those of HTTP/1.1 with commas. */
function impersonation({ headersDistinct = {} }: IncomingMessage): Readonly<Record<string, readonly string[]>> {
  const entries = Object.entries(headersDistinct).flatMap(([name, values]) =>
    name.startsWith("impersonate-") && values !== undefined ? [[name, values] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** Whoever shows no certificate has none; one that was not signed here is shown, and not trusted. */
function certificateOf({ socket }: IncomingMessage): ClientCertificate | undefined {
  if (!("getPeerCertificate" in socket)) return undefined;
  const { authorized } = socket as TLSSocket;
  const peer = (socket as TLSSocket).getPeerCertificate();
  if (peer?.subject === undefined) return undefined;
  const organizations = peer.subject.O as readonly string[] | string | undefined;
  return {
    trusted: authorized,
    commonName: String(peer.subject.CN ?? ""),
    organizations: organizations === undefined ? [] : [organizations].flat(),
    fingerprint: peer.fingerprint256,
  };
}

/** More than this of one body is not even listened to. */
const maxHeardBytes = 64 * 1024 * 1024;

/**
 * A body; of one that is too large as much as shows the handler that it is. The rest is heard out, so that its sender
 * hears the answer.
 */
async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (length <= maxBodyBytes) chunks.push(chunk);
    length += chunk.length;
    if (length > maxHeardBytes) break;
  }
  return Buffer.concat(chunks);
}

async function write(
  { status, headers, body }: ServerResponse,
  request: IncomingMessage,
  response: NodeResponse,
): Promise<void> {
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  response.writeHead(status, {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, onWire(value)])),
    ...(isWhole ? { "content-length": typeof body === "string" ? Buffer.byteLength(body) : body.length } : {}),
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  if (isWhole) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  for await (const chunk of body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

/** Node writes a header's characters as bytes: those of UTF-8, as the real server sends them. */
function onWire(value: string | readonly string[]): string | string[] {
  const bytes = (text: string): string => Buffer.from(text).toString("latin1");
  return typeof value === "string" ? bytes(value) : value.map(bytes);
}

function drained(response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go);
      response.off("close", go);
      resolve();
    };
    response.once("drain", go);
    response.once("close", go);
  });
}
