import { type Instant, parseTime } from "../clock/instant.ts";
import { CodedError } from "../error/coded-error.ts";
import { type BodyFormat, type BodyReading, isJson } from "./body-format.ts";
import type { IngressAnswer, IngressRequest } from "./ingress.ts";
import { readJson } from "./json-text.ts";

/** An event of Azure Event Grid, whichever of its two schemas it came in. */
export interface EventGridEvent {
  readonly id: string;
  /**
   * The resource id of what it happened to, in lower case: Azure means the same by either. In CloudEvents: `source`.
   */
  readonly topic: string;
  readonly subject: string;
  readonly type: string;
  readonly time: Instant;
  readonly data: unknown;
}

export interface EventGridBodyOptions {
  /** Resource ids, `/subscriptions/…/storageAccounts/photos`: whoever tells of anything else is answered with 403. */
  readonly topics: readonly string[];
}

export type EventGridReading =
  | { readonly ok: true; readonly events: readonly EventGridEvent[] }
  | { readonly ok: false; readonly reason: string };

const origin = "eventgrid.azure.net";
const validation = "Microsoft.EventGrid.SubscriptionValidationEvent";

/**
 * Events of Azure Event Grid by webhook, in its own schema and in that of CloudEvents 1.0 (single and batch); each has
 * the identity of its topic and id.
 *
 * The handshake that comes before them is answered here. A SubscriptionValidation event (own schema) of one of the
 * topics gets its code back with 200; its `validationUrl` is never fetched. OPTIONS (CloudEvents' "HTTP 1.1 Web Hooks",
 * section 4) allows eventgrid.azure.net alone, and its WebHook-Request-Callback is never fetched. Azure drops events
 * that are answered with 400, 401, 403 or 413.
 *
 * @throws CodedError `InvalidOption` for a topic that is no resource id.
 */
export function eventGridBody({ topics }: EventGridBodyOptions): BodyFormat<EventGridEvent> {
  const configured = new Set(topics.map(topicOf));
  return {
    // text/json and others are not Event Grid's, but harmless.
    accepts: (mediaType) => isJson(mediaType),
    expects: "application/json",
    preflight,
    async read(_request, bytes): Promise<BodyReading<EventGridEvent>> {
      const json = readJson(bytes);
      const reading = json.ok ? readEventGridEvents(json.value) : json;
      if (!reading.ok) return { type: "malformed", reason: reading.reason };
      if (!reading.events.every(({ topic }) => configured.has(topic)))
        return { type: "answer", answer: { status: 403 } };
      const [first] = reading.events;
      if (first?.type === validation && reading.events.length === 1) return validated(first);
      return {
        type: "events",
        events: reading.events.map((event) => ({
          body: event,
          // As JSON: no topic and id run into each other.
          id: JSON.stringify([event.topic, event.id]),
          occurredAt: event.time,
        })),
      };
    },
  };
}

/** @throws CodedError `InvalidOption` when the text is no resource id. */
export function topicOf(text: string): string {
  if (/^\/subscriptions\/[^/]+(?:\/[^/]+)+$/i.test(text)) return text.toLowerCase();
  throw new CodedError(
    "InvalidOption",
    `Cannot read Event Grid: topic ${JSON.stringify(text)} is no resource id, give one such as /subscriptions/ID/resourceGroups/GROUP/providers/Microsoft.Storage/storageAccounts/NAME`,
  );
}

/** The events of a body or of a message in a queue: one, or an array of them. */
export function readEventGridEvents(value: unknown): EventGridReading {
  const events: EventGridEvent[] = [];
  for (const [index, item] of (Array.isArray(value) ? value : [value]).entries()) {
    const event = eventOf(item);
    if (typeof event === "string")
      return { ok: false, reason: Array.isArray(value) ? `event ${index}: ${event}` : event };
    events.push(event);
  }
  return { ok: true, events };
}

function validated({ data }: EventGridEvent): BodyReading<never> {
  const code = typeof data === "object" && data !== null && "validationCode" in data ? data.validationCode : undefined;
  if (typeof code !== "string" || code === "") return { type: "malformed", reason: "data.validationCode is missing" };
  const headers = { "content-type": "application/json" };
  return { type: "answer", answer: { status: 200, headers, body: JSON.stringify({ validationResponse: code }) } };
}

function preflight({ headers }: IngressRequest): IngressAnswer {
  if (headers.get("webhook-request-origin")?.toLowerCase() !== origin) return { status: 403 };
  return {
    status: 200,
    headers: { allow: "POST, OPTIONS", "webhook-allowed-origin": origin, "webhook-allowed-rate": "*" },
  };
}

/** What is wrong with it, when it is none. */
function eventOf(item: unknown): EventGridEvent | string {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return "an event is a JSON object";
  const members = new Map<string, unknown>(Object.entries(item));
  const isCloudEvent = members.has("specversion");
  const [topicName, typeName, timeName] = isCloudEvent
    ? ["source", "type", "time"]
    : ["topic", "eventType", "eventTime"];
  for (const name of ["id", topicName, typeName, timeName]) {
    const member = members.get(name);
    if (typeof member !== "string" || member === "") return `${name} is missing`;
  }
  const subject = members.get("subject") ?? "";
  if (typeof subject !== "string") return "subject is no string";
  const time = parseTime(String(members.get(timeName)).toUpperCase());
  if (time === undefined) return `${timeName} is no RFC 3339 time`;
  return {
    id: String(members.get("id")),
    topic: String(members.get(topicName)).toLowerCase(),
    subject,
    type: String(members.get(typeName)),
    time,
    data: members.get("data"),
  };
}
