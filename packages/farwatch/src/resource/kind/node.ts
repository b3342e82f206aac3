import type { KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";

/** core/v1 Node. */
export interface Node extends KubeObject {
  readonly spec?: {
    readonly podCIDR?: string;
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly {
      readonly key: string;
      readonly value?: string;
      readonly effect: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
      readonly timeAdded?: string;
    }[];
  };
  readonly status?: {
    /** Amounts are quantities: `4`, `16Gi`. */
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: "False" | "True" | "Unknown";
      readonly lastHeartbeatTime?: string;
      readonly lastTransitionTime?: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly nodeInfo?: {
      readonly architecture: string;
      readonly operatingSystem: string;
      readonly kubeletVersion: string;
      readonly kernelVersion: string;
      readonly osImage: string;
    };
  };
}

export const Node: BuiltinResource<Node> = defineBuiltin({
  version: "v1",
  kind: "Node",
  scope: "Cluster",
  subresources: ["status", "proxy"],
});
