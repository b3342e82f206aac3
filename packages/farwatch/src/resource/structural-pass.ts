import { isDeepStrictEqual } from "node:util";
import type { JsonObject, StructuralSchema, ValueValidation } from "../wire/structural-schema.ts";
import { checkDefaults } from "./default-check.ts";
import { finishSchema } from "./finish-schema.ts";
import { unrepresentable } from "./json-schema.ts";
import { constrains, impossibleKeywords, isAnyJson, isObject, isOfType, typesOf } from "./json-schema-node.ts";
import { numericValidation } from "./numeric-validation.ts";
import { isScalar, type Outcome } from "./outcome.ts";
import type { Refuse } from "./refuse.ts";
import { stringValidation } from "./string-validation.ts";
import { intersect } from "./structural-intersection.ts";
import { unite } from "./structural-union.ts";

export interface StructuralPassOptions {
  readonly refuse: Refuse;
  /** Paths whose unknown fields are kept; a recursive schema is cut there. */
  readonly preserve: ReadonlySet<string>;
}

/** What takes any value, null among them. */
const anything: StructuralSchema = { "x-kubernetes-preserve-unknown-fields": true, nullable: true };

/** Words for the API server that a schema's own metadata may carry. */
const extensions = [
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
] as const;

const isNull = (value: unknown): boolean => value === null;

/** The structural schema of a JSON Schema of any draft, or of OpenAPI 3.0. Refuses what has none, with its path. */
export function structuralSchemaOf(
  document: JsonObject,
  root: string,
  options: StructuralPassOptions,
): StructuralSchema {
  const { refuse, preserve } = options;

  const resolve = (ref: string, path: string): JsonObject => {
    let target: unknown = document;
    for (const part of ref.replace(/^#\/?/, "").split("/")) {
      if (part === "") continue;
      const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      target = isObject(target) ? target[key] : undefined;
    }
    return isObject(target) && ref.startsWith("#")
      ? target
      : refuse(path, `points to ${ref}, which is not in the schema`);
  };

  const convert = (node: unknown, path: string, refs: readonly string[]): Outcome => {
    if (node === true) return anything;
    if (node === false) return "never";
    if (!isObject(node)) return refuse(path, "is no JSON Schema");
    const ref = node.$ref;
    if (typeof ref === "string") {
      const { $ref: _, ...siblings } = node;
      const target = resolve(ref, path);
      if (isAnyJson(target, ref)) return annotate(siblings, anything, path);
      if (refs.includes(ref)) return cut({ ...target, ...siblings }, path, siblings);
      return convert({ ...target, ...siblings }, path, [...refs, ref]);
    }
    if (typeof node[unrepresentable] === "string") {
      return refuse(path, `has no form in JSON (${node[unrepresentable]}); write the type that the object has in JSON`);
    }
    for (const [keyword, state] of Object.entries(impossibleKeywords)) if (keyword in node) return refuse(path, state);
    if ("not" in node) {
      return isObject(node.not) && Object.keys(node.not).length === 0
        ? "never"
        : refuse(path, "has a not, which a CRD can say of checks alone; write a CEL rule");
    }
    return annotate(node, combine(node, path, refs), path);
  };

  /** A schema that holds itself has no end: kept as it is where the caller says so, otherwise refused. */
  const cut = (target: JsonObject, path: string, siblings: JsonObject): StructuralSchema => {
    if (!preserve.has(path) && siblings["x-kubernetes-preserve-unknown-fields"] !== true) {
      return refuse(
        path,
        `is recursive, and a CRD cannot say that; keep the rest unchecked with preserveUnknownFields: [${JSON.stringify(path)}]`,
      );
    }
    return target.type === "object" ? { type: "object", "x-kubernetes-preserve-unknown-fields": true } : anything;
  };

  const combine = (node: JsonObject, path: string, refs: readonly string[]): Outcome => {
    if (node["x-kubernetes-int-or-string"] === true) {
      return {
        "x-kubernetes-int-or-string": true,
        ...numericValidation(node, path, refuse),
        ...stringValidation(node, path, refuse),
      };
    }
    const parts: Outcome[] = [];
    if (constrains(node)) parts.push(single(node, path, refs));
    // A member that checks and names no type means the type beside it.
    const member = (of: unknown): unknown =>
      isObject(of) && !("type" in of) && typeof node.type === "string" && "$ref" in of === false
        ? { type: node.type, ...of }
        : of;
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const members = node[keyword];
      if (!Array.isArray(members)) continue;
      const branches = members.map((branch) => convert(member(branch), path, refs));
      parts.push(unite(branches, { path, refuse, exclusive: keyword === "oneOf" }));
    }
    if (Array.isArray(node.allOf)) {
      for (const part of node.allOf) parts.push(convert(member(part), path, refs));
    }
    return parts.length === 0 ? anything : parts.reduce((left, right) => intersect(left, right, { path, refuse }));
  };

  /** What the node says itself, without anyOf, oneOf and allOf. */
  const single = (node: JsonObject, path: string, refs: readonly string[]): Outcome => {
    const allowed = "const" in node ? [node.const] : Array.isArray(node.enum) ? node.enum : undefined;
    const types = typesOf(node, allowed);
    const ofType = types
      .filter((type) => type !== "null")
      .map((type) => typed(node, type, allowed, path, refs))
      .filter((outcome) => outcome !== undefined);
    const nullable = types.includes("null") || node.nullable === true || allowed?.some(isNull) === true;
    return unite(nullable ? [...ofType, "null"] : ofType, { path, refuse, exclusive: false });
  };

  /** What the node says of values of one type; undefined when it allows none. */
  const typed = (
    node: JsonObject,
    type: string,
    allowed: readonly unknown[] | undefined,
    path: string,
    refs: readonly string[],
  ): StructuralSchema | undefined => {
    const values = allowed?.filter((value) => isOfType(value, type));
    if (values?.length === 0) return undefined;
    const enumeration: ValueValidation = values === undefined ? {} : { enum: values };
    switch (type) {
      case "string":
        return { type, ...enumeration, ...stringValidation(node, path, refuse) };
      case "integer":
      case "number":
        // Libraries say number of whole literals too; as integers CEL compares them, and int-or-string takes them.
        return {
          type: type === "number" && values?.every(Number.isInteger) ? "integer" : type,
          ...enumeration,
          ...numericValidation(node, path, refuse),
        };
      case "boolean":
        // Both values are no restriction, and the server's enum of booleans reads oddly.
        return values !== undefined && new Set(values).size === 2 ? { type } : { type, ...enumeration };
      case "array":
        return values === undefined
          ? arrayOf(node, path, refs)
          : refuse(path, "is a fixed list; write a list with its items' schema");
      case "object":
        return values === undefined
          ? objectOf(node, path, refs)
          : refuse(path, "is a fixed object; write an object with its fields");
      default:
        return refuse(path, `has the type ${JSON.stringify(type)}, which JSON Schema does not know`);
    }
  };

  const arrayOf = (node: JsonObject, path: string, refs: readonly string[]): StructuralSchema => {
    if (Array.isArray(node.items)) return refuse(path, impossibleKeywords.prefixItems ?? "");
    const items = "items" in node ? convert(node.items, `${path}[]`, refs) : anything;
    if (typeof items === "string")
      return refuse(`${path}[]`, "has no value that an item could have; give the items a schema");
    const unique = node.uniqueItems === true;
    if (unique && !isScalar(items)) {
      return refuse(path, "has unique items that are no scalars; write listMapKeys for it, or a CEL rule");
    }
    return {
      type: "array",
      ...counts(node, "minItems", "maxItems"),
      items,
      ...(unique && { "x-kubernetes-list-type": "set" }),
    };
  };

  const objectOf = (node: JsonObject, path: string, refs: readonly string[]): StructuralSchema => {
    const required = new Set(Array.isArray(node.required) ? (node.required as readonly string[]) : []);
    const fields: Record<string, StructuralSchema> = {};
    const addField = (name: string, schema: unknown): void => {
      const field = convert(schema, `${path}.${name}`, refs);
      if (field === "never" && !required.has(name)) return;
      if (typeof field === "string") {
        refuse(
          `${path}.${name}`,
          `takes ${field === "null" ? "null alone" : "no value at all"}; drop it or give it a type`,
        );
      } else {
        Object.defineProperty(fields, name, { value: field, enumerable: true });
      }
    };
    const declared = isObject(node.properties) ? node.properties : undefined;
    for (const [name, schema] of Object.entries(declared ?? {})) addField(name, schema);

    const rest = node.additionalProperties ?? (node.unevaluatedProperties === false ? false : undefined);
    const keys = keyNames(node.propertyNames, path, refs);
    if (keys !== undefined && rest !== undefined && rest !== false) {
      for (const name of keys) addField(name, rest);
      return finishObject(node, fields, required, {});
    }
    // `{ type: "object" }` that names no field at all is any object; a named nothing is an empty one.
    const open = rest === undefined ? declared === undefined : rest !== false;
    if (!open) return finishObject(node, fields, required, {});
    const values = convert(rest ?? true, `${path}{}`, refs);
    if (values === "never") return finishObject(node, fields, required, {});
    if (values === "null") return refuse(`${path}{}`, "takes null alone; give the values a type");
    if (isDeepStrictEqual(stripped(values), stripped(anything))) {
      return finishObject(node, fields, required, { "x-kubernetes-preserve-unknown-fields": true });
    }
    if (Object.keys(fields).length > 0) {
      return refuse(
        path,
        "has both fields of its own and a schema for all others, and a CRD takes one of the two; put the others into a record in a field of their own",
      );
    }
    return finishObject(node, fields, required, { additionalProperties: values });
  };

  /** The only keys that a map takes, when they are listed. */
  const keyNames = (names: unknown, path: string, refs: readonly string[]): readonly string[] | undefined => {
    if (names === undefined) return undefined;
    const outcome = convert(names, `${path}{}`, refs);
    if (typeof outcome === "string") return refuse(path, "allows no key; drop it");
    const { type: _, enum: allowed, description: __, nullable: ___, ...checks } = outcome;
    if (allowed !== undefined) return allowed.map(String);
    const { "x-kubernetes-preserve-unknown-fields": ____, ...rest } = checks;
    if (Object.keys(rest).length === 0) return undefined;
    return refuse(
      path,
      "checks its keys, which a CRD cannot; write a record of plain strings, and a CEL rule for the keys",
    );
  };

  const finishObject = (
    node: JsonObject,
    properties: Readonly<Record<string, StructuralSchema>>,
    required: ReadonlySet<string>,
    more: StructuralSchema,
  ): StructuralSchema => ({
    type: "object",
    ...counts(node, "minProperties", "maxProperties"),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.size > 0 && { required: [...required] }),
    ...more,
  });

  /** Adds what the node says about itself, in the order in which one reads it. */
  const annotate = (node: JsonObject, outcome: Outcome, path: string): Outcome => {
    if (typeof outcome === "string") return outcome;
    const kept: Record<string, unknown> = {};
    for (const name of extensions) if (node[name] !== undefined) kept[name] = node[name];
    const embedded = node["x-kubernetes-embedded-resource"] === true && outcome.type === undefined;
    if (preserve.has(path) && outcome.type === "object" && outcome.additionalProperties === undefined) {
      kept["x-kubernetes-preserve-unknown-fields"] = true;
    }
    const fallback = node.default;
    return {
      ...(typeof node.title === "string" && { title: node.title }),
      ...(typeof node.description === "string" && { description: node.description }),
      ...(embedded ? { type: "object" as const, "x-kubernetes-preserve-unknown-fields": true as const } : outcome),
      // The server takes a null default for none.
      ...(fallback !== undefined && fallback !== null && { default: fallback }),
      ...kept,
    };
  };

  const outcome = convert(document, root, []);
  if (typeof outcome === "string" || (outcome.type !== "object" && outcome !== anything)) {
    return refuse(root, "is no object; give an object schema");
  }
  const schema = finishSchema(outcome);
  checkDefaults(schema, root, refuse);
  return schema;
}

function stripped(schema: StructuralSchema): StructuralSchema {
  const { title: _, description: __, ...rest } = schema;
  return rest;
}

function counts(
  node: JsonObject,
  ...names: readonly ("maxItems" | "maxProperties" | "minItems" | "minProperties")[]
): ValueValidation {
  return Object.fromEntries(names.filter((name) => typeof node[name] === "number").map((name) => [name, node[name]]));
}
