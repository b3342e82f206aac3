import type { JSONWebKeySet, JWTPayload } from "jose";
import type { Clock } from "../clock/clock.ts";
import { CodedError, isCodedError, messageOf } from "../error/coded-error.ts";
import { systemCodeOf } from "../transport/failure.ts";
import type { Transport } from "../transport/transport.ts";
import { bearerVerifier } from "./bearer-verifier.ts";
import { type FetchOptions, fetchText } from "./fetch-text.ts";
import type { Verified, Verifier, VerifierContext } from "./verifier.ts";

export interface OidcOptions {
  /** Exactly the `iss` of tokens, an https URL; http is taken from loopback alone. */
  readonly issuer: string;
  /** What `aud` of a token must be or hold. */
  readonly audience: string;
  /** Where the keys are; default: what `<issuer>/.well-known/openid-configuration` says. */
  readonly jwksUri?: string;
  /**
   * Claims that must have exactly these values:
   * `{ email: "pubsub@example.iam.gserviceaccount.com", email_verified: true }`.
   */
  readonly claims?: Readonly<Record<string, string | number | boolean>>;
  /** Certificate authorities, in PEM, of a provider inside; default: the system's. */
  readonly ca?: string | Uint8Array;
  /** Fetches the keys; not disposed of. Default: one of its own for each time. */
  readonly transport?: Transport;
  /**
   * Default: the RSA, elliptic-curve and Edwards-curve signatures of RFC 7518 and 8037. Never `none` or a shared key.
   */
  readonly algorithms?: readonly string[];
}

const defaultAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const keptMs = 600_000;
/** Keys that cannot be fetched again are used for as long. */
const longestKeptMs = 3_600_000;
/**
 * Keys are fetched for a key id that nobody knows, but not again and again for a stranger's, nor while they cannot be.
 */
const cooldownMs = 30_000;
/** Senders are told to come again after as long: until then a provider that failed is not asked again for strangers. */
const failedMs = 5_000;
const toleranceSeconds = 60;

/** What jose says of a token that is none, or is somebody else's. Anything else went wrong on our side. */
const refusals: ReadonlySet<string> = new Set([
  "ERR_JOSE_ALG_NOT_ALLOWED",
  "ERR_JOSE_NOT_SUPPORTED",
  // It names none of several keys, which it must (OpenID Connect Core 1.0, 10.1).
  "ERR_JWKS_MULTIPLE_MATCHING_KEYS",
  "ERR_JWKS_NO_MATCHING_KEY",
  "ERR_JWS_INVALID",
  "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
  "ERR_JWT_CLAIM_VALIDATION_FAILED",
  "ERR_JWT_EXPIRED",
  "ERR_JWT_INVALID",
]);

interface Keys {
  readonly atMs: number;
  readonly set: JSONWebKeySet;
}

/**
 * Bearer tokens of an OpenID Connect provider (OpenID Connect Core 1.0, RFC 7519), such as the push of Google Pub/Sub
 * and CI systems: the signature by the provider's keys, issuer, audience, times (60 s of tolerance) and the claims that
 * are asked for. An `exp` must be there.
 *
 * Keys are kept 10 min, and fetched again for an unknown key id, at most every 30 s. While they cannot be fetched
 * senders get 503, but known keys go on to be used for an hour.
 *
 * @throws CodedError `InvalidOption` for a URL that is not https.
 */
export function oidc(options: OidcOptions): Verifier {
  const { issuer, audience, claims = {}, algorithms = defaultAlgorithms } = options;
  for (const url of [issuer, ...(options.jwksUri === undefined ? [] : [options.jwksUri])]) checkUrl(url);
  let keys: Keys | undefined;
  /** Under way, or the last one if it failed. */
  let fetching: Promise<Keys> | undefined;
  let hasFailed = false;
  /**
   * When keys were last asked for, whatever came of it: a provider that does not answer must not hold up each sender.
   */
  let triedMs = Number.NEGATIVE_INFINITY;

  const fetchKeys = async (clock: Clock): Promise<Keys> => {
    const tools: FetchOptions = { clock, transport: options.transport, ca: options.ca, accept: "application/json" };
    const jwksUri = options.jwksUri ?? (await discovered(issuer, tools));
    const set = await fetchJson(jwksUri, tools);
    if (!Array.isArray(set.keys)) throw unavailable(jwksUri, "it holds no list of keys");
    keys = { atMs: clock.elapsed(), set: set as unknown as JSONWebKeySet };
    return keys;
  };

  const renewed = (clock: Clock): Promise<Keys> => {
    if (fetching === undefined || (hasFailed && clock.elapsed() - triedMs >= failedMs)) {
      triedMs = clock.elapsed();
      hasFailed = false;
      fetching = fetchKeys(clock);
      fetching.then(
        () => {
          fetching = undefined;
        },
        () => {
          hasFailed = true;
        },
      );
    }
    return fetching;
  };

  const current = async ({ clock, log }: VerifierContext): Promise<Keys> => {
    if (keys === undefined) return renewed(clock);
    const ageMs = clock.elapsed() - keys.atMs;
    if (ageMs < keptMs || (clock.elapsed() - triedMs < cooldownMs && ageMs <= longestKeptMs)) return keys;
    try {
      return await renewed(clock);
    } catch (error) {
      if (ageMs > longestKeptMs) throw error;
      log.warn("Cannot renew the keys of an OpenID provider, going on with those before", { error });
      return keys;
    }
  };

  const payloadOf = async (token: string, { set }: Keys, clock: Clock): Promise<JWTPayload> => {
    const { createLocalJWKSet, jwtVerify } = await clock.outside(import("jose"));
    const { payload } = await clock.outside(
      jwtVerify(token, createLocalJWKSet(set), {
        issuer,
        audience,
        algorithms: [...algorithms],
        currentDate: clock.now(),
        clockTolerance: toleranceSeconds,
        requiredClaims: ["exp"],
      }),
    );
    return payload;
  };

  const verifyToken = async (token: string, ctx: VerifierContext): Promise<Verified | undefined> => {
    const known = await current(ctx);
    let payload: JWTPayload;
    try {
      payload = await payloadOf(token, known, ctx.clock);
    } catch (error) {
      if (systemCodeOf(error) !== "ERR_JWKS_NO_MATCHING_KEY") throw error;
      const isRecent = ctx.clock.elapsed() - known.atMs < cooldownMs;
      // Others may have had them fetched meanwhile. While they cannot be, nobody knows whether there is such a key.
      const newest = keys !== known ? keys : isRecent ? undefined : await renewed(ctx.clock);
      if (newest === undefined) throw error;
      payload = await payloadOf(token, newest, ctx.clock);
    }
    const isWanted = Object.entries(claims).every(
      ([name, value]) => Object.hasOwn(payload, name) && payload[name] === value,
    );
    return isWanted ? { identity: `${issuer} ${payload.sub ?? ""}` } : undefined;
  };

  return bearerVerifier(async (token, ctx) => {
    try {
      return await verifyToken(token, ctx);
    } catch (error) {
      if (refusals.has(systemCodeOf(error) ?? "")) return undefined;
      throw error;
    }
  });
}

async function discovered(issuer: string, tools: FetchOptions): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const document = await fetchJson(url, tools);
  if (document.issuer !== issuer || typeof document.jwks_uri !== "string") {
    throw unavailable(url, "it names another issuer, or no keys");
  }
  checkUrl(document.jwks_uri);
  return document.jwks_uri;
}

async function fetchJson(url: string, tools: FetchOptions): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { status, text } = await fetchText(url, tools);
    if (status !== 200) throw unavailable(url, `it was answered with ${status}`);
    const json: unknown = JSON.parse(text);
    if (typeof json !== "object" || json === null) throw unavailable(url, "it is no JSON object");
    return json as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw isCodedError(cause, "CredentialFailed") ? cause : unavailable(url, messageOf(cause), cause);
  }
}

function unavailable(url: string, why: string, cause?: unknown): CodedError {
  return new CodedError(
    "CredentialFailed",
    `Cannot read keys of an OpenID provider from ${url}: ${why}; senders get 503 until that works`,
    { cause },
  );
}

function checkUrl(text: string): void {
  const url = URL.parse(text);
  const isLoopback = url !== null && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback)) return;
  throw new CodedError("InvalidOption", `Cannot make oidc: ${JSON.stringify(text)} is no https URL`);
}
