import { CodedError } from "../error/coded-error.ts";
import type { StructuralSchema, ValidationRule } from "../wire/structural-schema.ts";
import { isScalar } from "./outcome.ts";
import { changeAt, parseSchemaPath, schemaAt } from "./schema-path.ts";

/** A CEL rule over the value at a path. */
export interface FieldRule extends ValidationRule {
  /** Where `self` is: `spec`, `spec.rules[]`, `spec.labels{}`; the empty path is the whole object. */
  readonly path: string;
}

/** What is said of fields by their paths, since no schema library has words for it. */
export interface FieldOptions {
  /** CEL rules that the API server checks (x-kubernetes-validations). */
  readonly rules?: readonly FieldRule[];
  /**
   * Lists of objects that are merged by keys, on apply, where otherwise the whole list is replaced:
   * `{ "spec.ports": ["name"] }`.
   */
  readonly listMapKeys?: Readonly<Record<string, readonly string[]>>;
  /** Lists of scalars in which no value is twice, and which are merged on apply. */
  readonly listSets?: readonly string[];
  /** Lists and objects that have one owner and are replaced as a whole on apply. */
  readonly atomic?: readonly string[];
  /** Objects that keep fields which the schema does not name; a recursive schema is cut here. */
  readonly preserveUnknownFields?: readonly string[];
}

/**
 * The schema with what the options say of its fields.
 *
 * @throws CodedError `InvalidResource` when a path is not in the schema, or what is said does not fit what is there.
 */
export function withFieldOptions(kind: string, root: StructuralSchema, options: FieldOptions): StructuralSchema {
  let schema = root;
  const refuse = (option: string, path: string, state: string): never => {
    throw new CodedError("InvalidResource", `Cannot define ${kind}: ${option} names ${JSON.stringify(path)}, ${state}`);
  };
  const change = (option: string, path: string, by: (at: StructuralSchema) => StructuralSchema): void => {
    const steps = parseSchemaPath(path);
    schema =
      (steps === undefined ? undefined : changeAt(schema, steps, by)) ??
      refuse(option, path, "which is not in the schema; write paths as spec.rules[].port");
  };

  for (const path of options.preserveUnknownFields ?? []) {
    change("preserveUnknownFields", path, (at) =>
      at["x-kubernetes-preserve-unknown-fields"] === true
        ? at
        : refuse("preserveUnknownFields", path, "which is no object with fields"),
    );
  }
  for (const [path, keys] of Object.entries(options.listMapKeys ?? {})) {
    change("listMapKeys", path, (at) => listMap(at, keys, (state) => refuse("listMapKeys", path, state)));
  }
  for (const path of options.listSets ?? []) {
    change("listSets", path, (at) => {
      if (at.items === undefined || !isScalar(at.items))
        return refuse("listSets", path, "which is no list of scalars; write listMapKeys for lists of objects");
      if (at.items.nullable) return refuse("listSets", path, "whose items may be null");
      return { ...at, "x-kubernetes-list-type": "set" };
    });
  }
  for (const path of options.atomic ?? []) {
    change("atomic", path, (at) => {
      if (at.type === "array") return { ...at, "x-kubernetes-list-type": "atomic" };
      if (at.type === "object") return { ...at, "x-kubernetes-map-type": "atomic" };
      return refuse("atomic", path, "which is no list and no object");
    });
  }
  for (const { path, ...rule } of options.rules ?? []) {
    const { message = "", messageExpression } = rule;
    if (rule.rule.trim() === "") refuse("rules", path, "without a rule; give a CEL expression");
    if (/[\r\n]/.test(message)) refuse("rules", path, "with a message of several lines; give one line");
    if (/[\r\n]/.test(rule.rule) && message === "" && messageExpression === undefined) {
      refuse(
        "rules",
        path,
        "with a rule of several lines and no message, and the server would say the rule; give a message",
      );
    }
    change("rules", path, (at) => ({
      ...at,
      "x-kubernetes-validations": [...(at["x-kubernetes-validations"] ?? []), rule],
    }));
  }
  return withConditions(schema);
}

function listMap(at: StructuralSchema, keys: readonly string[], refuse: (state: string) => never): StructuralSchema {
  const { items } = at;
  if (items?.type !== "object") return refuse("which is no list of objects");
  if (items.nullable) return refuse("whose items may be null");
  if (keys.length === 0) return refuse("without a key; name the fields that tell the items apart");
  for (const key of keys) {
    const field = items.properties?.[key];
    if (field === undefined || !isScalar(field)) return refuse(`but its items have no scalar field ${key}`);
    if (field.nullable) return refuse(`but the key ${key} of its items may be null`);
    if (!items.required?.includes(key) && field.default === undefined) {
      return refuse(`but the key ${key} of its items is optional; make it required or give it a default`);
    }
  }
  return { ...at, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [...keys] };
}

/** Conditions are a list map by type in every kind (API conventions), so that each has an owner of its own. */
function withConditions(schema: StructuralSchema): StructuralSchema {
  const steps = [{ field: "status" }, { field: "conditions" }];
  const conditions = schemaAt(schema, steps);
  const items = conditions?.items;
  const typed = items?.properties?.type?.type === "string" && items.required?.includes("type") && !items.nullable;
  if (!typed || conditions?.["x-kubernetes-list-type"] !== undefined) return schema;
  return (
    changeAt(schema, steps, (at) => ({
      ...at,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    })) ?? schema
  );
}
