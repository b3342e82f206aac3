import { formatTime } from "farwatch";
import { listKeys, type PageStart, readPageToken, writePageToken } from "../store/object-listing.ts";
import { type XmlElement, xmlDocument } from "../store/xml.ts";
import { invalidArgument } from "./s3-error.ts";
import type { S3Bucket } from "./s3-state.ts";

const namespace = { xmlns: "http://s3.amazonaws.com/doc/2006-03-01/" };
const mostKeys = 1_000;

/** The document of ListObjectsV2, or of ListObjects. @throws S3Error `InvalidArgument`. */
export function listObjects(bucket: S3Bucket, query: URLSearchParams): string {
  const isV2 = query.get("list-type") === "2";
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""];
  const maxKeys = maxKeysOf(query.get("max-keys"));
  const encoding = encodingOf(query.get("encoding-type"));
  const encoded = (text: string): string =>
    encoding === undefined ? text : encodeURIComponent(text).replaceAll("%2F", "/");
  const token = query.get("continuation-token") ?? undefined;
  const startAfter = query.get("start-after") ?? undefined;
  const marker = query.get("marker") ?? undefined;
  const from = isV2 ? (pageStartOf(token) ?? { after: startAfter, whole: false }) : { after: marker, whole: false };
  const { keys, prefixes, next } = listKeys(bucket.objects.keys(), {
    prefix,
    delimiter,
    after: from.after,
    whole: from.whole,
    limit: maxKeys,
  });
  const paging: readonly XmlElement[] = isV2
    ? [
        ["KeyCount", keys.length + prefixes.length],
        ["StartAfter", startAfter === undefined ? undefined : encoded(startAfter)],
        ["ContinuationToken", token],
        ["NextContinuationToken", next === undefined ? undefined : writePageToken(next)],
      ]
    : [
        ["Marker", encoded(marker ?? "")],
        ["NextMarker", next === undefined || delimiter === "" ? undefined : encoded(next.after)],
      ];
  return xmlDocument(
    "ListBucketResult",
    [
      ["Name", bucket.name],
      ["Prefix", encoded(prefix)],
      ["Delimiter", delimiter === "" ? undefined : encoded(delimiter)],
      ["MaxKeys", maxKeys],
      ["EncodingType", encoding],
      ["IsTruncated", next !== undefined],
      ...paging,
      ...keys.map((key): XmlElement => ["Contents", contentsOf(bucket, key, encoded(key))]),
      ...prefixes.map((each): XmlElement => ["CommonPrefixes", [["Prefix", encoded(each)]]]),
    ],
    namespace,
  );
}

function contentsOf({ objects }: S3Bucket, key: string, shown: string): readonly XmlElement[] {
  const object = objects.get(key);
  return [
    ["Key", shown],
    ["LastModified", object === undefined ? undefined : formatTime(object.modifiedAt)],
    ["ETag", object?.etag],
    ["Size", object?.content.length],
    ["StorageClass", "STANDARD"],
  ];
}

export function listBuckets(buckets: readonly S3Bucket[], owner: string): string {
  return xmlDocument(
    "ListAllMyBucketsResult",
    [
      [
        "Owner",
        [
          ["ID", owner],
          ["DisplayName", owner],
        ],
      ],
      [
        "Buckets",
        buckets.map(
          ({ name, createdAt, region }): XmlElement => [
            "Bucket",
            [
              ["Name", name],
              ["CreationDate", formatTime(createdAt)],
              ["BucketRegion", region],
            ],
          ],
        ),
      ],
    ],
    namespace,
  );
}

/** An empty constraint stands for the oldest region. */
export function locationOf({ region }: S3Bucket): string {
  const text = region === "us-east-1" ? "" : region;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<LocationConstraint xmlns="${namespace.xmlns}">${text}</LocationConstraint>`;
}

function maxKeysOf(given: string | null): number {
  if (given === null || given === "") return mostKeys;
  if (!/^-?\d+$/.test(given) || Math.abs(Number(given)) > 2_147_483_647) {
    throw invalidArgument("Provided max-keys not an integer or within integer range", "max-keys", given);
  }
  if (Number(given) < 0) {
    throw invalidArgument("Argument maxKeys must be an integer between 0 and 2147483647", "max-keys", given);
  }
  return Math.min(Number(given), mostKeys);
}

function encodingOf(given: string | null): "url" | undefined {
  if (given === null || given === "") return undefined;
  if (given !== "url") throw invalidArgument("Invalid Encoding Method specified in Request", "encoding-type", given);
  return given;
}

function pageStartOf(token: string | undefined): PageStart | undefined {
  if (token === undefined) return undefined;
  const start = readPageToken(token);
  if (start === undefined) {
    throw invalidArgument("The continuation token provided is incorrect", "continuation-token", token);
  }
  return start;
}
