import type { KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";
import type { LocalObjectReference, ObjectReference } from "./object-reference.ts";

/** core/v1 ServiceAccount. */
export interface ServiceAccount extends KubeObject {
  readonly secrets?: readonly ObjectReference[];
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly automountServiceAccountToken?: boolean;
}

export const ServiceAccount: BuiltinResource<ServiceAccount> = defineBuiltin({
  version: "v1",
  kind: "ServiceAccount",
  subresources: ["token"],
});
