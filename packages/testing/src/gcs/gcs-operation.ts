import type { Instant } from "farwatch";
import { listKeys, type PageStart, readPageToken, writePageToken } from "../store/object-listing.ts";
import type { ServedAnswer, ServedRequest } from "../store/served-request.ts";
import type { GcsAsk } from "./gcs-ask.ts";
import { conflict, GcsError, invalid, jsonAnswer, notFound } from "./gcs-error.ts";
import type { GcsAccount } from "./gcs-options.ts";
import {
  bucketResource,
  createBucket,
  createObject,
  demand,
  type GcsBucket,
  isBucketName,
  objectResource,
  refused,
} from "./gcs-state.ts";
import { readResource, readUpload } from "./gcs-upload.ts";

export interface GcsCall {
  readonly request: ServedRequest;
  readonly ask: GcsAsk;
  readonly account: GcsAccount | undefined;
  readonly buckets: Map<string, GcsBucket>;
  readonly now: Instant;
  /** Counts calls. */
  readonly serial: number;
}

const mostResults = 1_000;

/** Does what was asked, if the account may. @throws GcsError */
export function performGcs(call: GcsCall): ServedAnswer {
  const { ask, buckets, account, request } = call;
  const origin = originOf(request);
  if (ask.operation === "buckets.list") {
    if (account?.admin !== true) throw refused(account, "buckets.list");
    const items = [...buckets.values()].map((bucket) => bucketResource(bucket, origin));
    return jsonAnswer(200, { kind: "storage#buckets", ...(items.length === 0 ? {} : { items }) });
  }
  if (ask.operation === "buckets.insert") return insertBucket(call);
  if (ask.bucket === undefined) throw notFound("Not Found");
  const bucket = buckets.get(ask.bucket);
  if (bucket === undefined) throw notFound();
  switch (ask.operation) {
    case "buckets.get":
      demand(account, "buckets.get", bucket);
      return jsonAnswer(200, bucketResource(bucket, origin));
    case "buckets.delete":
      demand(account, "buckets.delete", bucket);
      if (bucket.objects.size > 0) throw conflict("The bucket you tried to delete is not empty.");
      buckets.delete(bucket.name);
      return { status: 204 };
    case "objects.list":
      demand(account, "objects.list", bucket);
      return listObjects(call, bucket);
    case "objects.insert":
      demand(account, "objects.create", bucket);
      return insertObject(call, bucket);
    case "objects.get":
      demand(account, "objects.get", bucket);
      return getObject(call, bucket, ask.key ?? "");
    case "objects.delete":
      demand(account, "objects.delete", bucket);
      if (!bucket.objects.delete(ask.key ?? "")) throw noSuchObject(bucket, ask.key ?? "");
      return { status: 204 };
    default:
      throw new GcsError({
        status: 501,
        reason: "notImplemented",
        message: `This test store does not implement ${ask.operation}`,
      });
  }
}

function insertBucket({ request, account, buckets, now }: GcsCall): ServedAnswer {
  if (account?.admin !== true) throw refused(account, "buckets.create");
  const { name, location } = readResource(request.body);
  if (typeof name !== "string" || !isBucketName(name)) throw invalid(`Invalid bucket name: '${String(name)}'`);
  if (buckets.has(name)) {
    throw conflict("Your previous request to create the named bucket succeeded and you already own it.");
  }
  const bucket = createBucket(name, typeof location === "string" ? { location } : {}, now);
  buckets.set(name, bucket);
  return jsonAnswer(200, bucketResource(bucket, originOf(request)));
}

function listObjects({ ask, request }: GcsCall, bucket: GcsBucket): ServedAnswer {
  const { query } = ask;
  const given = query.get("maxResults");
  if (given !== null && !/^\d+$/.test(given)) throw invalid(`Invalid value for maxResults: ${given}`);
  const from = pageStartOf(query.get("pageToken"));
  const { keys, prefixes, next } = listKeys(bucket.objects.keys(), {
    prefix: query.get("prefix") ?? "",
    delimiter: query.get("delimiter") ?? "",
    after: from?.after,
    whole: from?.whole ?? false,
    // Nought is taken for "as many as there may be".
    limit: Math.min(Number(given ?? 0) || mostResults, mostResults),
  });
  const origin = originOf(request);
  const items = keys.flatMap((key) => {
    const object = bucket.objects.get(key);
    return object === undefined ? [] : [objectResource(bucket, key, object, origin)];
  });
  return jsonAnswer(200, {
    kind: "storage#objects",
    ...(next === undefined ? {} : { nextPageToken: writePageToken(next) }),
    ...(prefixes.length === 0 ? {} : { prefixes }),
    ...(items.length === 0 ? {} : { items }),
  });
}

function insertObject({ request, ask, now, serial }: GcsCall, bucket: GcsBucket): ServedAnswer {
  const { name, ...content } = readUpload(request, ask.query);
  const wanted = ask.query.get("ifGenerationMatch");
  if (wanted !== null && wanted !== (bucket.objects.get(name)?.generation ?? "0")) {
    throw new GcsError({
      status: 412,
      reason: "conditionNotMet",
      message: "At least one of the pre-conditions you specified did not hold.",
      location: "If-Match",
    });
  }
  const object = createObject(content, now, serial);
  bucket.objects.set(name, object);
  return jsonAnswer(200, objectResource(bucket, name, object, originOf(request)));
}

function getObject({ ask, request }: GcsCall, bucket: GcsBucket, key: string): ServedAnswer {
  const object = bucket.objects.get(key);
  if (object === undefined) throw noSuchObject(bucket, key);
  if (ask.query.get("alt") !== "media") return jsonAnswer(200, objectResource(bucket, key, object, originOf(request)));
  return {
    status: 200,
    headers: {
      "content-type": object.contentType,
      "content-length": String(object.content.length),
      etag: Buffer.from(object.generation).toString("base64"),
      "last-modified": object.createdAt.toUTCString(),
      "x-goog-generation": object.generation,
      "x-goog-metageneration": "1",
    },
    body: object.content,
  };
}

function noSuchObject({ name }: GcsBucket, key: string): GcsError {
  return notFound(`No such object: ${name}/${key}`);
}

function originOf({ secure, host }: ServedRequest): string {
  return `${secure ? "https" : "http"}://${host}`;
}

function pageStartOf(token: string | null): PageStart | undefined {
  if (token === null || token === "") return undefined;
  const start = readPageToken(token);
  if (start === undefined) throw invalid(`Invalid page token: ${token}`);
  return start;
}
