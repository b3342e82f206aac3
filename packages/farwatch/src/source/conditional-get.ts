import { readText } from "../client/response-body.ts";
import type { Clock } from "../clock/clock.ts";
import { checkWholeNumbers } from "../error/whole-numbers.ts";
import { forgetOldest } from "../flow/forget-oldest.ts";
import { createHttpTransport } from "../transport/http-transport.ts";
import type { Transport } from "../transport/transport.ts";
import { discard, getWeb, statusError, unreadable, type WebAccess } from "./web-access.ts";

export interface ConditionalGetOptions<T> extends WebAccess {
  /** Makes the value of a body; a throw is a failed request. Default: JSON. */
  readonly read?: (body: string) => T;
  /** Default: one of its own for each request; give one to keep connections open. It is not disposed of. */
  readonly transport?: Transport;
  /** Longer bodies are refused; default 4 MiB. */
  readonly maxBytes?: number;
  /**
   * URLs whose last value is kept; beyond it the one that was asked for least recently is forgotten. Default 10,000.
   */
  readonly mostUrls?: number;
}

/**
 * The value at a URL; the very same one as before when the server says that it has not changed. Undefined when nothing
 * is there (404, 410).
 *
 * @throws CodedError `Unauthorized`, `Forbidden`, `TooManyRequests`, `ServerUnavailable` by status; `ProtocolError` for
 *   other statuses, a body that is too long or cannot be read, and a redirect that may not be followed;
 *   `ConnectionFailed`; the signal's reason.
 */
export type ConditionalGet<T> = (
  url: string,
  ctx: { readonly signal: AbortSignal; readonly clock: Clock },
) => Promise<T | undefined>;

interface Kept<T> {
  readonly validators: Readonly<Record<string, string>>;
  readonly value: T;
}

/**
 * GET for polls: asks with `If-None-Match` and the ETag of the last answer, or else `If-Modified-Since` (RFC 9110
 * §13.1), so that a server which supports it answers 304 without a body. The context of `list` and `fetch` is what it
 * needs.
 *
 * Redirects are followed five times at most, under the same `connectPolicy` and never from https to http; other origins
 * get no `headers`. Bodies are not decompressed. It is for values that do not depend on who asks: one that changes with
 * `headers` needs one of these for each.
 *
 * @example
 * const get = conditionalGet<readonly Image[]>({
 *   headers: async () => ({ authorization: `Bearer ${await token()}` }),
 * });
 * pollSource({ every: "1m", list: (ctx) => get("https://registry.test/images", ctx), key: ({ digest }) => digest });
 */
export function conditionalGet<T = unknown>(options: ConditionalGetOptions<T> = {}): ConditionalGet<T> {
  // Without `read` T is what the caller says of the JSON.
  const { read = (body: string): T => JSON.parse(body) as T, maxBytes = 4 * 1_048_576, mostUrls = 10_000 } = options;
  checkWholeNumbers("make conditionalGet", { maxBytes, mostUrls });
  /** In the order of the last use. */
  const kept = new Map<string, Kept<T>>();

  const keep = (url: string, last: Kept<T>): void => {
    kept.delete(url);
    kept.set(url, last);
    forgetOldest(kept, mostUrls);
  };

  return async (url, { signal, clock }) => {
    const { host } = new URL(url);
    const doing = `get from ${host}`;
    const last = kept.get(url);
    await using own = createHttpTransport({ clock });
    const answer = await getWeb({
      ...options,
      transport: options.transport ?? own,
      url,
      ownHeaders: last?.validators ?? {},
      signal,
      doing,
    });
    const { status, headers, body } = answer;
    if (status === 304 && last !== undefined) {
      await discard(answer);
      keep(url, last);
      return last.value;
    }
    if (status !== 200) {
      await discard(answer);
      kept.delete(url);
      if (status === 404 || status === 410) return undefined;
      throw statusError(status, doing, host);
    }
    const text = await readText(body, maxBytes, () => doing);
    let value: T;
    try {
      value = read(text);
    } catch (error) {
      throw unreadable(doing, error);
    }
    const validators = validatorsOf(headers);
    if (validators === undefined) kept.delete(url);
    else keep(url, { validators, value });
    return value;
  };
}

/** Longer ones are no versions: sent back, they would make a request whose headers no server reads. */
const longestValidator = 4_096;

/** A server that gives both an ETag and a date compares the ETag alone. */
function validatorsOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  const { etag, "last-modified": modified } = headers;
  const [name, validator] = etag === undefined ? ["if-modified-since", modified] : ["if-none-match", etag];
  return validator === undefined || validator.length > longestValidator ? undefined : { [name]: validator };
}
