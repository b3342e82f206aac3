import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { Clock } from "../clock/clock.ts";
import { CodedError } from "../error/coded-error.ts";
import type { IngressRequest } from "./ingress.ts";

/** Where a request goes, as it was sent: nothing is decoded or resolved, so that no two spellings name one path. */
export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Where a request goes; or the status of one that is not to be looked at, since it is in a form that servers need not
 * serve (RFC 9112, 3.2: a whole URL, an authority, `*`), or since another server could read it as another (3.2: several
 * Hosts; 6.1: a coding beside `chunked`, or any in HTTP/1.0): then nothing more of its connection can be trusted.
 */
export function targetOf({ url = "", httpVersion, headers, headersDistinct }: IncomingMessage): Target | number {
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return 505;
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && httpVersion === "1.0") return 400;
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return 501;
  if (!url.startsWith("/") || (headersDistinct.host?.length ?? 0) > 1) return 400;
  const mark = url.indexOf("?");
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}

/** Counts what all requests hold. */
export interface HeldBytes {
  /** @throws CodedError `IngressFull`, counting nothing, when there is no room. */
  add(bytes: number): void;
  remove(bytes: number): void;
}

export function createHeldBytes(mostBytes: number, onChange: (bytes: number) => void): HeldBytes {
  let held = 0;
  return {
    add(bytes): void {
      if (held + bytes > mostBytes) {
        throw new CodedError(
          "IngressFull",
          `Cannot read the body of a request: the ingress holds ${held} bytes of bodies, at most ${mostBytes}; send it again later`,
        );
      }
      held += bytes;
      onChange(held);
    },
    remove(bytes): void {
      held -= bytes;
      onChange(held);
    },
  };
}

export interface SocketRequestOptions extends Target {
  readonly maxBodyBytes: number;
  readonly held: HeldBytes;
  /** Called before the body is read. */
  readonly onRead?: (() => void) | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A request as routes see it. Disposed of when it is answered: then its body is no longer counted. */
export function createIngressRequest(
  message: IncomingMessage,
  options: SocketRequestOptions,
): IngressRequest & Disposable {
  const { path, query, maxBodyBytes, held, onRead, clock, signal } = options;
  let countedBytes = 0;
  let isOver = false;
  let body: Promise<Uint8Array> | undefined;

  const read = async (): Promise<Uint8Array> => {
    onRead?.();
    // Joined as they come: a chunk takes some hundred bytes more than it holds, and a sender may make them of one.
    let joined = Buffer.alloc(0);
    let bytes = 0;
    // Leaving the loop would destroy the socket, and the answer with it.
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      // Counted now, it would be counted for ever: a sender that is slow on purpose could fill the ingress with what
      // nobody holds.
      if (isOver) break;
      const before = bytes;
      bytes += chunk.length;
      if (bytes > maxBodyBytes) {
        throw new CodedError(
          "BodyTooLarge",
          `Cannot read the body of a request: it is longer than ${maxBodyBytes} bytes; send less, or raise maxBodyBytes`,
        );
      }
      if (bytes > joined.length) {
        const roomBytes = Math.min(maxBodyBytes, Math.max(bytes, 2 * joined.length));
        held.add(roomBytes - joined.length);
        countedBytes = roomBytes;
        joined = Buffer.concat([joined.subarray(0, before)], roomBytes);
      }
      chunk.copy(joined, before);
    }
    return joined.subarray(0, bytes);
  };

  return {
    method: message.method ?? "",
    path,
    query,
    headers: headersOf(message),
    remoteAddress: message.socket.remoteAddress ?? "",
    peerCertificate: peerCertificateOf(message),
    signal,
    body() {
      body ??= clock.outside(read());
      return body;
    },
    [Symbol.dispose](): void {
      isOver = true;
      held.remove(countedBytes);
      countedBytes = 0;
    },
  };
}

/** As they came: in Node's own object a header may share its name with what every object has. */
function headersOf({ rawHeaders }: IncomingMessage): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    const before = headers.get(name);
    // A list of values must not look like the first of them.
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

/** Only of a certificate that TLS has verified against `clientCa`. */
function peerCertificateOf({ socket }: IncomingMessage): IngressRequest["peerCertificate"] {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  return {
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    // Node gives an attribute a line, and escapes what would look like another one (RFC 2253).
    subject: certificate.subject.split("\n").join(","),
  };
}
