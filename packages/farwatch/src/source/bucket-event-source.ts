import { CodedError } from "../error/coded-error.ts";
import { checkTexts } from "../error/given-text.ts";
import { createDelivery, type Hold } from "../event/delivery.ts";
import type { Acknowledgement, GenericEvent } from "../event/source-event.ts";
import type { BodyFormat } from "../ingress/body-format.ts";
import { readJson } from "../ingress/json-text.ts";
import { createAcknowledgementGuard } from "./acknowledgement-guard.ts";
import type { BucketChange } from "./bucket-change.ts";
import { azureMessages, type BucketMessages, gcsMessages, s3Messages } from "./bucket-messages.ts";
import type { Source, SourceContext } from "./source.ts";
import { sourceLike } from "./source-like.ts";
import { createSourceMetrics } from "./source-metrics.ts";
import { checkOptions } from "./source-options.ts";
import type { WebhookEvent } from "./webhook-options.ts";

/** Something happened in a bucket, whoever provides it and however that was told. */
export interface BucketEvent extends BucketChange {
  /** `s3` is also MinIO, versitygw and whatever else speaks its API. */
  readonly provider: "s3" | "gcs" | "azure";
  /** As the source's options name it: scheme, host and port; undefined for the provider's own. */
  readonly endpoint?: string | undefined;
}

/** How notifications are read, for the source that carries them. */
export interface BucketNotifications {
  /** For `webhookSource`. */
  readonly body: BodyFormat<BucketChange>;
  /**
   * For the `read` of a broker's source: text, or bytes in UTF-8.
   *
   * @throws CodedError `ProtocolError`, naming the field: the message is a dead letter.
   */
  readonly read: (message: string | Uint8Array) => readonly BucketChange[];
}

interface BucketEventSourceBase {
  /** Of a provider that is not the one of that name, `https://minio.example.com`: stands in each event. */
  readonly endpoint?: string | undefined;
  /**
   * Exact names (Azure: of containers). What is told of others is counted and dropped: whoever may tell may not tell of
   * everything.
   */
  readonly buckets: readonly string[];
  /** Makes the source that carries the notifications; names, delivery and everything else are its own. */
  readonly from: (
    notifications: BucketNotifications,
  ) => Source<readonly BucketChange[]> | Source<WebhookEvent<BucketChange>>;
}

export type BucketEventSourceOptions = BucketEventSourceBase &
  (
    | { readonly provider: "s3" | "gcs"; readonly topic?: undefined }
    | {
        readonly provider: "azure";
        /**
         * The resource id of the storage account, `/subscriptions/…/storageAccounts/photos`: its subscription is
         * confirmed, and its events count.
         */
        readonly topic: string;
      }
  );

const doing = "make a source of bucket events";
/** What the operator itself writes into buckets: it must not be woken by it. */
const ownKeys = ".farwatch/";

/**
 * Events of buckets: notifications of Amazon S3, MinIO and versitygw, of Google Cloud Storage through Pub/Sub push, and
 * of Azure Blob Storage through Event Grid. They come by a webhook, or through whatever broker the provider or you put
 * them into.
 *
 * - An event is an object that was created, replaced or deleted, or something else that the provider was asked to tell.
 *   Test events tell of nothing. Keys that begin with `.farwatch/` and buckets that are not named are dropped, counted
 *   in `farwatch_source_ignored_events_total`.
 * - Delivery, durability, overflow, back pressure, leader need and authentication are those of the source that carries
 *   them. A message of several events is acknowledged when all of them are, and given back when one of them is.
 * - Providers tell at least once and in no order; some never tell twice. So an event is a reason to look, and a timer
 *   the safety net.
 *
 * @throws CodedError `InvalidOption`.
 * @example
 * bucketEventSource({
 *   provider: "s3",
 *   buckets: ["photos"],
 *   from: ({ read }) => sqsSource({ queueUrl, read: ({ body }) => read(body) }),
 * })
 * @example
 * bucketEventSource({
 *   provider: "s3",
 *   endpoint: "https://minio.example.com",
 *   buckets: ["photos"],
 *   from: ({ body }) => webhookSource({ path: `/minio/${token}`, auth: unguessablePath(), body }),
 * })
 */
export function bucketEventSource(options: BucketEventSourceOptions): Source<BucketEvent> {
  checkOptions("of bucket events", options);
  const { provider } = options;
  const endpoint = options.endpoint === undefined ? undefined : originOf(options.endpoint);
  checkTexts(options.buckets, { doing, what: "buckets", give: "a list of the exact names of those that it is for" });
  const buckets = new Set(options.buckets);
  const messages = messagesOf(options);
  if (typeof options.from !== "function")
    throw refusal("from is no function, give one that makes the source which carries the notifications");
  const carrier = options.from({ body: messages.body, read: (message) => readMessage(messages, message) });
  checkOptions("of bucket events", carrier);
  const { overflow } = carrier;
  if (typeof overflow === "object")
    throw refusal(`source ${carrier.name} merges what is told of different buckets, leave out its overflow`);

  /** Of a message without an acknowledgement, what nobody asked for before the source was closed. */
  const left: BucketChange[] = [];
  const eventOf = (change: BucketChange): GenericEvent<BucketEvent> => ({
    type: "generic",
    object: { provider, endpoint, ...change },
    occurredAt: change.occurredAt,
  });

  const reasonToIgnore = ({ bucket, key }: BucketChange): "bucket" | "key" | undefined => {
    if (!buckets.has(bucket)) return "bucket";
    return key.startsWith(ownKeys) ? "key" : undefined;
  };

  return sourceLike<BucketEvent>(carrier, {
    overflow,
    bytesOf: textLength,
    async *events(ctx: SourceContext): AsyncGenerator<GenericEvent<BucketEvent>, void, undefined> {
      const { name } = ctx;
      const ignored = ctx.metrics.counter({
        name: "farwatch_source_ignored_events_total",
        help: "Events of buckets that are not the source's (bucket), or of what the operator itself writes (key).",
        labelNames: ["source", "reason"],
      });
      const metrics = createSourceMetrics(ctx.metrics);
      const guarded = createAcknowledgementGuard({ source: name, log: ctx.log, metrics });
      for (let change = left.shift(); change !== undefined; change = left.shift()) yield eventOf(change);
      for await (const { object, ack } of carrier.events(ctx)) {
        const told = "body" in object ? [object.body] : object;
        const changes = told.filter((change) => {
          const reason = reasonToIgnore(change);
          if (reason !== undefined) ignored.add({ source: name, reason });
          return reason === undefined;
        });
        const delivery = createDelivery(ack && guarded(ack));
        const all = delivery.hold();
        const parts = changes.map((change) => ({ change, hold: delivery.hold() }));
        all.done();
        try {
          for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
            const { change, hold } = part;
            yield {
              ...eventOf(change),
              ack: ack && acknowledgementOf(hold),
            };
          }
        } finally {
          // Nobody asks for them any more.
          if (ack === undefined) left.push(...parts.map(({ change }) => change));
          for (const { hold } of parts) hold.giveBack();
        }
      }
    },
  });
}

/** What acknowledges a part of a message. */
function acknowledgementOf(hold: Hold): Acknowledgement {
  return {
    done: () => hold.done(),
    retry: (after) => hold.giveBack(after),
    reject: (reason) => hold.reject(reason),
  };
}

/** What is left of a message, which may have been larger, but not smaller. */
function textLength(event: BucketEvent): number {
  return Object.values(event).reduce<number>((sum, part) => sum + (typeof part === "string" ? part.length : 0), 0);
}

function messagesOf(options: BucketEventSourceOptions): BucketMessages {
  switch (options.provider) {
    case "s3":
      return s3Messages;
    case "gcs":
      return gcsMessages;
    case "azure":
      return azureMessages(options.topic);
    default:
      throw unknownProvider(options);
  }
}

/** What nothing but a program without types can give. */
function unknownProvider({ provider }: { readonly provider?: unknown }): CodedError {
  return refusal(
    `provider is ${JSON.stringify(provider)}, give "s3" for all that speaks the API of Amazon S3, "gcs" or "azure"`,
  );
}

function readMessage({ changesOf }: BucketMessages, message: string | Uint8Array): readonly BucketChange[] {
  const json = readJson(typeof message === "string" ? new TextEncoder().encode(message) : message);
  const told = json.ok ? changesOf(json.value) : json;
  if (told.ok) return told.changes.map(({ change }) => change);
  throw new CodedError("ProtocolError", `Cannot read a notification of a bucket: ${told.reason}`);
}

/** Scheme, host and port. */
function originOf(endpoint: string): string {
  const url = URL.parse(endpoint);
  const isBare = url !== null && url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  if (isBare && (url.protocol === "https:" || url.protocol === "http:")) return url.origin;
  throw refusal("its endpoint is no URL of scheme and host, give one such as https://minio.example.com");
}

function refusal(what: string): CodedError {
  return new CodedError("InvalidOption", `Cannot ${doing}: ${what}`);
}
