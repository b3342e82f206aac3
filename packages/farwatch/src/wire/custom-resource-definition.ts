import type { StructuralSchema } from "./structural-schema.ts";

/** The names of a kind, unique in its group. */
export interface CrdNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A column of `kubectl get`. */
export interface CrdPrinterColumn {
  readonly name: string;
  /** `date` shows the time since; over a future time kubectl shows `<invalid>`. */
  readonly type: "boolean" | "date" | "integer" | "number" | "string";
  readonly format?: string;
  readonly description?: string;
  /** Above 0: only with `-o wide`. */
  readonly priority?: number;
  readonly jsonPath: string;
}

/** Where `kubectl scale` and autoscalers find the numbers; JSON paths below `.spec` and `.status`. */
export interface CrdScale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One version of a custom resource, as in `spec.versions`. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  readonly subresources?: { readonly status?: Readonly<Record<string, never>>; readonly scale?: CrdScale };
  readonly additionalPrinterColumns?: readonly CrdPrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** The spec of apiextensions.k8s.io/v1 CustomResourceDefinition. */
export interface CrdSpec {
  readonly group: string;
  readonly names: CrdNames;
  readonly scope: "Cluster" | "Namespaced";
  readonly versions: readonly CrdVersion[];
  readonly conversion?: { readonly strategy: "None" | "Webhook"; readonly webhook?: unknown };
}
