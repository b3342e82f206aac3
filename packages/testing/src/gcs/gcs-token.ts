import { createHash, verify } from "node:crypto";
import type { Instant } from "farwatch";
import type { ServedAnswer, ServedRequest } from "../store/served-request.ts";
import { GcsError, jsonAnswer } from "./gcs-error.ts";
import type { GcsAccount } from "./gcs-options.ts";

/** How long an access token is good for, and the longest that an assertion may be. */
const hourMs = 3_600_000;
/** How far the clocks of Google and of whoever signs an assertion may be apart. */
const skewMs = 5 * 60_000;
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Any of them lets a token do what its account may; the narrower ones let it do less. */
const scopeOf = "https://www.googleapis.com/auth/";

export interface AccessToken {
  readonly email: string;
  readonly scopes: readonly string[];
  readonly expiresAtMs: number;
}

/** Accounts and the access tokens that they were given. */
export class GcsTokens {
  readonly accounts: Map<string, GcsAccount>;
  readonly #tokens = new Map<string, AccessToken>();
  #issued = 0;

  constructor(accounts: readonly GcsAccount[]) {
    this.accounts = new Map(accounts.map((account) => [account.email, account]));
  }

  issue(email: string, scopes: readonly string[], expiresAtMs: number): string {
    this.#issued += 1;
    const token = `ya29.${createHash("sha256").update(`${email} ${this.#issued}`).digest("base64url")}`;
    this.#tokens.set(token, { email, scopes, expiresAtMs });
    return token;
  }

  /** Whose token it claims to be; it need not be good. */
  holderOf({ headers }: ServedRequest): string | undefined {
    return this.#tokens.get(bearerOf(headers.authorization) ?? "")?.email;
  }

  /**
   * Undefined: anonymous. @throws GcsError 401 for a token that is none or has expired, 403 for one of too narrow a
   * scope.
   */
  authenticate({ headers, method }: ServedRequest, now: Instant): GcsAccount | undefined {
    const { authorization } = headers;
    if (authorization === undefined) return undefined;
    const token = this.#tokens.get(bearerOf(authorization) ?? "");
    const account = token === undefined ? undefined : this.accounts.get(token.email);
    if (token === undefined || account === undefined || token.expiresAtMs <= now.getTime()) {
      throw new GcsError({
        status: 401,
        reason: "authError",
        message: "Invalid Credentials",
        location: "Authorization",
        headers: { "www-authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"' },
      });
    }
    const reads = method === "GET" || method === "HEAD";
    const enough = ["cloud-platform", "devstorage.full_control", "devstorage.read_write"];
    if (reads) enough.push("cloud-platform.read-only", "devstorage.read_only");
    if (!token.scopes.some((scope) => enough.some((each) => scope === scopeOf + each))) {
      throw new GcsError({
        status: 403,
        reason: "insufficientPermissions",
        message: "Request had insufficient authentication scopes.",
      });
    }
    return account;
  }

  /** The OAuth token endpoint: a signed assertion for an access token (RFC 7523). */
  exchange({ body, secure, host, path }: ServedRequest, now: Instant): ServedAnswer {
    const form = new URLSearchParams(body.toString("utf8"));
    if (form.get("grant_type") !== jwtBearer) {
      return oauthError("unsupported_grant_type", `Invalid grant_type: ${form.get("grant_type") ?? ""}`);
    }
    const jwt = readJwt(form.get("assertion") ?? "");
    if (jwt === undefined) return oauthError("invalid_grant", "Invalid JWT: Failed to parse the assertion.");
    const { header, claims, signed, signature } = jwt;
    const account = typeof claims.iss === "string" ? this.accounts.get(claims.iss) : undefined;
    if (account?.publicKey === undefined) return oauthError("invalid_grant", "Invalid grant: account not found");
    const isRight =
      header.alg === "RS256" &&
      (account.keyId === undefined || header.kid === undefined || header.kid === account.keyId) &&
      verify("RSA-SHA256", Buffer.from(signed), account.publicKey, signature);
    if (!isRight) return oauthError("invalid_grant", "Invalid JWT Signature.");
    const audiences = ["https://oauth2.googleapis.com/token", `${secure ? "https" : "http"}://${host}${path}`];
    if (!audiences.some((audience) => claims.aud === audience)) {
      return oauthError("invalid_grant", `Invalid JWT: Failed audience check. The right audience is ${audiences[0]}`);
    }
    if (!isTimely(claims, now.getTime())) {
      return oauthError(
        "invalid_grant",
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
      );
    }
    const scopes = typeof claims.scope === "string" ? claims.scope.split(" ").filter((scope) => scope !== "") : [];
    if (scopes.length === 0) return oauthError("invalid_scope", "Invalid OAuth scope or ID token audience provided.");
    const token = this.issue(account.email, scopes, now.getTime() + hourMs);
    return jsonAnswer(200, { access_token: token, expires_in: hourMs / 1_000 - 1, token_type: "Bearer" });
  }
}

interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: string;
  readonly signature: Buffer;
}

function readJwt(text: string): Jwt | undefined {
  const [header = "", claims = "", signature = "", ...more] = text.split(".");
  if (more.length > 0) return undefined;
  const parsed = [header, claims].map(parseObject);
  const [head, body] = parsed;
  if (head === undefined || body === undefined) return undefined;
  return { header: head, claims: body, signed: `${header}.${claims}`, signature: Buffer.from(signature, "base64url") };
}

function parseObject(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function isTimely({ iat, exp }: Jwt["claims"], nowMs: number): boolean {
  if (typeof iat !== "number" || typeof exp !== "number") return false;
  const [issuedMs, expiresMs] = [iat * 1_000, exp * 1_000];
  return (
    issuedMs <= nowMs + skewMs && expiresMs >= nowMs - skewMs && expiresMs - issuedMs <= hourMs && expiresMs > issuedMs
  );
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
}

function oauthError(error: string, description: string): ServedAnswer {
  return jsonAnswer(400, { error, error_description: description }, { code: error });
}
