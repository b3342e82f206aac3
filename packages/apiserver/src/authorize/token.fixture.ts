import { createVirtualClock, type VirtualClock } from "farwatch/doubles";
import type { DraftObject } from "../registry/api-object.ts";
import { type Authenticator, createAuthenticator } from "./authenticate.ts";
import { createMemoryReader, type MemoryReader } from "./memory-reader.fixture.ts";
import { createServiceAccountTokens, type ServiceAccountTokens } from "./service-account-token.ts";
import { createTokenRequest } from "./token-request.ts";

export const issuer = "https://kubernetes.default.svc";

export interface TokenStage {
  readonly clock: VirtualClock;
  readonly reader: MemoryReader;
  readonly tokens: ServiceAccountTokens;
  /** Knows the token `alice-token` of alice. */
  readonly authenticator: Authenticator;
  put(resource: string, metadata: object, rest?: object): void;
  /** Asks for a token of default/sa1, which is there. */
  request(spec?: object, metadata?: object): Promise<DraftObject>;
  token(spec?: object): Promise<string>;
  /** The refusal of default/sa1's token, or who it is. */
  whose(token: string, audiences?: readonly string[]): Promise<string>;
}

export function createTokenStage(): TokenStage {
  const clock = createVirtualClock();
  const reader = createMemoryReader();
  const tokens = createServiceAccountTokens({ clock, reader });
  const alice = { name: "alice", uid: "alice", groups: [] };
  const authenticator = createAuthenticator({
    serviceAccounts: tokens,
    tokens: [{ token: "alice-token", user: alice }],
  });
  let ids = 0;
  const uuid = (): string => {
    ids += 1;
    return `id-${ids}`;
  };
  const answer = createTokenRequest({ clock, reader, tokens, uuid });
  const put: TokenStage["put"] = (resource, metadata, rest = {}) => {
    reader.put({ group: "", resource }, { metadata, ...rest });
  };
  put("serviceaccounts", { namespace: "default", name: "sa1" });
  const request: TokenStage["request"] = (spec, metadata = {}) =>
    answer(
      { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata, ...(spec && { spec }) },
      { namespace: "default", name: "sa1" },
    );
  return {
    clock,
    reader,
    tokens,
    authenticator,
    put,
    request,
    token: async (spec) => ((await request(spec)).status as { readonly token: string }).token,
    async whose(token, audiences) {
      const verdict = await authenticator.checkToken(token, audiences);
      return verdict.user === undefined ? (verdict.refusal ?? "unknown") : verdict.user.name;
    },
  };
}

/** The parts of a JWT, not verified. */
export function decodeToken(token: string): {
  readonly header: object;
  readonly claims: Readonly<Record<string, unknown>>;
} {
  const [header = {}, claims = {}] = token
    .split(".")
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as Record<string, unknown>);
  return { header, claims };
}
