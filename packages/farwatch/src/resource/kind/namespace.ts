import type { KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";

/** core/v1 Namespace. */
export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: "Active" | "Terminating" };
}

export const Namespace: BuiltinResource<Namespace> = defineBuiltin({
  version: "v1",
  kind: "Namespace",
  scope: "Cluster",
  subresources: ["status", "finalize"],
});
