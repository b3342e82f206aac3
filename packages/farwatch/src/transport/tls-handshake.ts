import { isIP, type Socket } from "node:net";
import { createSecureContext, type SecureContext, type TLSSocket, connect as tlsConnect } from "node:tls";
import { CodedError, messageOf } from "../error/coded-error.ts";
import type { PeerCertificate, TlsOptions } from "./transport.ts";

/** @throws CodedError `InvalidOption` when OpenSSL cannot read certificate or key. */
export function secureContextOf(tls: TlsOptions, name: string): SecureContext {
  try {
    return createSecureContext({ ca: bytes(tls.ca), cert: bytes(tls.cert), key: bytes(tls.key) });
  } catch (cause) {
    throw new CodedError("InvalidOption", `Cannot use the TLS material for ${name}: ${messageOf(cause)}; give PEM`, {
      cause,
    });
  }
}

function bytes(pem: string | Uint8Array | undefined): string | Buffer | undefined {
  return pem === undefined || typeof pem === "string" ? pem : Buffer.from(pem.buffer, pem.byteOffset, pem.byteLength);
}

export interface HandshakeOptions {
  /** Checked against the certificate; sent as SNI unless it is an address (RFC 6066 §3). */
  readonly serverName: string;
  readonly context: SecureContext;
  readonly protocols: readonly string[];
  readonly insecureSkipVerify: boolean;
  readonly signal: AbortSignal;
}

/**
 * Speaks TLS over a connected socket; when it rejects, with Node's own error or the signal's reason, the socket is
 * destroyed.
 */
export function handshake(socket: Socket, options: HandshakeOptions): Promise<TLSSocket> {
  const { serverName, signal } = options;
  return new Promise((resolve, reject) => {
    const secured = tlsConnect({
      socket,
      host: serverName,
      servername: isIP(serverName) === 0 ? serverName : "",
      secureContext: options.context,
      ALPNProtocols: [...options.protocols],
      rejectUnauthorized: !options.insecureSkipVerify,
    });
    const finish = (): void => {
      signal.removeEventListener("abort", onAbort);
      secured.off("secureConnect", onSecure);
    };
    const fail = (error: unknown): void => {
      finish();
      secured.destroy();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    const onSecure = (): void => {
      finish();
      resolve(secured);
    };
    // Stays for the socket's life: whoever uses it later has listeners of its own, and an idle socket must not crash
    // the process.
    secured.on("error", fail);
    secured.on("secureConnect", onSecure);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

export function peerCertificateOf(socket: TLSSocket): PeerCertificate | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  return {
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    fingerprint256: certificate.fingerprint256,
  };
}

/** `CN=a\nO=b` as `CN=a, O=b`; undefined, whatever the types say, for a name without parts. */
function oneLine(name: string | undefined): string {
  return (name ?? "").split("\n").join(", ");
}
