import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { type Clock, parseTime } from "farwatch";
import { goQuotedList } from "../failure/go-quoted.ts";
import type { StoredObject } from "../registry/api-object.ts";
import type { GroupResource, ObjectReader } from "../registry/object-reader.ts";
import { serviceAccountGroups, serviceAccountUserName } from "./service-account-user.ts";
import type { User } from "./user.ts";

/** Names an object and the very one of that name. */
export interface BoundReference {
  readonly name: string;
  readonly uid?: string | undefined;
}

/** What a token says in its claim `kubernetes.io`, in this order. */
export interface ServiceAccountClaim {
  readonly namespace: string;
  readonly node?: BoundReference;
  readonly pod?: BoundReference;
  readonly secret?: BoundReference;
  readonly serviceaccount: BoundReference;
  /** Seconds since 1970 from when on its use is frowned upon. */
  readonly warnafter?: number;
}

interface TokenClaims {
  readonly aud?: string | readonly string[];
  readonly exp?: number;
  readonly iat?: number;
  readonly iss?: string;
  readonly jti?: string;
  readonly "kubernetes.io"?: Partial<ServiceAccountClaim>;
  readonly nbf?: number;
  readonly sub?: string;
}

/** What a bearer token turned out to be. */
export type TokenVerdict =
  | { readonly user: User; readonly audiences: readonly string[] }
  /** Why it is refused, in the real server's words; undefined when it is not a token of this kind at all. */
  | { readonly user: undefined; readonly refusal: string | undefined };

export interface ServiceAccountTokensOptions {
  readonly clock: Clock;
  readonly reader: ObjectReader;
  /** Also the audience of tokens that name none; default `https://kubernetes.default.svc`. */
  readonly issuer?: string | undefined;
  /**
   * PEM of a private key, RSA or EC on P-256; default: a new one at the first token, so that tokens end with the
   * server.
   */
  readonly signingKey?: string | undefined;
}

/** Issues and checks the tokens of service accounts: JWTs as those of the real server. */
export interface ServiceAccountTokens {
  readonly issuer: string;
  issue(claims: {
    readonly audiences: readonly string[];
    readonly claim: ServiceAccountClaim;
    readonly issuedAt: number;
    readonly expiresAt: number;
    readonly id: string;
  }): Promise<string>;
  /** `audiences` are those that the asker is known by; the verdict names which of them the token is for. */
  check(token: string, audiences: readonly string[]): Promise<TokenVerdict>;
}

interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly algorithm: "ES256" | "RS256";
  readonly id: string;
}

const core = (resource: string): GroupResource => ({ group: "", resource });
const leewaySeconds = 60;
/** Tokens whose signature was seen to be right; a token's claims are checked at each use. */
const knownTokens = 1000;

function loadKey(pem: string | undefined): SigningKey {
  const privateKey =
    pem === undefined ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const id = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { privateKey, publicKey, algorithm: privateKey.asymmetricKeyType === "rsa" ? "RS256" : "ES256", id };
}

/** A part of a compact JWT, not verified; undefined when it is no JSON object. */
function decodedPart(part: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? "", "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // Whoever sends something else than a JWT means another kind of token.
    return undefined;
  }
}

export function createServiceAccountTokens(options: ServiceAccountTokensOptions): ServiceAccountTokens {
  const { clock, reader, issuer = "https://kubernetes.default.svc" } = options;
  let made: SigningKey | undefined;
  const key = (): SigningKey => {
    made ??= loadKey(options.signingKey);
    return made;
  };
  const verified = new Map<string, TokenClaims>();
  const nowSeconds = (): number => Math.floor(clock.now().getTime() / 1000);

  const verify = async (token: string, header: string | undefined): Promise<TokenClaims | string> => {
    const kid = decodedPart(header)?.kid;
    if (kid !== undefined && kid !== "" && kid !== key().id) return "invalid signature, no keys found";
    const { compactVerify } = await import("jose/jws/compact/verify");
    try {
      const { payload } = await compactVerify(token, key().publicKey, { algorithms: [key().algorithm] });
      const claims = JSON.parse(Buffer.from(payload).toString("utf8")) as TokenClaims;
      const [oldest] = verified.keys();
      if (verified.size >= knownTokens && oldest !== undefined) verified.delete(oldest);
      verified.set(token, claims);
      return claims;
    } catch {
      return "go-jose/go-jose: error in cryptographic primitive";
    }
  };

  return {
    issuer,
    async issue({ audiences, claim, issuedAt, expiresAt, id }): Promise<string> {
      const claims: TokenClaims = {
        aud: audiences,
        exp: expiresAt,
        iat: issuedAt,
        iss: issuer,
        jti: id,
        "kubernetes.io": claim,
        nbf: issuedAt,
        sub: serviceAccountUserName({ namespace: claim.namespace, name: claim.serviceaccount.name }),
      };
      const sign = async (): Promise<string> => {
        const { CompactSign } = await import("jose/jws/compact/sign");
        return await new CompactSign(Buffer.from(JSON.stringify(claims)))
          .setProtectedHeader({ alg: key().algorithm, kid: key().id })
          .sign(key().privateKey);
      };
      return await clock.outside(sign());
    },
    async check(token, audiences): Promise<TokenVerdict> {
      const refused = (refusal?: string): TokenVerdict => ({ user: undefined, refusal });
      const [header, payload, signature, ...more] = token.split(".");
      if (signature === undefined || more.length > 0 || decodedPart(payload)?.iss !== issuer) return refused();
      const claims = verified.get(token) ?? (await clock.outside(verify(token, header)));
      if (typeof claims === "string") return refused(claims);
      const named = claims.aud === undefined ? [issuer] : [claims.aud].flat();
      const common = audiences.filter((audience) => named.includes(audience));
      if (common.length === 0) {
        const wanted = `${goQuotedList(named)} is invalid for the target audiences ${goQuotedList(audiences)}`;
        return refused(`token audiences ${wanted}`);
      }
      const problem = timeProblem(claims, nowSeconds()) ?? stateProblem(claims, reader, clock.now().getTime());
      if (problem !== undefined) return refused(problem);
      return { user: userOf(claims), audiences: common };
    },
  };
}

function timeProblem({ exp, nbf, iat }: TokenClaims, now: number): string | undefined {
  if (nbf !== undefined && now + leewaySeconds < nbf) return "service account token is not valid yet";
  if (exp !== undefined && now - leewaySeconds > exp) return "service account token has expired";
  if (iat !== undefined && now + leewaySeconds < iat) return "service account token is issued in the future";
  return undefined;
}

/** Whether an object was deleted more than the leeway ago and still has a finalizer. */
function longDeleted({ metadata }: StoredObject, nowMs: number): boolean {
  const deletedAt = parseTime(metadata.deletionTimestamp ?? "")?.getTime();
  return deletedAt !== undefined && deletedAt < nowMs - leewaySeconds * 1000;
}

/** A token ends with its service account and with what it is bound to. */
function stateProblem(claims: TokenClaims, reader: ObjectReader, nowMs: number): string | undefined {
  const { namespace = "", serviceaccount, secret, pod, node } = claims["kubernetes.io"] ?? {};
  if (serviceaccount === undefined || serviceaccount.name === "") return "resource name may not be empty";
  const account = reader.find(core("serviceaccounts"), { namespace, name: serviceaccount.name });
  if (account === undefined) return `serviceaccounts "${serviceaccount.name}" not found`;
  if (longDeleted(account, nowMs)) return `service account ${namespace}/${serviceaccount.name} has been deleted`;
  if (account.metadata.uid !== serviceaccount.uid) {
    return `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`;
  }
  const bound = [
    { what: "secret", resource: "secrets", reference: secret, namespace },
    { what: "pod", resource: "pods", reference: pod, namespace },
    { what: "node", resource: "nodes", reference: pod === undefined ? node : undefined, namespace: undefined },
  ];
  for (const { what, resource, reference, namespace: home } of bound) {
    if (reference === undefined) continue;
    const object = reader.find(core(resource), { namespace: home, name: reference.name });
    if (object === undefined || longDeleted(object, nowMs)) return "service account token has been invalidated";
    if (object.metadata.uid !== reference.uid) {
      return `${what} UID (${object.metadata.uid}) does not match service account ${what} ref claim (${reference.uid})`;
    }
  }
  return undefined;
}

function userOf({ jti, "kubernetes.io": claim = {} }: TokenClaims): User {
  const { namespace = "", serviceaccount, pod, node } = claim;
  const extra: Record<string, readonly string[]> = {};
  const say = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== "") extra[`authentication.kubernetes.io/${key}`] = [value];
  };
  say("credential-id", jti === undefined ? undefined : `JTI=${jti}`);
  say("node-name", node?.name);
  say("node-uid", node?.uid);
  say("pod-name", pod?.name);
  say("pod-uid", pod?.uid);
  return {
    name: serviceAccountUserName({ namespace, name: serviceaccount?.name ?? "" }),
    uid: serviceaccount?.uid,
    groups: serviceAccountGroups(namespace),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
