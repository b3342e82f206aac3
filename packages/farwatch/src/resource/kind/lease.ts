import type { KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";

/** coordination.k8s.io/v1 Lease. */
export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** MicroTime: exactly six fraction digits. */
    readonly acquireTime?: string;
    /** MicroTime: exactly six fraction digits. */
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
    readonly strategy?: string;
    readonly preferredHolder?: string;
  };
}

export const Lease: BuiltinResource<Lease> = defineBuiltin({
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
});
