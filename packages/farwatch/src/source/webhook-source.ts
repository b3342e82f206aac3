import { hash } from "node:crypto";
import { givenMs } from "../clock/given-duration.ts";
import { isCodedError } from "../error/coded-error.ts";
import type { GenericEvent } from "../event/source-event.ts";
import { type BodyEvent, type BodyFormat, readContentType } from "../ingress/body-format.ts";
import { createDuplicateWindow, type DuplicateWindow, type Outcome } from "../ingress/duplicate-window.ts";
import type { Ingress, IngressAnswer, IngressPlace, IngressRequest } from "../ingress/ingress.ts";
import { jsonBody } from "../ingress/json-body.ts";
import { readTraceLink, traceHeaders } from "../ingress/trace-link.ts";
import { retryAfterMs, tryAgain } from "../ingress/try-again.ts";
import type { Verified } from "../ingress/verifier.ts";
import { createRateLimiter, type RateLimiter } from "../limit/rate-limiter.ts";
import { pacedLogger } from "../observe/paced-logger.ts";
import { createAcceptedEvents } from "./accepted-events.ts";
import { defaultUnacknowledgedBytes } from "./fan-out.ts";
import { readUntilAborted } from "./read-until-aborted.ts";
import { openElsewhere } from "./refuse-source.ts";
import type { Source, SourceContext } from "./source.ts";
import { checkOptions, declaredBy } from "./source-options.ts";
import {
  checkWebhook,
  type WebhookEvent,
  type WebhookSourceBase,
  type WebhookSourceOptions,
} from "./webhook-options.ts";

const noWayThrough = "nothing can be done for this event: it would be the same if it came again";
/** Called like a credential, a cookie or a signature, whoever checks it. */
const hiddenHeader = /auth|cookie|sign|\bsig\b|hmac|token|secret|key|passw|pwd|credential|session|jwt/;

/**
 * Events that others send by HTTP to the manager's ingress (`ManagerOptions.ingress`).
 *
 * Delivery: at least once, by senders that repeat what was answered with 503. Durability: `origin` with `annotate`
 * (without a 202 it is the sender's), `process` with `leader-only`. Overflow: `wait`, which for the sender is 503 with
 * Retry-After. Leader: see `deliver`. Answers: 202 held; 400 malformed, naming the field; 401 not authenticated; 413,
 * 415 not read; 422 a dead letter (with `annotate`); 429 too many from this sender; 503 not now, with Retry-After.
 *
 * @throws CodedError `InvalidOption` or `InvalidDuration`, naming the source.
 * @example
 * watch(
 *   webhookSource({ path: "/github", auth: githubSignature({ secret: () => readFile("/etc/github/secret") }) }),
 *   enqueueAll(Repository),
 * )
 */
export function webhookSource(options: WebhookSourceBase): Source<WebhookEvent<unknown>>;
export function webhookSource<B>(options: WebhookSourceOptions<B>): Source<WebhookEvent<B>>;
export function webhookSource(
  options: WebhookSourceBase & { readonly body?: BodyFormat<unknown> },
): Source<WebhookEvent<unknown>> {
  checkOptions("webhook", options);
  const { auth, path, duplicates, capacity = 1_024, deliver = "annotate", body: format = jsonBody() } = options;
  const declared = declaredBy(options, "webhook");
  const ownName = declared.name;
  checkWebhook(ownName, options);
  const doing = `make source ${ownName}`;
  const windowMs =
    duplicates === false ? 0 : givenMs(duplicates?.window ?? "10m", { doing, what: "duplicates.window", least: 0 });
  const most = duplicates === false ? 0 : (duplicates?.most ?? 10_000);
  const rate = { ...(options.rateLimit ?? { perSecond: 50, burst: 100 }) };
  // Here whoever made it is told that it is none; later it would be a source that fails.
  createRateLimiter({ ...rate, name: `ingress ${ownName}` });
  const annotates = deliver === "annotate";
  const maxHeldBytes = options.maxHeldBytes ?? defaultUnacknowledgedBytes;
  const accepted = createAcceptedEvents<WebhookEvent<unknown>>({
    capacity,
    maxBytes: maxHeldBytes,
    acknowledged: annotates,
  });
  const places = new WeakMap<Ingress, IngressPlace>();
  const route = {
    path,
    methods: format.preflight === undefined ? ["POST"] : ["POST", "OPTIONS"],
    maxBodyBytes: options.maxBodyBytes,
    secretPath: auth.secretPath ?? false,
  };
  let isOpen = false;
  // They outlive an opening, and want a clock: made at the first.
  let limiter: RateLimiter | undefined;
  let window: DuplicateWindow | undefined;
  /** Both count in the metrics of the opening. */
  let countDuplicate = (): void => {};
  let countUnchecked = (): void => {};

  const isHandedOn = (header: string): boolean =>
    !hiddenHeader.test(header) && !traceHeaders.has(header) && !auth.credentialHeaders?.includes(header);

  const hold = async (
    events: readonly BodyEvent<unknown>[],
    request: IngressRequest,
    { identity }: Verified,
    bytes: Uint8Array,
  ): Promise<IngressAnswer> => {
    const headers = new Map([...request.headers].filter(([header]) => isHandedOn(header)));
    const traceLink = readTraceLink(request.headers.get("traceparent"));
    const ofRequest = auth.duplicateKey?.(request, bytes);
    // What tells a request from another does not tell its events apart.
    const idOf = (event: BodyEvent<unknown>, index: number): string | undefined =>
      event.id ?? (ofRequest === undefined ? undefined : `${index} ${ofRequest}`);
    // No sender may have another's event dropped by being first with its id, nor fill the memory with long ones.
    const ofSender = (id: string | undefined): string | undefined =>
      id === undefined ? undefined : hash("sha256", JSON.stringify([identity, id]), "base64url");
    const ids = windowMs === 0 ? [] : events.map(idOf).map(ofSender);
    // All of a batch or nothing: from here to the last `put` no other request is looked at.
    const fresh = events.length - ids.filter((id) => id !== undefined && window?.isNew(id) === false).length;
    const size = Math.ceil(sizeOf(headers, bytes) / Math.max(1, events.length));
    if (!isOpen || !accepted.hasRoom(fresh, fresh * size)) return tryAgain(503);
    const outcomes = events.map(({ body, occurredAt }, index) => {
      const take = (): Promise<Outcome> =>
        accepted.put({ object: { body, identity, headers, traceLink }, occurredAt }, size);
      const id = ids[index];
      if (id === undefined || window === undefined) return take();
      const { outcome, isDuplicate } = window.once(id, take);
      if (isDuplicate) countDuplicate();
      return outcome;
    });
    const refused = (await Promise.all(outcomes)).filter((outcome) => !outcome.held);
    if (refused.length === 0) return { status: 202 };
    // What can be given another try gets one: of a batch that comes again the others are duplicates.
    if (refused.every(({ rejected }) => rejected)) return { status: 422, body: noWayThrough };
    return tryAgain(503, Math.max(...refused.map(({ retryAfterMs: after = retryAfterMs }) => after)));
  };

  const handle = async (request: IngressRequest, ctx: SourceContext): Promise<IngressAnswer> => {
    if (request.method === "OPTIONS" && format.preflight !== undefined) return format.preflight(request);
    const { mediaType } = readContentType(request.headers.get("content-type"));
    if (!format.accepts(mediaType, request.headers)) return { status: 415, body: unreadable(format) };
    let verified: Verified | undefined;
    try {
      // By the name that its author knows: a number depends on the order in which sources are watched.
      verified = await auth.verify(request, { source: ownName, client: ctx.client, clock: ctx.clock, log: ctx.log });
    } catch (error) {
      if (isCodedError(error, "BodyTooLarge") || isCodedError(error, "IngressFull")) throw error;
      ctx.log.warn("Cannot check who sent a request", { error });
      countUnchecked();
      return tryAgain(503);
    }
    if (verified === undefined) return { status: 401, headers: { "www-authenticate": auth.challenge } };
    const waitMs = limiter?.tryTake(verified.identity) ?? 0;
    if (waitMs > 0) return tryAgain(429, waitMs);
    const bytes = await request.body();
    const reading = await format.read(request, bytes, { clock: ctx.clock, covers: auth.covers });
    if (reading.type === "malformed") return { status: 400, body: reading.reason };
    if (reading.type === "answer") return reading.answer;
    if (reading.events.length > capacity) {
      return { status: 413, body: `a batch may have ${capacity} events at the most` };
    }
    return hold(reading.events, request, verified, bytes);
  };

  const reserve = ({ name, ingress }: Pick<SourceContext, "name" | "ingress">): Disposable => {
    const place = ingress.reserve(name, route);
    places.set(ingress, place);
    return {
      [Symbol.dispose](): void {
        places.delete(ingress);
        place[Symbol.dispose]();
      },
    };
  };

  return {
    ...declared,
    delivery: "atLeastOnce",
    durability: annotates ? "origin" : "process",
    overflow: "wait",
    // What is accepted waits here; behind it there is no second buffer of that size.
    capacity: 1,
    maxUnacknowledgedBytes: maxHeldBytes,
    bytesOf: accepted.bytesOf,
    needLeaderElection: !annotates,
    deliver: annotates ? "annotate" : "queue",
    annotates: options.annotates,
    connects: true,
    declare: reserve,
    async *events(ctx): AsyncGenerator<GenericEvent<WebhookEvent<unknown>>, void, undefined> {
      const { name, clock, ingress, metrics, signal } = ctx;
      if (isOpen) throw openElsewhere(name);
      limiter ??= createRateLimiter({ ...rate, name: `ingress ${name}`, clock, metrics });
      window ??= createDuplicateWindow({ clock, windowMs, most });
      const repeated = metrics.counter({
        name: "farwatch_webhook_duplicates_total",
        help: "Deliveries of events that were held, or were being taken, already.",
        labelNames: ["source"],
      });
      const unchecked = metrics.counter({
        name: "farwatch_webhook_unchecked_total",
        help: "Requests that were answered with 503, since it could not be checked who sent them.",
        labelNames: ["source"],
      });
      countDuplicate = () => repeated.add({ source: name });
      countUnchecked = () => unchecked.add({ source: name });
      // Anybody may send what cannot be checked.
      const asked = { ...ctx, log: pacedLogger(ctx.log, clock) };
      using _reserved = places.has(ingress) ? undefined : reserve(ctx);
      using _serving = places.get(ingress)?.serve({ handle: (request) => handle(request, asked) });
      isOpen = true;
      ctx.health.serving();
      try {
        yield* readUntilAborted(accepted.next, signal);
      } finally {
        isOpen = false;
        // Their senders still wait, and have another replica to turn to.
        accepted.giveBack();
      }
    },
  };
}

function unreadable({ expects }: BodyFormat<unknown>): string {
  return expects === undefined ? "bodies of this content type are not read here" : `the body must be ${expects}`;
}

function sizeOf(headers: ReadonlyMap<string, string>, body: Uint8Array): number {
  let size = body.byteLength;
  for (const [header, value] of headers) size += header.length + value.length;
  return size;
}
