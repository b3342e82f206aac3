import { decodedPart, type ServedRequest } from "../store/served-request.ts";
import type { StoreAsk } from "../store/store-fault.ts";

/** A request to S3 as its address says it. */
export interface S3Ask extends StoreAsk {
  /** The region whose endpoint was asked. */
  readonly endpointRegion: string;
  /** True when the endpoint belongs to no region of its own: the bucket's own then answers. */
  readonly isGlobal: boolean;
  readonly query: URLSearchParams;
}

export interface S3Addressing {
  /** Of any endpoint that is not one of Amazon's. */
  readonly region: string;
  /** Hosts under which a bucket's name may stand before the host's own: `photos.s3.test`. */
  readonly domains: readonly string[];
}

const amazonHost = /^(?:(?<bucket>.+)\.)?s3(?:[.-](?:dualstack\.)?(?<region>[a-z0-9-]+))?\.amazonaws\.com(?:\.cn)?$/;

/** Query parameters that make a request one for something else than the bucket or object itself. */
const subresources: ReadonlySet<string> = new Set([
  "accelerate",
  "acl",
  "analytics",
  "attributes",
  "cors",
  "delete",
  "encryption",
  "intelligent-tiering",
  "inventory",
  "legal-hold",
  "lifecycle",
  "logging",
  "metrics",
  "notification",
  "object-lock",
  "ownershipControls",
  "partNumber",
  "policy",
  "policyStatus",
  "publicAccessBlock",
  "replication",
  "requestPayment",
  "restore",
  "retention",
  "select",
  "tagging",
  "torrent",
  "uploadId",
  "uploads",
  "versionId",
  "versioning",
  "versions",
  "website",
]);

const bucketOperations: Readonly<Record<string, string>> = {
  HEAD: "HeadBucket",
  PUT: "CreateBucket",
  DELETE: "DeleteBucket",
};
const objectOperations: Readonly<Record<string, string>> = {
  HEAD: "HeadObject",
  GET: "GetObject",
  PUT: "PutObject",
  DELETE: "DeleteObject",
};

/** Reads bucket, key and operation from host, path and query. Percent-encoding that is none is kept as it is. */
export function readS3Ask(request: ServedRequest, { region, domains }: S3Addressing): S3Ask {
  const query = new URLSearchParams(request.query);
  const host = request.host.replace(/:\d+$/, "").toLowerCase();
  const amazon = amazonHost.exec(host)?.groups;
  const domain = domains.find((each) => host.endsWith(`.${each}`));
  const fromHost = amazon?.bucket ?? (domain === undefined ? undefined : host.slice(0, -domain.length - 1));
  const [first = "", ...others] = request.path.slice(1).split("/");
  const bucket = fromHost ?? (first === "" ? undefined : decodedPart(first));
  const rest = fromHost === undefined ? others.join("/") : request.path.slice(1);
  const key = bucket === undefined || rest === "" ? undefined : decodedPart(rest);
  return {
    operation: operationOf(request.method, bucket, key, query),
    bucket,
    key,
    user: userOf(request, query),
    endpointRegion: amazon === undefined ? region : (amazon.region ?? "us-east-1"),
    isGlobal: amazon !== undefined && amazon.region === undefined && amazon.bucket !== undefined,
    query,
  };
}

function operationOf(
  method: string,
  bucket: string | undefined,
  key: string | undefined,
  query: URLSearchParams,
): string {
  const subresource = [...query.keys()].find((name) => subresources.has(name));
  if (subresource !== undefined) return `${method} ?${subresource}`;
  if (bucket === undefined) return method === "GET" ? "ListBuckets" : method;
  if (key !== undefined) return objectOperations[method] ?? method;
  if (method !== "GET") return bucketOperations[method] ?? method;
  if (query.has("location")) return "GetBucketLocation";
  return query.get("list-type") === "2" ? "ListObjectsV2" : "ListObjects";
}

function userOf({ headers }: ServedRequest, query: URLSearchParams): string | undefined {
  const credential =
    query.get("X-Amz-Credential") ?? /\bCredential=([^,\s]+)/.exec(headers.authorization ?? "")?.[1] ?? undefined;
  return credential?.split("/")[0];
}
