import type { KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";
import type { LabelSelectorObject } from "./object-reference.ts";
import type { IntOrString, PodTemplate } from "./pod-spec.ts";

export interface DeploymentCondition {
  readonly type: string;
  readonly status: "False" | "True" | "Unknown";
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** apps/v1 Deployment. */
export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    /** Cannot be changed. */
    readonly selector: LabelSelectorObject;
    readonly template: PodTemplate;
    readonly strategy?: {
      readonly type?: "Recreate" | "RollingUpdate";
      readonly rollingUpdate?: { readonly maxSurge?: IntOrString; readonly maxUnavailable?: IntOrString };
    };
    readonly minReadySeconds?: number;
    readonly progressDeadlineSeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly paused?: boolean;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly updatedReplicas?: number;
    readonly unavailableReplicas?: number;
    readonly conditions?: readonly DeploymentCondition[];
  };
}

export const Deployment: BuiltinResource<Deployment> = defineBuiltin({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  subresources: ["status", "scale"],
});
