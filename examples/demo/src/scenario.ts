import type { InputOf } from "farwatch";
import type { Reason, StorageBucket } from "storage-bucket";

/** One StorageBucket of the demo, and what its probe must find. */
export interface Scene {
  readonly name: string;
  readonly spec: InputOf<typeof StorageBucket>["spec"];
  /** The content of the Secret of the same name. */
  readonly secret: Readonly<Record<string, string>>;
  readonly expected: { readonly available: boolean; readonly reason: Reason };
}

export interface SceneInput {
  readonly s3: string;
  readonly refused: string;
  readonly silent: string;
  /** Owns the bucket `photos`. */
  readonly owner: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** A user of the same server with no permission on it. */
  readonly stranger: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export const namespace = "default";
export const bucketName = "photos";

/** Often, so that a person sees something happen; a status each time for the same reason. */
const probe = { periodSeconds: 5, failureThreshold: 2, timeoutSeconds: 3, heartbeatSeconds: 0 };

export function scenes({ s3, refused, silent, owner, stranger }: SceneInput): readonly Scene[] {
  const scene = (
    name: string,
    endpoint: string,
    secret: Readonly<Record<string, string>>,
    expected: Scene["expected"],
    more: { readonly bucket?: string; readonly timeoutSeconds?: number } = {},
  ): Scene => ({
    name,
    spec: {
      s3: { bucket: more.bucket ?? bucketName, endpoint, region: "us-east-1" },
      credentials: { secretRef: { name } },
      probe: { ...probe, timeoutSeconds: more.timeoutSeconds ?? probe.timeoutSeconds },
    },
    secret: { ...secret, allowedEndpoints: new URL(endpoint).host },
    expected,
  });
  return [
    scene("healthy", s3, owner, { available: true, reason: "Available" }),
    scene("missing", s3, owner, { available: false, reason: "BucketNotFound" }, { bucket: "no-such-bucket" }),
    scene(
      "wrong-secret",
      s3,
      { ...owner, secretAccessKey: "not-the-secret-of-this-user" },
      { available: false, reason: "InvalidCredentials" },
    ),
    scene("no-permission", s3, stranger, { available: false, reason: "AccessDenied" }),
    scene("refused", refused, owner, { available: false, reason: "ConnectionRefused" }),
    scene("silent", silent, owner, { available: false, reason: "Timeout" }, { timeoutSeconds: 1 }),
  ];
}
