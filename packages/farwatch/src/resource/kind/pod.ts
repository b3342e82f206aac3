import type { KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";
import type { PodSpec } from "./pod-spec.ts";

/** A condition of a kind that is older than metav1.Condition. */
export interface PodCondition {
  readonly type: string;
  readonly status: "False" | "True" | "Unknown";
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly exitCode: number;
    readonly signal?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly startedAt?: string;
    readonly finishedAt?: string;
  };
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface PodStatus {
  readonly phase?: "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown";
  readonly conditions?: readonly PodCondition[];
  readonly reason?: string;
  readonly message?: string;
  readonly hostIP?: string;
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly startTime?: string;
  readonly qosClass?: "BestEffort" | "Burstable" | "Guaranteed";
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}

/** core/v1 Pod. */
export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export const Pod: BuiltinResource<Pod> = defineBuiltin({
  version: "v1",
  kind: "Pod",
  subresources: [
    "status",
    "binding",
    "eviction",
    "ephemeralcontainers",
    "log",
    "exec",
    "attach",
    "portforward",
    "proxy",
    "resize",
  ],
});
