import type { Clock } from "../clock/clock.ts";
import type { Instant } from "../clock/instant.ts";
import type { IngressAnswer, IngressRequest } from "./ingress.ts";
import type { Verifier } from "./verifier.ts";

/** One event of a body. */
export interface BodyEvent<B> {
  readonly body: B;
  /** The same in two deliveries of one event, for formats whose events have an identity. */
  readonly id?: string | undefined;
  readonly occurredAt?: Instant | undefined;
}

/**
 * The events of a body, all of them; why none of them counts, in words for its sender that quote nothing of it but
 * names; or the answer to a sender that tells of nothing yet, but asks whether it may.
 */
export type BodyReading<B> =
  | { readonly type: "events"; readonly events: readonly BodyEvent<B>[] }
  | { readonly type: "answer"; readonly answer: IngressAnswer }
  | { readonly type: "malformed"; readonly reason: string };

/** How events stand in the body of a request: `jsonBody`, `cloudEventsBody`, or a program's own. */
export interface BodyFormat<B> {
  /**
   * False for a content type that it does not read, which is answered with 415. Lower case, without parameters; "" for
   * none.
   */
  accepts(mediaType: string, headers: ReadonlyMap<string, string>): boolean;
  /** What it reads, for the sender who gets 415: `application/json in UTF-8`. */
  readonly expects?: string | undefined;
  /**
   * Answers OPTIONS, by which some senders ask beforehand whether they may send. Anybody may ask: the answer must say
   * nothing that is secret and have no effect. Without it OPTIONS is answered with 405.
   */
  preflight?(request: IngressRequest): IngressAnswer;
  /**
   * Reads the body of an authenticated request. `covers`: what of it the sender has vouched for. A throw is answered
   * with 500.
   */
  read(
    request: IngressRequest,
    bytes: Uint8Array,
    ctx: { readonly clock: Clock; readonly covers: Verifier["covers"] },
  ): Promise<BodyReading<B>>;
}

export interface ContentType {
  /** Lower case, without parameters; "" when the header is missing or cannot be read. */
  readonly mediaType: string;
  /** Lower case; undefined when the header says none, "" when it says what is none, or more than one. */
  readonly charset: string | undefined;
}

/** Reads a Content-Type header (RFC 9110, 8.3). */
export function readContentType(header: string | undefined): ContentType {
  const [first = "", ...parameters] = (header ?? "").toLowerCase().split(";");
  const mediaType = first.trim();
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType)) return { mediaType: "", charset: undefined };
  const named = parameters.filter((parameter) => /^\s*charset\s*(?:=|$)/.test(parameter));
  const [charset = "", ...others] = new Set(named.map(charsetOf));
  return { mediaType, charset: named.length === 0 ? undefined : others.length === 0 ? charset : "" };
}

function charsetOf(parameter: string): string {
  const [, quoted, bare = ""] = /^\s*charset\s*=\s*(?:"([\w.:-]+)"|([\w.:-]+))\s*$/.exec(parameter) ?? [];
  return quoted ?? bare;
}

/** True for `application/json` and for what ends in `+json` (RFC 6839). */
export function isJson(mediaType: string): boolean {
  return mediaType === "application/json" || mediaType === "text/json" || mediaType.endsWith("+json");
}

/** True for a body whose Content-Type says that it is UTF-8, or says no charset. */
export function isUtf8(headers: ReadonlyMap<string, string>): boolean {
  return isUtf8Name(readContentType(headers.get("content-type")).charset);
}

/** True for a charset of `readContentType` whose bytes are UTF-8; none is. */
export function isUtf8Name(charset: string | undefined): boolean {
  return charset === undefined || charset === "utf-8" || charset === "utf8" || charset === "us-ascii";
}
