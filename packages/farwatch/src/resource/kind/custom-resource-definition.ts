import type { CrdNames, CrdSpec } from "../../wire/custom-resource-definition.ts";
import type { Condition, KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";

/** apiextensions.k8s.io/v1 CustomResourceDefinition. `toCrd` makes what `create` and `apply` take. */
export interface CustomResourceDefinition extends KubeObject {
  readonly spec: CrdSpec;
  readonly status?: {
    readonly acceptedNames?: CrdNames;
    readonly storedVersions?: readonly string[];
    /** `Established` is True once the kind is served. */
    readonly conditions?: readonly Condition[];
  };
}

export const CustomResourceDefinition: BuiltinResource<CustomResourceDefinition> = defineBuiltin({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  scope: "Cluster",
  subresources: ["status"],
});
