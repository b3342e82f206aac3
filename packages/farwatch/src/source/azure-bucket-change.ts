import type { EventGridEvent } from "../ingress/event-grid.ts";
import { type BucketChange, sizeOf, textOf } from "./bucket-change.ts";

const blob = /^\/blobServices\/default\/containers\/(?<bucket>[^/]+)\/blobs\/(?<key>.+)$/s;

/**
 * The change of a blob that an event of Azure Event Grid tells of ("Azure Blob Storage as an Event Grid source"),
 * container and name by its subject, where they stand as they are; undefined for events of something else, such as an
 * inventory.
 */
export function azureBucketChange({ subject, type, time, data }: EventGridEvent): BucketChange | undefined {
  const { bucket, key } = blob.exec(subject)?.groups ?? {};
  if (bucket === undefined || key === undefined) return undefined;
  return {
    bucket,
    key,
    type: types[type] ?? "other",
    occurredAt: time,
    sequence: textOf(data, "sequencer"),
    size: sizeOf(data, "contentLength"),
  };
}

const types: Readonly<Partial<Record<string, BucketChange["type"]>>> = Object.assign(Object.create(null), {
  "Microsoft.Storage.BlobCreated": "created",
  "Microsoft.Storage.BlobDeleted": "deleted",
});
