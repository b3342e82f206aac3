import { chooseProxy } from "../client/proxy-choice.ts";
import { CodedError, type ErrorCode } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { redactText } from "../observe/redact.ts";
import { proxyOf } from "../transport/route.ts";
import type { ConnectPolicy, TlsOptions, Transport, TransportResponse } from "../transport/transport.ts";
import { readProblem } from "./read-problem.ts";
import { checkFunctions, refuseSource } from "./refuse-source.ts";

/** By name. A function is called before each request or connection, so that a token which changes is read again. */
export type WebHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** How a source reaches its far side, and as whom. */
export interface WebAccess {
  /** Credentials too; they go to the origin of the URL alone. */
  readonly headers?: WebHeaders | undefined;
  /** Authorities, a client certificate. */
  readonly tls?: TlsOptions | undefined;
  /** The URL of an HTTP proxy; default: what HTTPS_PROXY, HTTP_PROXY and NO_PROXY say. */
  readonly proxy?: string | undefined;
  /** Asked about every address that is connected to; default: all are allowed. */
  readonly connectPolicy?: ConnectPolicy | undefined;
}

export interface WebRequest extends WebAccess {
  readonly transport: Transport;
  readonly url: string;
  /** Of the source's own, which go wherever it is redirected to. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly streaming?: boolean;
  /** `read source X`: what the errors say cannot be done. */
  readonly doing: string;
}

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * GET, and what the answer is redirected to, at most five times, under the same connect policy and never from https to
 * http. Another origin gets neither the headers of the access nor its client certificate.
 *
 * Bodies are asked for as they are, since none is decompressed.
 *
 * @throws CodedError `ProtocolError` for a redirect that may not be followed, and a body in another coding; what the
 * transport, the policy and `headers` throw.
 */
export async function getWeb(request: WebRequest): Promise<TransportResponse> {
  const { transport, ownHeaders, signal, connectPolicy, doing } = request;
  const first = new URL(request.url);
  const given = await headersOf(request, signal);
  let url = first;
  for (let hops = 0; ; hops += 1) {
    const isHome = url.origin === first.origin;
    const answer = await transport.request({
      method: "GET",
      url: url.href,
      headers: { "accept-encoding": "identity", ...(isHome ? given : {}), ...ownHeaders },
      signal,
      tls: isHome ? request.tls : withoutCertificate(request.tls),
      proxy: request.proxy ?? chooseProxy(url.href, process.env),
      connectPolicy,
      ...(request.streaming === undefined ? {} : { streaming: request.streaming }),
    });
    const { location, "content-encoding": coding = "identity" } = answer.headers;
    if (!redirects.has(answer.status) || location === undefined) {
      if (answer.status !== 200 || coding.trim().toLowerCase() === "identity") return answer;
      await discard(answer);
      throw new CodedError(
        "ProtocolError",
        `Cannot ${doing}: ${url.host} answers in the coding ${JSON.stringify(redactText(coding.slice(0, 100)))}, though it was asked for a body as it is`,
      );
    }
    await discard(answer);
    const next = URL.parse(location, url.href);
    const refuse = (why: string): never => {
      throw new CodedError("ProtocolError", `Cannot ${doing}: ${url.host} redirects ${why}`);
    };
    if (next === null || !/^https?:$/.test(next.protocol)) refuse("to what is no http or https URL");
    else if (url.protocol === "https:" && next.protocol === "http:") refuse("from https to http");
    else if (hops === mostRedirects) refuse(`once more, after ${mostRedirects} times`);
    else url = next;
  }
}

/**
 * The headers of an access now, with lower-case names. Rejects with what the function throws that gives them; one that
 * does not end is left to itself when the signal aborts.
 */
export async function headersOf(
  { headers = {} }: WebAccess,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const given = typeof headers === "function" ? await abortable((async () => headers())(), signal) : headers;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The answer's body is not wanted: frees its connection. */
export async function discard({ body }: TransportResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

/** What a status that is no success means. `answered`: by whom, without what a URL may hold of secrets. */
export function statusError(status: number, doing: string, answered: string): CodedError {
  return new CodedError(codeOf(status), `Cannot ${doing}: ${answered} answered ${status}`);
}

function codeOf(status: number): ErrorCode {
  if (status >= 500) return "ServerUnavailable";
  switch (status) {
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 410:
      return "Gone";
    case 429:
      return "TooManyRequests";
    default:
      return "ProtocolError";
  }
}

/** @throws CodedError `InvalidOption` for what is no URL of these schemes, or holds a user name or password. */
export function checkWebUrl(text: unknown, name: string, schemes: readonly string[]): URL {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url === null || !schemes.includes(url.protocol.slice(0, -1))) {
    const give = schemes.map((scheme) => `${scheme}://HOST/PATH`).join(" or ");
    return refuseSource(name, `url is ${text === undefined ? "missing" : "none"}, give ${give}`);
  }
  if (url.username !== "" || url.password !== "") {
    return refuseSource(name, "url carries a user name or password, send an authorization header instead");
  }
  return url;
}

/** @throws CodedError `InvalidOption`, naming the option and not what it says: it may be a secret. */
export function checkWebAccess(name: string, { headers = {}, tls = {}, proxy, connectPolicy }: WebAccess): void {
  const isRecord = (given: unknown): boolean => typeof given === "object" && given !== null && !Array.isArray(given);
  const hasTexts = isRecord(headers) && Object.values(headers).every((value) => typeof value === "string");
  if (typeof headers !== "function" && !hasTexts)
    refuseSource(name, "headers are none, give texts by their name, or a function that gives them");
  if (!isRecord(tls)) refuseSource(name, "tls is none, give an object of `ca`, `cert` and `key`");
  if (proxy !== undefined && typeof proxy !== "string") refuseSource(name, "proxy is none, give http://HOST:PORT");
  if (proxy !== undefined) proxyOf(proxy);
  checkFunctions(name, { connectPolicy });
}

/** What cannot be read of what was received. A parser's error quotes that, and so is no cause to be shown. */
export function unreadable(doing: string, cause: unknown): CodedError {
  const text = `Cannot ${doing}: ${readProblem(cause)}`;
  return new CodedError("ProtocolError", text, cause instanceof SyntaxError ? {} : { cause });
}

function withoutCertificate(tls: TlsOptions | undefined): TlsOptions | undefined {
  if (tls === undefined) return undefined;
  return { ca: tls.ca, insecureSkipVerify: tls.insecureSkipVerify };
}
