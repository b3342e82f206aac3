import { CodedError, type Instant, instantOf, systemClock, toMs } from "farwatch";
import { createObjectStore, type ObjectStore } from "../store/object-store.ts";
import type { ServedAnswer, ServedRequest } from "../store/served-request.ts";
import type { ServiceFault } from "../store/store-fault.ts";
import { readS3Ask, type S3Ask } from "./s3-ask.ts";
import { authenticate } from "./s3-authentication.ts";
import { accessDenied, noSuchBucket, S3Error } from "./s3-error.ts";
import { performS3 } from "./s3-operation.ts";
import type { S3BucketOptions, S3StoreOptions, S3User } from "./s3-options.ts";
import { createBucket, createObject, findBucket, isBucketName, type S3Bucket } from "./s3-state.ts";

/** An S3 service in this process, and the hand that changes what it holds. */
export interface S3Store extends ObjectStore {
  readonly region: string;
  /** Adds the user, or replaces the one of that access key id: a rotated secret counts from the next request on. */
  putUser(user: S3User): void;
  removeUser(accessKeyId: string): void;
  /**
   * Adds the bucket, or replaces it with everything in it. @throws CodedError `InvalidOption` for a name that S3 does
   * not take.
   */
  putBucket(name: string, options?: S3BucketOptions): void;
  removeBucket(name: string): void;
  /** Puts an object there as somebody else would. @throws CodedError `NotFound` without the bucket. */
  putObject(bucket: string, key: string, content: string | Uint8Array): void;
  /** The content of each object by its key. @throws CodedError `NotFound` without the bucket. */
  objectsOf(bucket: string): Readonly<Record<string, Uint8Array>>;
}

/**
 * A small S3 service for tests and demos. It checks Signature Version 4 (in headers and in presigned URLs, whole and
 * chunked payloads), the clock (15 min), region, users and their permissions, and knows ListBuckets, CreateBucket,
 * HeadBucket, DeleteBucket, GetBucketLocation, ListObjects, ListObjectsV2, and Put, Head, Get and DeleteObject of whole
 * objects. Buckets are addressed by path or by virtual host. Anything else answers 501.
 *
 * It follows the S3 API reference (error responses, SigV4) and versitygw, which answers the same requests in
 * tests/servers/s3-store.test.ts; where that one is not as Amazon is, this is as Amazon, and the test says where.
 */
export function createS3Store(options: S3StoreOptions): S3Store {
  const { clock = systemClock, region = "us-east-1", domains = ["s3.test"] } = options;
  const users = new Map(options.users.map((user) => [user.accessKeyId, user]));
  const buckets = new Map<string, S3Bucket>();
  let answered = 0;

  const putBucket = (name: string, bucket: S3BucketOptions = {}): void => {
    if (!isBucketName(name)) throw new CodedError("InvalidOption", `Cannot put bucket ${name}: S3 takes no such name`);
    buckets.set(name, createBucket(name, bucket, { region, now: clock.now() }));
  };
  for (const [name, bucket] of Object.entries(options.buckets)) putBucket(name, bucket);
  const held = (name: string): S3Bucket => {
    const bucket = buckets.get(name);
    if (bucket !== undefined) return bucket;
    throw new CodedError("NotFound", `Cannot reach into bucket ${name}: the store has none of that name`);
  };

  const serve = async (
    request: ServedRequest,
    ask: S3Ask,
    fault: ServiceFault | undefined,
    now: Instant,
  ): Promise<ServedAnswer> => {
    if (fault !== undefined) throwIfOverloaded(fault);
    const bucket = ask.bucket === undefined ? undefined : buckets.get(ask.bucket);
    const endpointRegion = ask.isGlobal ? (bucket?.region ?? ask.endpointRegion) : ask.endpointRegion;
    const { user, content } = await authenticate(request, ask, { users, region: endpointRegion, now });
    if (fault?.kind === "bucketDeleted" && ask.bucket !== undefined) throw noSuchBucket(ask.bucket);
    if (ask.bucket !== undefined && ask.operation !== "CreateBucket") {
      const found = findBucket(buckets, ask.bucket);
      if (found.region !== endpointRegion) throw permanentRedirect(found);
    }
    if (fault?.kind === "accessDenied") throw accessDenied();
    return performS3({ request, ask, user, content, buckets, region: endpointRegion, now });
  };

  const store = createObjectStore(
    {
      read: (request) => readS3Ask(request, { region, domains }),
      async answer(request, ask, fault): Promise<ServedAnswer> {
        answered += 1;
        const requestId = `FARWATCH${answered.toString(16).toUpperCase().padStart(8, "0")}`;
        const now =
          fault?.kind === "clockSkew" ? instantOf(clock.now().getTime() + toMs(fault.by ?? "20m")) : clock.now();
        const bucket = ask.bucket === undefined ? undefined : buckets.get(ask.bucket);
        const answer = await serve(request, ask, fault, now).catch((error: unknown) => {
          if (error instanceof S3Error) return error.toAnswer(requestId);
          throw error;
        });
        // Told to whoever asks for a bucket that there is, also when refused: clients learn from it where to ask.
        const place = ask.key === undefined && bucket !== undefined && fault?.kind !== "bucketDeleted";
        return {
          ...answer,
          headers: {
            date: now.toUTCString(),
            server: "AmazonS3",
            "x-amz-request-id": requestId,
            "x-amz-id-2": `host-${requestId}`,
            ...(place ? { "x-amz-bucket-region": bucket.region } : {}),
            ...answer.headers,
          },
        };
      },
    },
    { ...options, clock },
  );

  return {
    ...store,
    region,
    putUser: (user) => users.set(user.accessKeyId, user),
    removeUser: (accessKeyId) => users.delete(accessKeyId),
    putBucket,
    removeBucket: (name) => buckets.delete(name),
    putObject(bucket, key, content): void {
      held(bucket).objects.set(key, createObject(content, {}, clock.now()));
    },
    objectsOf(bucket): Readonly<Record<string, Uint8Array>> {
      const entries = [...held(bucket).objects].map(([key, { content }]) => [key, content] as const);
      return Object.fromEntries(entries);
    },
  };
}

function throwIfOverloaded(fault: ServiceFault): void {
  if (fault.kind === "throttled") {
    throw new S3Error({
      status: 503,
      code: "SlowDown",
      message: "Please reduce your request rate.",
      headers: fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) },
    });
  }
  if (fault.kind !== "serverError") return;
  throw new S3Error({
    status: 500,
    code: "InternalError",
    message: "We encountered an internal error. Please try again.",
  });
}

function permanentRedirect({ name, region }: S3Bucket): S3Error {
  return new S3Error({
    status: 301,
    code: "PermanentRedirect",
    message:
      "The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.",
    more: [
      ["Endpoint", `s3.${region}.amazonaws.com`],
      ["Bucket", name],
    ],
    headers: { "x-amz-bucket-region": region },
  });
}
