import { hash, X509Certificate } from "node:crypto";
import type { Clock } from "../clock/clock.ts";
import { CodedError, messageOf } from "../error/coded-error.ts";
import { forgetOldest } from "../flow/forget-oldest.ts";
import { createRateLimiter, type RateLimiter } from "../limit/rate-limiter.ts";
import type { Transport } from "../transport/transport.ts";
import { type Fetched, fetchText } from "./fetch-text.ts";

/**
 * Certificates by which Amazon SNS signs, fetched by the names that messages give, before anybody knows who sent them.
 */
export interface SnsCertificates {
  /**
   * True when there is a certificate of this name and it `passes`, which says that it has signed a message. Many
   * messages that come at once need one fetch.
   *
   * @throws CodedError `CredentialFailed` when it cannot be fetched, or not now: whoever sent the message shall send it
   * again.
   */
  verify(url: string, clock: Clock, passes: (certificate: X509Certificate) => boolean): Promise<boolean>;
  /** Names that are remembered, whatever for; never more than 51,032. */
  readonly remembered: number;
}

/**
 * Strangers must not make us ask for one certificate after another. A fetch ends within 5 s, so that of each share
 * there are 6 at once at the most.
 */
const fetches = { perSecond: 0.2, burst: 5 };
/**
 * Of those that have signed, and of those that have not yet: who names one that exists takes no place from one in use.
 */
const mostCertificates = 16;
/** So long a name of which there is no certificate is not asked for again. */
const forgetMissingMs = 600_000;
const mostMissing = 1_000;
/** As many as strangers can make up between two tries of SNS, by default 20 s apart. */
const mostTurnedAway = 50_000;

/**
 * Names are made up in no time, and each that is new costs a fetch to be told from the true one. SNS sends a message
 * again under the same name, so there is a share of fetches that only names get which were turned away before: who
 * makes up ever new ones takes nothing of it, and who repeats them has them known soon.
 */
export function createSnsCertificates(transport: Transport | undefined): SnsCertificates {
  /** Those that have signed a message, in the order of their last one. */
  const signers = new Map<string, X509Certificate>();
  const others = new Map<string, X509Certificate>();
  const fetching = new Map<string, Promise<X509Certificate | undefined>>();
  /** Monotonic times at which names are forgotten, in that order. */
  const missing = new Map<string, number>();
  /** By their digests, since names are long. */
  const turnedAway = new Set<number>();
  let limiter: RateLimiter | undefined;

  const mayFetch = (url: string, clock: Clock): boolean => {
    limiter ??= createRateLimiter({ name: "sns certificates", ...fetches, clock });
    if (limiter.tryTake("any") === 0) return true;
    const digest = digestOf(url);
    if (turnedAway.has(digest) && limiter.tryTake("asked for again") === 0) return true;
    turnedAway.add(digest);
    forgetOldest(turnedAway, mostTurnedAway);
    return false;
  };

  const isMissing = (url: string, clock: Clock): boolean => {
    const untilMs = missing.get(url);
    if (untilMs !== undefined && untilMs > clock.elapsed()) return true;
    missing.delete(url);
    return false;
  };

  const fetchCertificate = async (url: string, clock: Clock): Promise<X509Certificate | undefined> => {
    const { status, text } = await askSns(url, { clock, transport, accept: "application/x-pem-file" });
    turnedAway.delete(digestOf(url));
    if (status >= 400 && status < 500 && status !== 429) {
      missing.set(url, clock.elapsed() + forgetMissingMs);
      forgetOldest(missing, mostMissing);
      return undefined;
    }
    if (status !== 200) throw snsUnavailable(url, `it was answered with ${status}`);
    let certificate: X509Certificate;
    try {
      certificate = new X509Certificate(text);
    } catch (cause) {
      throw snsUnavailable(url, "it is no certificate", cause);
    }
    others.set(url, certificate);
    forgetOldest(others, mostCertificates);
    return certificate;
  };

  const find = async (url: string, clock: Clock): Promise<X509Certificate | undefined> => {
    const known = signers.get(url) ?? others.get(url) ?? fetching.get(url);
    if (known !== undefined) return known;
    if (isMissing(url, clock)) return undefined;
    if (!mayFetch(url, clock)) throw snsUnavailable(url, "too many certificates were asked for");
    const fetched = fetchCertificate(url, clock).finally(() => fetching.delete(url));
    fetching.set(url, fetched);
    return fetched;
  };

  return {
    async verify(url, clock, passes): Promise<boolean> {
      const certificate = await find(url, clock);
      if (certificate === undefined || !passes(certificate)) return false;
      others.delete(url);
      signers.delete(url);
      signers.set(url, certificate);
      forgetOldest(signers, mostCertificates);
      return true;
    },
    get remembered() {
      return signers.size + others.size + missing.size + turnedAway.size;
    },
  };
}

/** 52 bits of it, which a number holds: that two names have the same costs one of them a wait. */
function digestOf(url: string): number {
  return Number.parseInt(hash("sha256", url).slice(0, 13), 16);
}

interface AskOptions {
  readonly clock: Clock;
  readonly transport: Transport | undefined;
  readonly accept: string;
}

/** @throws CodedError `CredentialFailed` when there is no answer. */
export async function askSns(url: string, options: AskOptions): Promise<Fetched> {
  try {
    return await fetchText(url, options);
  } catch (cause) {
    throw snsUnavailable(url, messageOf(cause), cause);
  }
}

export function snsUnavailable(url: string, why: string, cause?: unknown): CodedError {
  // The query holds a token.
  const [bare] = url.split("?");
  return new CodedError(
    "CredentialFailed",
    `Cannot ask Amazon SNS at ${bare}: ${why}; senders get 5xx until that works`,
    { cause },
  );
}
