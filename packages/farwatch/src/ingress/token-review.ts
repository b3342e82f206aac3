import { createHash } from "node:crypto";
import type { Client } from "../client/client.ts";
import type { Clock } from "../clock/clock.ts";
import { CodedError } from "../error/coded-error.ts";
import { forgetOldest } from "../flow/forget-oldest.ts";
import { createRateLimiter, type RateLimiter } from "../limit/rate-limiter.ts";
import { mayPost, reviewToken } from "./access-review.ts";
import { bearerVerifier } from "./bearer-verifier.ts";
import type { Verified, Verifier, VerifierContext } from "./verifier.ts";

export interface TokenReviewOptions {
  /**
   * `namespace/name` of the service accounts that may send. Default: whoever RBAC lets POST to
   * `/ingress/<name of the source>`: a ClusterRole with `nonResourceURLs: ["/ingress/<name>"]` and `verbs: ["post"]`.
   */
  readonly serviceAccounts?: readonly string[];
  /** What the token must have been made for; default `farwatch.dev/ingress`. */
  readonly audience?: string;
}

const keptMs = { accepted: 60_000, refused: 10_000 };
/** Results that are remembered of a manager; beyond it the oldest is forgotten. */
const mostKept = 10_000;
const reviewMs = 5_000;
/**
 * Over all sources of a manager: strangers with random tokens must not become load of the API server. A share is for
 * tokens that were accepted before and are to be looked at again: strangers take nothing of it.
 */
const reviewsPerSecond = { any: 16, known: 4 };

interface Kept {
  readonly untilMs: number;
  readonly verified: Verified | undefined;
}

/** What is known of tokens under one client, by a hash: the tokens themselves are kept nowhere. */
interface Memory {
  readonly results: Map<string, Kept>;
  readonly underWay: Map<string, Promise<Verified | undefined>>;
}

type Shares = Readonly<Record<keyof typeof reviewsPerSecond, RateLimiter>>;

const limiters = new WeakMap<Client, Shares>();

/**
 * Bearer tokens that the API server knows: for senders in the cluster, which get one with a projected volume of the
 * audience `farwatch.dev/ingress`. TokenReview says whose it is, then SubjectAccessReview, or the list, whether that
 * one may send. A token of another audience, such as the default one of a service account, is refused, lest whoever
 * receives it could use it elsewhere. Who is known and may not send is logged.
 *
 * Results are kept 60 s, refusals 10 s. At most 20 reviews are asked a second, 4 of them for tokens that were accepted
 * before; beyond that, and while the API server does not answer, senders get 503. The manager needs `create` on `tokenreviews` and `subjectaccessreviews`: the
 * ClusterRole `system:auth-delegator`.
 *
 * @throws CodedError `InvalidOption` for a service account that is not `namespace/name`.
 */
export function tokenReview(options: TokenReviewOptions = {}): Verifier {
  const { serviceAccounts, audience = "farwatch.dev/ingress" } = options;
  const users = serviceAccounts === undefined ? undefined : new Set(serviceAccounts.map(userOf));
  const memories = new WeakMap<Client, Memory>();

  const ask = async (
    token: string,
    isKnown: boolean,
    { client, clock, source, log }: VerifierContext,
  ): Promise<Verified | undefined> => {
    const path = `/ingress/${source}`;
    using signal = clock.timeout(reviewMs, undefined, { waitsFor: "the API server" });
    allow(client, clock, isKnown);
    const user = await reviewToken(client, { token, audience, signal });
    if (user === undefined) return undefined;
    if (users === undefined) allow(client, clock, isKnown);
    if (users?.has(user.username) ?? (await mayPost(client, { user, path, signal }))) {
      return { identity: user.username };
    }
    // The sender is told no more than 401; whoever forgot the ClusterRole has this line alone.
    log.warn("A sender with a genuine token may not send", { user: user.username, path });
    return undefined;
  };

  return bearerVerifier(async (token, ctx) => {
    const { results, underWay } = memoryOf(memories, ctx.client);
    const key = createHash("sha256").update(`${ctx.source}\0${token}`).digest("base64url");
    const before = results.get(key);
    if (before !== undefined && before.untilMs > ctx.clock.elapsed()) return before.verified;
    const asked = underWay.get(key);
    if (asked !== undefined) return asked;
    const asking = ask(token, before?.verified !== undefined, ctx).finally(() => underWay.delete(key));
    underWay.set(key, asking);
    const verified = await asking;
    const lastsMs = verified === undefined ? keptMs.refused : keptMs.accepted;
    results.delete(key);
    results.set(key, { untilMs: ctx.clock.elapsed() + lastsMs, verified });
    forgetOldest(results, mostKept);
    return verified;
  });
}

function memoryOf(memories: WeakMap<Client, Memory>, client: Client): Memory {
  const before = memories.get(client);
  if (before !== undefined) return before;
  const memory: Memory = { results: new Map(), underWay: new Map() };
  memories.set(client, memory);
  return memory;
}

function allow(client: Client, clock: Clock, isKnown: boolean): void {
  const share = (perSecond: number): RateLimiter =>
    createRateLimiter({ name: "ingress reviews", perSecond, burst: perSecond, clock });
  const { any, known } = limiters.get(client) ?? {
    any: share(reviewsPerSecond.any),
    known: share(reviewsPerSecond.known),
  };
  limiters.set(client, { any, known });
  const waitMs = any.tryTake("reviews");
  if (waitMs === 0 || (isKnown && known.tryTake("reviews") === 0)) return;
  throw new CodedError(
    "TooManyRequests",
    `Cannot review a token: too many reviews were asked in the last second; try again in ${waitMs} ms`,
  );
}

/** The user name of a service account, as the API server says it. */
function userOf(account: string): string {
  const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(account) ?? [];
  if (namespace !== undefined) return `system:serviceaccount:${namespace}:${name}`;
  throw new CodedError(
    "InvalidOption",
    `Cannot review tokens of service account ${JSON.stringify(account)}: give it as namespace/name`,
  );
}
