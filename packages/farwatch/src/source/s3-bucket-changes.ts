import { readJson } from "../ingress/json-text.ts";
import { type BucketChange, memberOf, refused, sizeOf, type ToldChanges, textOf, timeOf } from "./bucket-change.ts";

/**
 * Reads a notification of Amazon S3 ("Event message structure" of its user guide), and of MinIO and versitygw, which
 * send the same; also one that came through a topic of Amazon SNS and still has its envelope. `s3:TestEvent`, which is
 * sent when a target is set up, tells of nothing.
 */
export function s3BucketChanges(value: unknown): ToldChanges {
  const message = textOf(value, "Message");
  if (textOf(value, "Type") !== "Notification" || message === undefined) return changesOf(value);
  const json = readJson(new TextEncoder().encode(message));
  return json.ok ? changesOf(json.value) : refused(`Message: ${json.reason}`);
}

function changesOf(value: unknown): ToldChanges {
  if (textOf(value, "Event") === "s3:TestEvent") return { ok: true, changes: [] };
  const records = memberOf(value, "Records");
  if (!Array.isArray(records)) return refused("Records is no array");
  const changes: { readonly change: BucketChange }[] = [];
  for (const [index, record] of records.entries()) {
    const name = textOf(record, "eventName");
    const bucket = textOf(record, "s3", "bucket", "name");
    const occurredAt = timeOf(record, "eventTime");
    const at = `Records.${index}`;
    if (name === undefined) return refused(`${at}.eventName is missing`);
    if (bucket === undefined) return refused(`${at}.s3.bucket.name is missing`);
    if (occurredAt === undefined) return refused(`${at}.eventTime is no RFC 3339 time`);
    changes.push({
      change: {
        bucket,
        key: keyOf(record),
        type: typeOf(name),
        occurredAt,
        sequence: textOf(record, "s3", "object", "sequencer"),
        size: sizeOf(record, "s3", "object", "size"),
      },
    });
  }
  return { ok: true, changes };
}

/** Amazon leaves out the `s3:` that MinIO and versitygw write. */
function typeOf(name: string): BucketChange["type"] {
  if (/^(?:s3:)?ObjectCreated:/.test(name)) return "created";
  return /^(?:s3:)?(?:ObjectRemoved|LifecycleExpiration):/.test(name) ? "deleted" : "other";
}

/** Encoded as a form is: `red+flower.jpg` was put as `red flower.jpg`. A text that is no encoding is the key. */
function keyOf(record: unknown): string {
  const key = textOf(record, "s3", "object", "key") ?? "";
  if (versitygw.test(textOf(record, "s3", "configurationId") ?? "")) return key;
  try {
    return decodeURIComponent(key.replaceAll("+", " "));
  } catch {
    return key;
  }
}

/** What versitygw calls the ways by which it tells; it encodes no keys. */
const versitygw = /^(?:kafka|nats|rabbitmq|webhook)-global$/;
