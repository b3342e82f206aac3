import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { pipeline } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGunzip, type Gunzip } from "node:zlib";

export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends requests to one server on kept connections; closing it cuts them. */
export interface Exchange extends Disposable {
  send(request: HttpRequest): Promise<HttpResponse>;
}

/** Plain node:http, since the transport of farwatch is not what is tested here and would add headers of its own. */
export function createExchange(url: string, ca: string | undefined): Exchange {
  const secure = url.startsWith("https:");
  const agent = secure
    ? new HttpsAgent({ keepAlive: true, ...(ca === undefined ? { rejectUnauthorized: false } : { ca }) })
    : new HttpAgent({ keepAlive: true });
  const send: Exchange["send"] = (asked) =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body, signal } = asked;
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const options = { method, agent, headers: { ...length, ...headers }, ...(signal && { signal }) };
      const sent = (secure ? requestHttps : requestHttp)(new URL(path, url), options);
      sent.on("error", (error: NodeJS.ErrnoException) => {
        // A server may close a connection that lies idle just as a request takes it: it goes out on another.
        if (sent.reusedSocket && error.code === "ECONNRESET") send(asked).then(resolve, reject);
        else reject(error);
      });
      sent.once("response", (response) => {
        // From here on an error is the body's.
        sent.removeAllListeners("error").on("error", () => {});
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: plainBody(response) });
      });
      sent.end(body);
    });
  return {
    send,
    [Symbol.dispose]: () => agent.destroy(),
  };
}

function plainBody(response: IncomingMessage): AsyncIterable<Uint8Array> {
  // Whoever reads hears of an error; when nobody does, as of a watch that is given up, it must not end the process.
  const body = response.headers["content-encoding"] === "gzip" ? createGunzip() : response;
  body.on("error", () => {});
  if (body !== response) pipeline(response, body as Gunzip, () => {});
  return body;
}

export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  return (await buffer(body as never)).toString("utf8");
}
