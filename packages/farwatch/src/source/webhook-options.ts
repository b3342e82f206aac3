import type { Duration } from "../clock/duration.ts";
import type { BodyFormat } from "../ingress/body-format.ts";
import type { TraceLink } from "../ingress/trace-link.ts";
import { checkUnguessable } from "../ingress/unguessable-path.ts";
import type { Verifier } from "../ingress/verifier.ts";
import { checkBounds, checkChoices, refuseSource } from "./refuse-source.ts";
import type { OwnObject } from "./source.ts";

/** A request that was authenticated and read; of a batch, one event of it. */
export interface WebhookEvent<B> {
  readonly body: B;
  /** Who sent it, by the source's verifier: a user name, a subject, a fingerprint; never a secret. */
  readonly identity: string;
  /**
   * Lower-case names; without those by which the source's verifier checks, any that is called like a credential,
   * cookie, signature, token or key, and what carries a trace. Behind a signature that covers the body alone nobody has
   * vouched for them.
   */
  readonly headers: ReadonlyMap<string, string>;
  /** The sender's trace, for a link in a trace of our own. */
  readonly traceLink?: TraceLink | undefined;
}

/** What any webhook can be told, however its body is read. */
export interface WebhookSourceBase {
  /** Unique in a manager; default `webhook`. A SubjectAccessReview asks about `/ingress/<name>`. */
  readonly name?: string;
  /** Exact, without a query. */
  readonly path: `/${string}`;
  /**
   * Who may send: `githubSignature`, `stripeSignature`, `tokenReview`, `oidc`, `mutualTls`, `unguessablePath`, or a
   * verifier of your own.
   */
  readonly auth: Verifier;
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Requests of each sender; default 50 a second, 100 at once. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst?: number };
  /**
   * How long, and how many, events are remembered to be dropped when they come again; default 10 min and 10,000. false:
   * never.
   */
  readonly duplicates?: { readonly window?: Duration; readonly most?: number } | false;
  /**
   * `annotate` (default): open on every replica; the event becomes an annotation of the objects that its handler names,
   * which the leader sees through its watch, and 202 is answered when the API server has stored it. The payload is not
   * carried. `leader-only`: open on the leader, others answer 503; 202 is answered when the event is in this process's
   * memory.
   */
  readonly deliver?: "annotate" | "leader-only";
  /**
   * With `annotate` and a handler of `enqueueAll`: this object, which must be there, is annotated in place of every
   * object of the kind, and the leader watches it; so an event may concern any number of objects, and their specs need
   * no patch permission.
   */
  readonly annotates?: OwnObject;
  /** Events that were accepted and not read yet; beyond it senders get 503; default 1,024. */
  readonly capacity?: number;
  /**
   * Bytes of requests whose events were not read yet, and as many again of such as are not worked on yet; beyond it
   * senders get 503; default 16 MiB.
   */
  readonly maxHeldBytes?: number;
  /** readyz answers 503 while it is failing. */
  readonly critical?: boolean;
}

export interface WebhookSourceOptions<B> extends WebhookSourceBase {
  /** How the body is read and checked: `jsonBody(schema)`, `cloudEventsBody(…)`. Left out: any JSON, as `unknown`. */
  readonly body: BodyFormat<B>;
}

/** @throws CodedError `InvalidOption`, naming the source, for what no webhook can be made of. */
export function checkWebhook(name: string, options: WebhookSourceBase & { readonly body?: BodyFormat<unknown> }): void {
  const { path, auth, body, annotates, deliver, capacity, maxHeldBytes, maxBodyBytes, duplicates } = options;
  const most = duplicates === false ? undefined : duplicates?.most;
  // The path may be the secret, so it is not shown.
  const refuse = (what: string): never => refuseSource(name, what);
  if (typeof auth?.verify !== "function") refuse("it has no `auth`, give a verifier such as githubSignature");
  if (typeof path !== "string" || !/^\/[\w.~!$&'()*+,;=:@%/-]*$/.test(path))
    refuse("its path is none, give one such as /github without a query");
  if (body !== undefined && (typeof body?.accepts !== "function" || typeof body.read !== "function"))
    refuse("its `body` is no format, give one such as jsonBody(schema)");
  checkChoices(name, { deliver: { given: deliver, of: ["annotate", "leader-only"] } });
  if (annotates !== undefined && deliver === "leader-only")
    refuse("it annotates nothing for the leader only, leave out `annotates`");
  if (auth.secretPath) checkUnguessable(name, path);
  checkBounds(name, { capacity, maxHeldBytes, maxBodyBytes, "duplicates.most": most });
}
