import type { BodyFormat, BodyReading } from "../ingress/body-format.ts";
import { type EventGridEvent, eventGridBody, readEventGridEvents, topicOf } from "../ingress/event-grid.ts";
import { jsonBody } from "../ingress/json-body.ts";
import { azureBucketChange } from "./azure-bucket-change.ts";
import type { BucketChange, ToldChanges } from "./bucket-change.ts";
import { gcsBucketChanges } from "./gcs-bucket-changes.ts";
import { s3BucketChanges } from "./s3-bucket-changes.ts";

/** How the notifications of one provider are read. */
export interface BucketMessages {
  /** Of a webhook. */
  readonly body: BodyFormat<BucketChange>;
  /** Of a message in a queue, from its JSON. */
  changesOf(value: unknown): ToldChanges;
}

export const s3Messages: BucketMessages = { body: bodyOf(s3BucketChanges), changesOf: s3BucketChanges };

export const gcsMessages: BucketMessages = { body: bodyOf(gcsBucketChanges), changesOf: gcsBucketChanges };

/** @throws CodedError `InvalidOption` for a topic that is no resource id. */
export function azureMessages(topic: string): BucketMessages {
  const events = eventGridBody({ topics: [topic] });
  const configured = topicOf(topic);
  return {
    body: {
      ...events,
      async read(request, bytes, ctx): Promise<BodyReading<BucketChange>> {
        const reading = await events.read(request, bytes, ctx);
        if (reading.type !== "events") return reading;
        const changes = reading.events.flatMap(({ body, id, occurredAt }) => {
          const change = azureBucketChange(body);
          return change === undefined ? [] : [{ body: change, id, occurredAt }];
        });
        return { type: "events", events: changes };
      },
    },
    changesOf(value): ToldChanges {
      const reading = readEventGridEvents(value);
      if (!reading.ok) return reading;
      if (reading.events.some((event) => event.topic !== configured)) return { ok: false, reason: "topic is another" };
      return { ok: true, changes: reading.events.flatMap(toldOf) };
    },
  };
}

function toldOf(event: EventGridEvent) {
  const change = azureBucketChange(event);
  return change === undefined ? [] : [{ change }];
}

function bodyOf(changesOf: (value: unknown) => ToldChanges): BodyFormat<BucketChange> {
  const json = jsonBody();
  return {
    accepts: json.accepts,
    expects: json.expects,
    async read(request, bytes, ctx): Promise<BodyReading<BucketChange>> {
      const reading = await json.read(request, bytes, ctx);
      if (reading.type !== "events") return reading;
      const [event] = reading.events;
      const told = changesOf(event?.body);
      if (!told.ok) return { type: "malformed", reason: told.reason };
      const events = told.changes.map(({ change, id }) => ({ body: change, id, occurredAt: change.occurredAt }));
      return { type: "events", events };
    },
  };
}
