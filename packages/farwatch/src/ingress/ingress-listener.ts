import type { Server, ServerOptions } from "node:http";
import type { SecureContextOptions } from "node:tls";
import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { answerWithin } from "../flow/answer-within.ts";
import type { Logger } from "../observe/logger.ts";
import { nodeHttp } from "../transport/node-http.ts";
import type { IngressOptions, IngressTls } from "./ingress-options.ts";

/** How often a function that gives TLS material is asked again. */
const renewalMs = 60_000;
/** How long it may take to answer. */
const readMs = 30_000;
const handshakeMs = 5_000;

interface ListenerTools {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * A server that does not listen yet, with TLS if the options say so.
 *
 * @throws CodedError `InvalidOption` when the options or the TLS material make no server.
 */
export async function createListener(
  { tls, clock, log }: Pick<IngressOptions, "tls"> & ListenerTools,
  http: ServerOptions,
): Promise<Server> {
  try {
    return tls === undefined ? nodeHttp.createServer(http) : await createTlsListener(tls, { clock, log }, http);
  } catch (cause) {
    throw new CodedError(
      "InvalidOption",
      `Cannot serve the ingress: ${messageOf(cause)}; correct \`ingress\`, whose TLS material is a certificate, its key and, for mutual TLS, a CA, in PEM`,
      { cause },
    );
  }
}

async function createTlsListener(
  tls: NonNullable<IngressOptions["tls"]>,
  { clock, log }: ListenerTools,
  http: ServerOptions,
): Promise<Server> {
  const ended = new AbortController();
  const read = async (): Promise<SecureContextOptions> => {
    if (typeof tls !== "function") return contextOf(tls);
    const how = { clock, signal: ended.signal, withinMs: readMs, of: "the function `ingress.tls`" };
    return contextOf(await answerWithin(() => clock.outside((async () => tls())()), how));
  };
  const context = await read();
  const server = process.getBuiltinModule("node:https").createServer({
    ...http,
    ...context,
    handshakeTimeout: handshakeMs,
    minVersion: "TLSv1.2",
    // A session would outlive the certificate of a sender that it was given for.
    sessionTimeout: 300,
    requestCert: context.ca !== undefined,
    // Whoever has none that counts is answered with 401 by the source that wants one.
    rejectUnauthorized: false,
  });
  if (typeof tls !== "function") return server;

  const renew = async (): Promise<void> => {
    for await (const _ of clock.ticks(renewalMs, ended.signal)) {
      try {
        server.setSecureContext(sameTrust(context, await read()));
      } catch (error) {
        if (ended.signal.aborted) return;
        log.error("Cannot renew the certificate of the ingress, going on with the old one", { error });
      }
    }
  };
  server.once("listening", () => {
    renew().catch((error: unknown) => log.error("Cannot renew the certificate of the ingress", { error }));
  });
  server.once("close", () => ended.abort());
  return server;
}

/** Senders go on to be asked for a certificate: without a CA any authority that Node knows would vouch for one. */
function sameTrust(before: SecureContextOptions, now: SecureContextOptions): SecureContextOptions {
  if (before.ca === undefined || now.ca !== undefined) return now;
  throw new Error("it has no `clientCa` any more");
}

function contextOf({ cert, key, clientCa }: IngressTls): SecureContextOptions {
  // Node takes an empty one for none, and trusts every authority that it knows.
  if (clientCa?.length === 0) throw new Error("its `clientCa` is empty");
  return {
    cert: bytes(cert),
    key: bytes(key),
    ...(clientCa === undefined ? {} : { ca: bytes(clientCa) }),
  };
}

function bytes(pem: string | Uint8Array): string | Buffer {
  return typeof pem === "string" ? pem : Buffer.from(pem);
}
