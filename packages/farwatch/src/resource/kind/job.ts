import type { KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";
import type { LabelSelectorObject } from "./object-reference.ts";
import type { PodCondition } from "./pod.ts";
import type { PodTemplate } from "./pod-spec.ts";

/** batch/v1 Job. */
export interface Job extends KubeObject {
  readonly spec: {
    readonly template: PodTemplate;
    readonly parallelism?: number;
    readonly completions?: number;
    readonly completionMode?: "Indexed" | "NonIndexed";
    readonly backoffLimit?: number;
    readonly activeDeadlineSeconds?: number;
    readonly ttlSecondsAfterFinished?: number;
    readonly suspend?: boolean;
    readonly selector?: LabelSelectorObject;
    readonly manualSelector?: boolean;
    readonly podReplacementPolicy?: "Failed" | "TerminatingOrFailed";
    readonly podFailurePolicy?: unknown;
  };
  readonly status?: {
    readonly active?: number;
    readonly ready?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly terminating?: number;
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly conditions?: readonly PodCondition[];
  };
}

export const Job: BuiltinResource<Job> = defineBuiltin({
  group: "batch",
  version: "v1",
  kind: "Job",
  subresources: ["status"],
});
