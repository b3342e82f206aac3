import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { messageOf, systemClock } from "farwatch";

/** A request; its method is GET unless it says otherwise. */
export interface HttpCall {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM; only for https. */
  readonly ca?: string;
}

/** An answer, of whatever status, with its whole body. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/**
 * One small request on a connection of its own, for starting and steering the servers of this package, whose transport
 * must not be the one under test. Rejects with Node's error, and after 10 s with `Timeout`.
 */
export async function httpCall(url: string, call: HttpCall = {}): Promise<HttpAnswer> {
  using deadline = systemClock.timeout("10s");
  return await new Promise<HttpAnswer>((resolve, reject) => {
    const options = {
      method: call.method ?? "GET",
      headers: { ...call.headers },
      agent: false as const,
      signal: deadline,
    };
    const secure = url.startsWith("https:");
    const sent = secure
      ? requestHttps(url, call.ca === undefined ? options : { ...options, ca: call.ca })
      : requestHttp(url, options);
    sent.once("error", (error) => reject(deadline.aborted ? deadline.reason : error));
    sent.once("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("error", reject);
      response.once("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(parts).toString("utf8"),
        }),
      );
    });
    sent.end(call.body);
  });
}

/** Undefined when a path of a server answers 200, else what it answered, or why it did not: for `untilReady`. */
export async function httpProblem(
  url: string,
  { path, ...call }: HttpCall & { readonly path: string },
): Promise<string | undefined> {
  try {
    const { status, text } = await httpCall(`${url}${path}`, call);
    return status === 200 ? undefined : `${path} answers ${status} ${text.slice(0, 400)}`;
  } catch (error) {
    return `${path}: ${messageOf(error)}`;
  }
}
