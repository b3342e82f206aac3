import { defineResource, type ObjectOf } from "farwatch";
import { z } from "zod";

/** The type of Secrets that hold credentials; watches select it, so no other Secret is ever read. */
export const credentialsSecretType = "storage.farwatch.dev/credentials";

const s3 = z.object({
  bucket: z
    .string()
    .min(3)
    .max(63)
    .regex(/^[a-z0-9][a-z0-9.-]*[a-z0-9]$/)
    .describe("Bucket name at the provider."),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/)
    .optional()
    .describe(
      "Unset: discovered from the provider, or us-east-1 on a custom endpoint. Set and different from the bucket's: WrongRegion.",
    ),
  endpoint: z
    .string()
    .max(2048)
    .regex(/^https?:\/\/(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?\/?$/)
    .optional()
    .describe("Base URL of an S3-compatible service, http or https, without a path. Unset: AWS."),
  addressing: z
    .enum(["Auto", "Path", "VirtualHost"])
    .default("Auto")
    .describe("How the bucket's name is put into the URL. Auto: virtual host on AWS, path elsewhere."),
});

const credentials = z.object({
  secretRef: z
    .object({ name: z.string().min(1).max(253) })
    .optional()
    .describe(
      `A Secret of type ${credentialsSecretType} in the same namespace, with keys accessKeyId, secretAccessKey and, where needed, sessionToken and allowedEndpoints.`,
    ),
  anonymous: z.object({}).optional().describe("Requests are not signed."),
});

const probe = z.object({
  level: z.enum(["Head"]).default("Head").describe("The operation that must work."),
  periodSeconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(30)
    .describe(
      "Time between probes; 0: only when something changes. Half of it while the bucket is unavailable or about to change, where that is at least 5 and timeoutSeconds; doubled while the service asks to slow down.",
    ),
  timeoutSeconds: z
    .int()
    .min(1)
    .max(300)
    .default(5)
    .describe("Deadline of a whole probe, name resolution and waiting for a connection included."),
  failureThreshold: z
    .int()
    .min(1)
    .max(100)
    .default(3)
    .describe("Failures in a row that turn an available bucket unavailable."),
  successThreshold: z.int().min(1).max(100).default(1).describe("Successes in a row that turn it back."),
  initialDelaySeconds: z.int().min(0).max(86_400).default(0).describe("Time from creation to the first probe."),
  latencyThresholdMilliseconds: z.int().min(1).max(300_000).optional().describe("A slower answer is Degraded."),
  heartbeatSeconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(300)
    .describe("An unchanged status is written no more often than this; 0: after every probe."),
});

const condition = z.object({
  type: z.string().max(316),
  status: z.enum(["True", "False", "Unknown"]),
  observedGeneration: z.int().optional(),
  lastTransitionTime: z.iso.datetime(),
  reason: z
    .string()
    .min(1)
    .max(1024)
    // As metav1.Condition has it.
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/),
  message: z.string().max(32_768),
});

/** An object-storage bucket outside the cluster whose health the operator watches. */
export const StorageBucket = defineResource({
  group: "storage.farwatch.dev",
  version: "v1alpha1",
  kind: "StorageBucket",
  shortNames: ["sb"],
  categories: ["storage"],
  description: "An object-storage bucket outside the cluster, and whether it is there and lets us in.",
  spec: z.object({
    s3: s3.optional().describe("A bucket of Amazon S3 or of a service that speaks its API."),
    credentials: credentials.default({ anonymous: {} }).describe("Exactly one of these."),
    caBundleRef: z
      .object({
        kind: z.enum(["ConfigMap", "Secret"]),
        name: z.string().min(1).max(253),
        key: z.string().min(1).max(253).default("ca.crt"),
      })
      .optional()
      .describe("Certificate authorities that the endpoint's certificate is checked against, instead of the system's."),
    probe: probe.prefault({}).describe("When the bucket is asked, and what counts as an answer."),
    suspend: z.boolean().default(false).describe("Stop probing and keep the last result."),
  }),
  status: z.object({
    observedGeneration: z.int().optional().describe("The generation of the spec that this status describes."),
    available: z
      .boolean()
      .optional()
      .describe("True exactly when condition Available is True, false when False, absent when Unknown."),
    lastProbeTime: z.iso.datetime().optional().describe("When the probe that this status describes was made."),
    lastSkipTime: z.iso
      .datetime()
      .optional()
      .describe(
        "When a probe was last left to another bucket, since its endpoint does not answer or its Secret is not accepted; absent after a probe.",
      ),
    lastProbe: z
      .object({
        // No enum: an operator that is newer than the CRD must be able to write its status.
        reason: z.string().max(1024),
        durationMilliseconds: z.int(),
        httpStatus: z.int().optional(),
      })
      .optional()
      .describe("What that probe found, thresholds aside."),
    lastHandledRequest: z
      .string()
      .max(253)
      .optional()
      .describe("The value of the annotation farwatch.dev/requested-at that the last probe has answered."),
    consecutiveFailures: z.int().optional().describe("Probes in a row that failed, up to that one."),
    consecutiveSuccesses: z.int().optional().describe("Probes in a row that succeeded, up to that one."),
    periodDoublings: z
      .int()
      .min(0)
      .max(10)
      .optional()
      .describe("How many times the period is doubled now, since the service asks to slow down; absent: not at all."),
    conditions: z
      .array(condition)
      .optional()
      .describe(
        "Available: what counts, after thresholds. Degraded: what the last probe found. Ready: available and not suspended.",
      ),
  }),
  listMapKeys: { "status.conditions": ["type"] },
  rules: [
    { path: "spec", rule: "has(self.s3)", message: "give exactly one provider: s3" },
    {
      path: "spec.credentials",
      rule: "[has(self.secretRef), has(self.anonymous)].filter(x, x).size() == 1",
      message: "give exactly one of secretRef and anonymous",
    },
    {
      path: "spec.probe",
      rule: "self.periodSeconds == 0 || self.periodSeconds >= 5",
      message: "periodSeconds must be 0 or at least 5",
    },
    {
      path: "spec.probe",
      rule: "self.periodSeconds == 0 || self.timeoutSeconds <= self.periodSeconds",
      message: "timeoutSeconds must not be above periodSeconds",
    },
  ],
  printerColumns: [
    { name: "Bucket", path: ".spec.s3.bucket" },
    { name: "Available", path: ".status.available" },
    { name: "Reason", path: '.status.conditions[?(@.type=="Available")].reason', type: "string" },
    { name: "Last probe", path: ".status.lastProbeTime" },
    { name: "Age", path: ".metadata.creationTimestamp", type: "date" },
  ],
});

export type StorageBucket = ObjectOf<typeof StorageBucket>;
export type StorageBucketSpec = StorageBucket["spec"];
export type StorageBucketStatus = NonNullable<StorageBucket["status"]>;
