import { aggregatedText } from "../failure/aggregated-text.ts";
import { unauthorized } from "../failure/api-error.ts";
import type { ServiceAccountTokens, TokenVerdict } from "./service-account-token.ts";
import { anonymousUser, asAuthenticated } from "./service-account-user.ts";
import type { User } from "./user.ts";

/** A client certificate as TLS has seen it. */
export interface ClientCertificate {
  /** Whether it was signed by the authority for clients and is in its time. */
  readonly trusted: boolean;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, in hexadecimal; colons do not matter. */
  readonly fingerprint: string;
}

/** What a request carries that says who sent it. */
export interface Credentials {
  /** The Authorization header. */
  readonly authorization?: string | undefined;
  readonly certificate?: ClientCertificate | undefined;
}

export interface Authenticated {
  readonly user: User;
  /** For a Warning header. */
  readonly warning?: string | undefined;
}

/** A bearer token that the server knows from its start. */
export interface StaticToken {
  readonly token: string;
  readonly user: User;
}

/** Finds out who sends a request. */
export interface Authenticator {
  /** @throws ApiError 401 for credentials that are none; a request without any is `system:anonymous`. */
  authenticate(credentials: Credentials): Promise<Authenticated>;
  /** What a token is, for the given audiences; by default the server's own. */
  checkToken(token: string, audiences?: readonly string[]): Promise<TokenVerdict>;
}

export interface AuthenticatorOptions {
  readonly tokens?: readonly StaticToken[] | undefined;
  readonly serviceAccounts: ServiceAccountTokens;
}

const extraSpace = "the provided Authorization header contains extra space before the bearer token, and is ignored";

/** The token of an Authorization header: what stands between the first and the second space. */
function bearerToken(authorization: string): { readonly token: string; readonly warning?: string } {
  const [scheme = "", token = "", more] = authorization.trim().split(" ");
  if (scheme.toLowerCase() !== "bearer") return { token: "" };
  return token === "" && more !== undefined ? { token, warning: extraSpace } : { token };
}

function certificateUser({ commonName, organizations, fingerprint }: ClientCertificate): User {
  const sha256 = fingerprint.replaceAll(":", "").toLowerCase();
  const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${sha256}`] };
  return { name: commonName, groups: organizations, extra };
}

/**
 * Knows users by client certificates, by these tokens, and by tokens of service accounts; who shows none is anonymous.
 */
export function createAuthenticator({ tokens = [], serviceAccounts }: AuthenticatorOptions): Authenticator {
  const known = new Map(tokens.map(({ token, user }) => [token, user]));
  const ownAudiences: readonly string[] = [serviceAccounts.issuer];

  const checkToken = async (token: string, audiences = ownAudiences): Promise<TokenVerdict> => {
    const user = known.get(token);
    if (user !== undefined) {
      const common = audiences.filter((audience) => ownAudiences.includes(audience));
      return common.length > 0
        ? { user: asAuthenticated(user), audiences: common }
        : { user: undefined, refusal: undefined };
    }
    const verdict = await serviceAccounts.check(token, audiences);
    return verdict.user === undefined ? verdict : { ...verdict, user: asAuthenticated(verdict.user) };
  };

  return {
    checkToken,
    async authenticate({ authorization = "", certificate }): Promise<Authenticated> {
      // A certificate comes first, and then a token's faults do not matter.
      if (certificate?.trusted && certificate.commonName !== "") {
        return { user: asAuthenticated(certificateUser(certificate)) };
      }
      const { token, warning } = bearerToken(authorization);
      if (token !== "") {
        const { user } = await checkToken(token);
        if (user === undefined) throw unauthorized();
        return { user };
      }
      if (certificate?.trusted === false) throw unauthorized();
      return { user: anonymousUser, warning };
    },
  };
}

/** Why a token is refused, as a TokenReview says it. */
export function refusalText(refusal: string | undefined): string {
  return aggregatedText(["invalid bearer token", ...(refusal === undefined ? [] : [refusal])]);
}
