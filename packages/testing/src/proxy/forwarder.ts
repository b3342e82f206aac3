import { Agent as HttpAgent, type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { type ProxyRequest, type ProxyResponse, writeHead, writePart } from "./exchange.ts";

/** Headers that are about one connection and not about the message (RFC 9110, 7.6.1). */
const ofOneConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

export interface Forwarder extends Disposable {
  /**
   * Sends the request on and streams its answer back; `onStatus` hears the answer's status. False when one of the two
   * ends gave up before the answer's end, which leaves the client's exchange for the caller to break off.
   */
  forward(
    request: ProxyRequest,
    body: Buffer,
    response: ProxyResponse,
    onStatus: (status: number) => void,
  ): Promise<boolean>;
}

function withoutConnectionHeaders(headers: NodeJS.Dict<string | string[]>): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => value !== undefined && !name.startsWith(":") && !ofOneConnection.has(name),
    ),
  );
}

export function createForwarder(target: { readonly url: string; readonly ca?: string | undefined }): Forwarder {
  const base = new URL(target.url);
  const secure = base.protocol === "https:";
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });

  const send = (request: ProxyRequest, body: Buffer, signal: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = withoutConnectionHeaders(request.headers);
      // A signature covers the host that the client named.
      const host = request.headers[":authority"] ?? request.headers.host;
      if (typeof host === "string") headers.host = host;
      if (body.length > 0) headers["content-length"] = String(body.length);
      const options = {
        host: base.hostname,
        port: base.port,
        path: request.url ?? "/",
        method: request.method ?? "GET",
        headers,
        agent,
        signal,
      };
      const sent = secure
        ? requestHttps({ ...options, ...(target.ca === undefined ? {} : { ca: target.ca }) })
        : requestHttp(options);
      sent.once("response", resolve);
      sent.on("error", reject);
      sent.end(body);
    });

  return {
    async forward(request, body, response, onStatus): Promise<boolean> {
      const clientGone = new AbortController();
      response.once("close", () => clientGone.abort());
      try {
        const answered = await send(request, body, clientGone.signal);
        const status = answered.statusCode ?? 502;
        onStatus(status);
        writeHead(response, status, withoutConnectionHeaders(answered.headers));
        for await (const part of answered) await writePart(response, part as Buffer, clientGone.signal);
        response.end();
        return true;
      } catch {
        // Both ends' failures look the same from here: the exchange is over, and the caller breaks it off.
        return false;
      }
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}
