import { CodedError, type Duration, instantOf, systemClock, toMs } from "farwatch";
import { createObjectStore, type ObjectStore } from "../store/object-store.ts";
import type { ServedAnswer } from "../store/served-request.ts";
import type { ServiceFault } from "../store/store-fault.ts";
import { type GcsAsk, readGcsAsk } from "./gcs-ask.ts";
import { GcsError, notFound } from "./gcs-error.ts";
import { performGcs } from "./gcs-operation.ts";
import type { GcsAccount, GcsBucketOptions, GcsStoreOptions } from "./gcs-options.ts";
import { createBucket, createObject, type GcsBucket, isBucketName, refused } from "./gcs-state.ts";
import { GcsTokens } from "./gcs-token.ts";

/** Google Cloud Storage in this process, with its token endpoint, and the hand that changes what it holds. */
export interface GcsStore extends ObjectStore {
  /** Adds the account, or replaces the one of that address: a rotated key counts from the next assertion on. */
  putAccount(account: GcsAccount): void;
  /** Its tokens are good for nothing from then on. */
  removeAccount(email: string): void;
  /** An access token without an assertion. Default: for an hour and all of the cloud platform. */
  issueToken(email: string, options?: { readonly validFor?: Duration; readonly scopes?: readonly string[] }): string;
  /**
   * Adds the bucket, or replaces it with everything in it. @throws CodedError `InvalidOption` for a name that GCS does
   * not take.
   */
  putBucket(name: string, options?: GcsBucketOptions): void;
  removeBucket(name: string): void;
  /** Puts an object there as somebody else would. @throws CodedError `NotFound` without the bucket. */
  putObject(bucket: string, name: string, content: string | Uint8Array): void;
  /** The content of each object by its name. @throws CodedError `NotFound` without the bucket. */
  objectsOf(bucket: string): Readonly<Record<string, Uint8Array>>;
}

/**
 * A small Google Cloud Storage for tests and demos: buckets (list, insert, get, delete) and objects (list, insert as
 * media or multipart, get, delete) of the JSON API, with access tokens; and `POST /token`, Google's OAuth endpoint,
 * which verifies the assertion of a service account (RS256, audience, times, scope). Anything else answers 404 or 501.
 *
 * It follows Google's reference of the JSON API (resources, "HTTP status and error codes") and of OAuth for service
 * accounts, and the answers in bug reports of Google's clients. fake-gcs-server, which knows no authentication, answers
 * the same requests with a token in tests/servers/gcs-store.test.ts, which says where that one is not as Google.
 */
export function createGcsStore(options: GcsStoreOptions): GcsStore {
  const { clock = systemClock } = options;
  const tokens = new GcsTokens(options.accounts);
  const buckets = new Map<string, GcsBucket>();
  let answered = 0;

  const putBucket = (name: string, bucket: GcsBucketOptions = {}): void => {
    if (!isBucketName(name)) throw new CodedError("InvalidOption", `Cannot put bucket ${name}: GCS takes no such name`);
    buckets.set(name, createBucket(name, bucket, clock.now()));
  };
  for (const [name, bucket] of Object.entries(options.buckets)) putBucket(name, bucket);
  const held = (name: string): GcsBucket => {
    const bucket = buckets.get(name);
    if (bucket !== undefined) return bucket;
    throw new CodedError("NotFound", `Cannot reach into bucket ${name}: the store has none of that name`);
  };

  const store = createObjectStore(
    {
      read: (request): GcsAsk => readGcsAsk(request, tokens.holderOf(request)),
      async answer(request, ask, fault): Promise<ServedAnswer> {
        answered += 1;
        const now =
          fault?.kind === "clockSkew" ? instantOf(clock.now().getTime() + toMs(fault.by ?? "20m")) : clock.now();
        const perform = (): ServedAnswer => {
          if (fault !== undefined) throwIfOverloaded(fault);
          if (ask.operation === "tokens.exchange") return tokens.exchange(request, now);
          const account = tokens.authenticate(request, now);
          if (fault?.kind === "bucketDeleted" && ask.bucket !== undefined) throw notFound();
          if (fault?.kind === "accessDenied") throw refused(account, ask.operation.replace("insert", "create"));
          return performGcs({ request, ask, account, buckets, now, serial: answered });
        };
        const { headers, ...answer } = refusable(perform);
        return {
          ...answer,
          headers: {
            date: now.toUTCString(),
            server: "UploadServer",
            "x-guploader-uploadid": `FARWATCH-${answered}`,
            ...headers,
          },
        };
      },
    },
    { ...options, clock },
  );

  return {
    ...store,
    putAccount: (account) => tokens.accounts.set(account.email, account),
    removeAccount: (email) => tokens.accounts.delete(email),
    issueToken: (email, { validFor = "1h", scopes = ["https://www.googleapis.com/auth/cloud-platform"] } = {}) =>
      tokens.issue(email, scopes, clock.now().getTime() + toMs(validFor)),
    putBucket,
    removeBucket: (name) => buckets.delete(name),
    putObject(bucket, name, content): void {
      answered += 1;
      held(bucket).objects.set(name, createObject({ content }, clock.now(), answered));
    },
    objectsOf(bucket): Readonly<Record<string, Uint8Array>> {
      return Object.fromEntries([...held(bucket).objects].map(([name, { content }]) => [name, content] as const));
    },
  };
}

function refusable(perform: () => ServedAnswer): ServedAnswer {
  try {
    return perform();
  } catch (error) {
    if (error instanceof GcsError) return error.toAnswer();
    throw error;
  }
}

function throwIfOverloaded(fault: ServiceFault): void {
  if (fault.kind === "throttled") {
    throw new GcsError({
      status: 429,
      reason: "rateLimitExceeded",
      domain: "usageLimits",
      message: "The project exceeded the rate limit for reading buckets. Please reduce your request rate.",
      headers: fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) },
    });
  }
  if (fault.kind !== "serverError") return;
  throw new GcsError({
    status: 503,
    reason: "backendError",
    message: "We encountered an internal error. Please try again.",
  });
}
