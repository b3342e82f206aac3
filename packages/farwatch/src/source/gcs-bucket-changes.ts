import { Buffer } from "node:buffer";
import { readJson } from "../ingress/json-text.ts";
import { type BucketChange, memberOf, refused, sizeOf, type ToldChanges, textOf, timeOf } from "./bucket-change.ts";

/**
 * Reads a notification of Google Cloud Storage as Pub/Sub carries it ("Pub/Sub notifications" of its documentation): a
 * push, or the message alone. What happened stands in the attributes, whose names are not encoded; the data, in base64,
 * is the object as JSON, or nothing.
 */
export function gcsBucketChanges(value: unknown): ToldChanges {
  const message = memberOf(value, "message") ?? value;
  const attribute = (name: string): string | undefined => textOf(message, "attributes", name);
  const [bucket, event] = [attribute("bucketId"), attribute("eventType")];
  if (bucket === undefined) return refused("message.attributes.bucketId is missing");
  if (event === undefined) return refused("message.attributes.eventType is missing");
  const occurredAt = timeOf(message, "attributes", "eventTime") ?? timeOf(message, "publishTime");
  if (occurredAt === undefined) return refused("message.attributes.eventTime is no RFC 3339 time");
  const object = attribute("payloadFormat") === "JSON_API_V1" ? dataOf(textOf(message, "data") ?? "") : undefined;
  if (object === null) return refused("message.data is no base64 of JSON");
  const id = textOf(message, "messageId");
  const change: BucketChange = {
    bucket,
    key: attribute("objectId") ?? "",
    // The version that another took the place of: under its name there is an object.
    type: attribute("overwrittenByGeneration") === undefined ? (types[event] ?? "other") : "other",
    occurredAt,
    sequence: attribute("objectGeneration"),
    size: sizeOf(object, "size"),
  };
  const subscription = textOf(value, "subscription") ?? "";
  return { ok: true, changes: [{ change, id: id === undefined ? undefined : JSON.stringify([subscription, id]) }] };
}

/** In a bucket with versions an object that is deleted is archived, which alone is told; its version stays. */
const types: Readonly<Partial<Record<string, BucketChange["type"]>>> = Object.assign(Object.create(null), {
  OBJECT_FINALIZE: "created",
  OBJECT_DELETE: "deleted",
  OBJECT_ARCHIVE: "deleted",
});

/** null when it cannot be read. */
function dataOf(base64: string): unknown {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return null;
  const json = readJson(Buffer.from(base64, "base64"));
  return json.ok && typeof json.value === "object" ? json.value : null;
}
