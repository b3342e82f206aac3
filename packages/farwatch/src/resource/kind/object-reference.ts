/** core/v1 ObjectReference. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** Names an object of a known kind in the same namespace. */
export interface LocalObjectReference {
  readonly name?: string;
}

/** metav1.LabelSelector: all of it must match; empty matches everything. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: "DoesNotExist" | "Exists" | "In" | "NotIn";
    readonly values?: readonly string[];
  }[];
}
