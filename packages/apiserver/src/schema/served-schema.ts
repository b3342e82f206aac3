import type { StructuralSchema } from "farwatch";

/**
 * The schema of a served kind, built-in or custom, in one form: a structural schema with the extensions that
 * only built-in kinds have. The schemas of built-in kinds are graphs (a type that contains itself is one node), built
 * when they are first looked at: walk them beside a value, never alone.
 *
 * Values that Go reads and writes in a way of its own are told by `format`, with any other format being one of OpenAPI:
 * `quantity`, `date-time` (whole seconds), `micro-time`, `byte` (base64), `int32`, `int64`, `double`, `raw-extension`
 * (any object), `fields-v1`, `json` (any value), and of a CustomResourceDefinition `json-schema-or-array`,
 * `json-schema-or-bool`, `json-schema-or-strings`, which have no `type`: `properties` and `items` say what is in an
 * object and in a list.
 */
export interface ServedSchema extends StructuralSchema {
  readonly properties?: Readonly<Record<string, ServedSchema>>;
  readonly items?: ServedSchema;
  readonly additionalProperties?: ServedSchema;
  /** Of a strategic merge patch: `merge`, `replace`, `retainKeys`, `merge,retainKeys`. */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** The Go type's name, for the objects of built-in kinds: `apps.v1.DeploymentSpec`. */
  readonly "x-go-type"?: string;
  /** What Go names it in errors, where that is a scalar or collection with a name of its own: `v1.ServiceType`. */
  readonly "x-go-name"?: string;
  /** A pointer: a zero value that is set (`0`, `""`, `false`, `{}`) is kept; without this it is as good as not set. */
  readonly "x-go-pointer"?: true;
  /**
   * When Go leaves a field out. Absent, the rule: when it is empty (`omitempty`: zero values, empty lists and maps),
   * which an object that is no pointer never is, so that it is written as `{}`. `zero`: such an object too, when all in
   * it is zero. `never`: a field that is not set is written as its zero value, `null` for pointers, lists and maps.
   */
  readonly "x-go-omit"?: "never" | "zero";
}
