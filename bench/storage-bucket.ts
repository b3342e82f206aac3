import { defineResource, type ObjectOf } from "farwatch";
import { z } from "zod";

const condition = z.object({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  observedGeneration: z.int().optional(),
  lastTransitionTime: z.iso.datetime(),
  reason: z.string(),
  message: z.string(),
});

/** What every implementation reconciles; the peers have it written out in their own languages, and replay serves it. */
export const StorageBucket = defineResource({
  group: "storage.farwatch.dev",
  version: "v1alpha1",
  kind: "StorageBucket",
  shortNames: ["sb"],
  spec: z.object({
    provider: z.enum(["s3", "gcs", "azure"]),
    endpoint: z.string().min(1),
    bucket: z.string().min(3).max(63),
    region: z.string().optional(),
    probe: z
      .object({ periodSeconds: z.int().min(1).default(60), timeoutSeconds: z.int().min(1).default(5) })
      .optional(),
  }),
  status: z.object({
    available: z.boolean().optional(),
    lastProbeTime: z.iso.datetime().optional(),
    conditions: z.array(condition).optional(),
  }),
});
export type StorageBucket = ObjectOf<typeof StorageBucket>;

/** The namespace of all objects. */
export const namespace = "bench";
