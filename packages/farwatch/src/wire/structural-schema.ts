/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type SchemaType = "array" | "boolean" | "integer" | "number" | "object" | "string";

/** One entry of `x-kubernetes-validations`: a CEL expression over `self` that must be true. */
export interface ValidationRule {
  readonly rule: string;
  /** What is said when the rule is false; a text without line breaks. */
  readonly message?: string;
  /** CEL that gives the message; wins over `message`. */
  readonly messageExpression?: string;
  readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
  /** JSON path below the schema that holds the rule: `.spec.port`. */
  readonly fieldPath?: string;
  /** With `oldSelf`: also on creation, where `oldSelf` is an optional. */
  readonly optionalOldSelf?: boolean;
}

/** The checks of a value: what may also stand within `allOf`, `anyOf`, `oneOf` and `not` of a structural schema. */
export interface ValueValidation {
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly allOf?: readonly NestedValidation[];
  readonly anyOf?: readonly NestedValidation[];
  readonly oneOf?: readonly NestedValidation[];
  readonly not?: NestedValidation;
}

/**
 * Checks of a value and of what is in it; `type` only as in `anyOf: [{ type: integer }, { type: string }]` of
 * int-or-string.
 */
export interface NestedValidation extends ValueValidation {
  readonly type?: "integer" | "string";
  readonly properties?: Readonly<Record<string, NestedValidation>>;
  readonly items?: NestedValidation;
}

/**
 * The schema of a custom resource as kube-apiserver takes it: every value has one type, every field is named once
 * outside of `allOf`, `anyOf`, `oneOf` and `not`, and unknown fields are pruned. See "Specifying a structural schema"
 * of the Kubernetes documentation.
 */
export interface StructuralSchema extends ValueValidation {
  readonly type?: SchemaType;
  readonly title?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  /** The values of a map; excludes `properties`. */
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-embedded-resource"?: true;
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-list-type"?: "atomic" | "map" | "set";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}
