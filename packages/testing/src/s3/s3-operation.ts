import type { Instant } from "farwatch";
import type { ServedAnswer, ServedRequest } from "../store/served-request.ts";
import type { S3Ask } from "./s3-ask.ts";
import { accessDenied, notImplemented, S3Error } from "./s3-error.ts";
import { listBuckets, listObjects, locationOf } from "./s3-listing.ts";
import type { S3User } from "./s3-options.ts";
import {
  checkBucketName,
  createBucket,
  createObject,
  demand,
  findBucket,
  may,
  owns,
  type S3Bucket,
  type S3Object,
} from "./s3-state.ts";

/** A request whose sender is known. */
export interface S3Call {
  readonly request: ServedRequest;
  readonly ask: S3Ask;
  readonly user: S3User | undefined;
  readonly content: Buffer;
  readonly buckets: Map<string, S3Bucket>;
  /** Of the endpoint. */
  readonly region: string;
  readonly now: Instant;
}

const xml = { "content-type": "application/xml" };

/** Does what was asked, if the user may. @throws S3Error */
export function performS3(call: S3Call): ServedAnswer {
  const { ask, buckets } = call;
  if (ask.operation === "ListBuckets") return allBuckets(call);
  if (ask.bucket === undefined) throw methodNotAllowed(call);
  if (ask.operation === "CreateBucket") return create(call, ask.bucket);
  const bucket = findBucket(buckets, ask.bucket);
  return ask.key === undefined ? onBucket(call, bucket) : onObject(call, bucket, ask.key);
}

function allBuckets({ user, buckets }: S3Call): ServedAnswer {
  if (user === undefined) throw accessDenied();
  const own = [...buckets.values()].filter((bucket) => owns(user, bucket));
  return { status: 200, headers: xml, body: listBuckets(own, user.accessKeyId) };
}

function onBucket(call: S3Call, bucket: S3Bucket): ServedAnswer {
  const { ask, user, buckets } = call;
  switch (ask.operation) {
    case "HeadBucket":
      demand(user, "list", bucket);
      return { status: 200, headers: { "x-amz-access-point-alias": "false" } };
    case "ListObjects":
    case "ListObjectsV2":
      demand(user, "list", bucket);
      return { status: 200, headers: xml, body: listObjects(bucket, ask.query) };
    case "GetBucketLocation":
      demand(user, "list", bucket);
      return { status: 200, headers: xml, body: locationOf(bucket) };
    case "DeleteBucket":
      if (!owns(user, bucket)) throw accessDenied();
      if (bucket.objects.size > 0) {
        throw new S3Error({
          status: 409,
          code: "BucketNotEmpty",
          message: "The bucket you tried to delete is not empty",
          more: [["BucketName", bucket.name]],
        });
      }
      buckets.delete(bucket.name);
      return { status: 204 };
    default:
      throw methodNotAllowed(call);
  }
}

function onObject(call: S3Call, bucket: S3Bucket, key: string): ServedAnswer {
  const { ask, user, content, request, now } = call;
  switch (ask.operation) {
    case "HeadObject":
    case "GetObject": {
      demand(user, "read", bucket);
      if (request.headers.range !== undefined) throw notImplemented("ranges");
      const object = bucket.objects.get(key);
      if (object === undefined) throw may(user, "list", bucket) ? noSuchKey(key) : accessDenied();
      return {
        status: 200,
        headers: {
          ...object.headers,
          "content-length": String(object.content.length),
          etag: object.etag,
          "last-modified": object.modifiedAt.toUTCString(),
          "accept-ranges": "bytes",
        },
        body: object.content,
      };
    }
    case "PutObject": {
      demand(user, "write", bucket);
      if (request.headers["x-amz-copy-source"] !== undefined) throw notImplemented("CopyObject");
      checkConditions(request, bucket.objects.get(key));
      const object = createObject(content, keptHeaders(request), now);
      bucket.objects.set(key, object);
      return { status: 200, headers: { etag: object.etag, "content-length": "0" } };
    }
    case "DeleteObject":
      demand(user, "write", bucket);
      bucket.objects.delete(key);
      return { status: 204 };
    default:
      throw methodNotAllowed(call);
  }
}

function create({ user, ask, buckets, content, region, now }: S3Call, name: string): ServedAnswer {
  checkBucketName(name);
  if (user?.admin !== true) throw accessDenied();
  const constraint = locationConstraintOf(content);
  if (constraint !== undefined && constraint !== region) {
    throw new S3Error({
      status: 400,
      code: "InvalidLocationConstraint",
      message: "The specified location-constraint is not valid",
      more: [["LocationConstraint", constraint]],
    });
  }
  const known = buckets.get(name);
  if (known !== undefined && known.owner !== user.accessKeyId) {
    throw new S3Error({
      status: 409,
      code: "BucketAlreadyExists",
      message:
        "The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.",
      more: [["BucketName", name]],
    });
  }
  // The oldest region lets an owner create a bucket again and again.
  if (known !== undefined && region !== "us-east-1") {
    throw new S3Error({
      status: 409,
      code: "BucketAlreadyOwnedByYou",
      message: "Your previous request to create the named bucket succeeded and you already own it.",
      more: [["BucketName", name]],
    });
  }
  if (known === undefined) buckets.set(name, createBucket(name, { owner: user.accessKeyId }, { region, now }));
  const location = ask.isGlobal ? `http://${name}.s3.amazonaws.com/` : `/${name}`;
  return { status: 200, headers: { location, "x-amz-bucket-region": region, "content-length": "0" } };
}

/** Read by pattern: two words of a fixed document are not worth a parser. */
function locationConstraintOf(content: Buffer): string | undefined {
  const text = content.toString("utf8").trim();
  if (text === "") return undefined;
  const [, inner] =
    /^(?:<\?xml[^>]*\?>\s*)?<CreateBucketConfiguration(?:\s[^>]*)?>([\s\S]*)<\/CreateBucketConfiguration>$/.exec(
      text,
    ) ?? [];
  const isEmpty = /^(?:<\?xml[^>]*\?>\s*)?<CreateBucketConfiguration(?:\s[^>]*)?\/>$/.test(text);
  if (inner === undefined && !isEmpty) {
    throw new S3Error({
      status: 400,
      code: "MalformedXML",
      message: "The XML you provided was not well-formed or did not validate against our published schema",
    });
  }
  const constraint = /<LocationConstraint>\s*([^<\s]*)\s*<\/LocationConstraint>/.exec(inner ?? "")?.[1];
  return constraint === "" ? undefined : constraint;
}

function checkConditions({ headers }: ServedRequest, object: S3Object | undefined): void {
  const [mustMatch, mustNotMatch] = [headers["if-match"], headers["if-none-match"]];
  const failed =
    mustNotMatch === "*" && object !== undefined
      ? "If-None-Match"
      : mustMatch !== undefined && mustMatch.replaceAll('"', "") !== object?.etag.replaceAll('"', "")
        ? "If-Match"
        : undefined;
  if (failed === undefined) return;
  throw new S3Error({
    status: 412,
    code: "PreconditionFailed",
    message: "At least one of the pre-conditions you specified did not hold",
    more: [["Condition", failed]],
  });
}

const kept =
  /^(?:content-type|content-encoding|content-disposition|content-language|cache-control|expires|x-amz-meta-.+)$/;

function keptHeaders({ headers }: ServedRequest): Readonly<Record<string, string>> {
  const entries = Object.entries(headers)
    .filter(([name]) => kept.test(name))
    .map(([name, value]) => [name, name === "content-encoding" ? withoutChunked(value) : value] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

/** `aws-chunked` is about the request's framing, and not the object's. */
function withoutChunked(encoding: string): string {
  return encoding
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "aws-chunked")
    .join(",");
}

function noSuchKey(key: string): S3Error {
  return new S3Error({
    status: 404,
    code: "NoSuchKey",
    message: "The specified key does not exist.",
    more: [["Key", key]],
  });
}

function methodNotAllowed({ request, ask }: S3Call): S3Error {
  if (ask.operation.includes("?")) return notImplemented(ask.operation);
  return new S3Error({
    status: 405,
    code: "MethodNotAllowed",
    message: "The specified method is not allowed against this resource.",
    more: [["Method", request.method]],
  });
}
