import type { JsonObject } from "farwatch";
import { builtInKinds } from "../registry/built-in-kinds.ts";
import { fieldsOf } from "../registry/built-in-schema.ts";
import {
  isScalar,
  type ScalarType,
  type TableType,
  type TypeField,
  tableType,
  zeroOf,
} from "../registry/type-table.ts";

const apimachinery = "io.k8s.apimachinery.pkg";
const packages: Readonly<Record<string, string>> = {
  meta: `${apimachinery}.apis.meta`,
  apiextensions: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
  apiregistration: "io.k8s.kube-aggregator.pkg.apis.apiregistration",
};

/** The name that the type `apps.v1.Deployment` has in OpenAPI: `io.k8s.api.apps.v1.Deployment`. */
function schemaName(type: string): string {
  const [group = "", ...rest] = type.split(".");
  return [packages[group] ?? `io.k8s.api.${group}`, ...rest].join(".");
}

/** Scalars that OpenAPI writes where they are. */
const inline: Readonly<Partial<Record<ScalarType, JsonObject>>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float64: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
};

interface NamedSchema {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Scalars that are schemas of their own. */
const named: Readonly<Partial<Record<ScalarType, NamedSchema>>> = {
  Time: { name: `${apimachinery}.apis.meta.v1.Time`, schema: { type: "string", format: "date-time" } },
  MicroTime: { name: `${apimachinery}.apis.meta.v1.MicroTime`, schema: { type: "string", format: "date-time" } },
  FieldsV1: { name: `${apimachinery}.apis.meta.v1.FieldsV1`, schema: { type: "object" } },
  RawExtension: { name: `${apimachinery}.runtime.RawExtension`, schema: { type: "object" } },
  JSON: { name: schemaName("apiextensions.v1.JSON"), schema: {} },
  Quantity: {
    name: `${apimachinery}.api.resource.Quantity`,
    schema: { oneOf: [{ type: "string" }, { type: "number" }] },
  },
  IntOrString: {
    name: `${apimachinery}.util.intstr.IntOrString`,
    schema: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  },
};

/** The body of any patch. It is no type of Go's, so the table does not have it. */
const patch: NamedSchema = { name: `${apimachinery}.apis.meta.v1.Patch`, schema: { type: "object" } };

/** Types that JSON writes as one of two things, of which OpenAPI says nothing. */
const anything: ReadonlySet<string> = new Set(
  ["Array", "Bool", "StringArray"].map((other) => `apiextensions.v1.JSONSchemaPropsOr${other}`),
);

/** Collects the schemas of one document, each with all that it refers to. */
export interface SchemaCollection {
  /** `components.schemas`. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
  /** A reference to a type of the table, or to meta/v1's Patch. */
  reference(type: string): JsonObject;
  add(name: string, schema: JsonObject): JsonObject;
}

export function createSchemaCollection(): SchemaCollection {
  const schemas: Record<string, JsonObject> = {};

  const add = (name: string, schema: JsonObject): JsonObject => {
    schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  };

  const addNamed = ({ name, schema }: NamedSchema): JsonObject => add(name, schema);

  const reference = (type: string): JsonObject => {
    if (type === "meta.v1.Patch") return addNamed(patch);
    const name = schemaName(type);
    if (Object.hasOwn(schemas, name)) return { $ref: `#/components/schemas/${name}` };
    // First the name, since a type may refer to itself.
    const result = add(name, {});
    schemas[name] = anything.has(type) ? {} : typeSchema(tableType(type), element);
    return result;
  };

  const element = (type: string): JsonObject => {
    if (!isScalar(type)) {
      const { items } = tableType(type);
      return items === undefined ? reference(type) : { type: "array", items: itemSchema(items, undefined, element) };
    }
    const scalar = named[type];
    return scalar === undefined ? (inline[type] ?? {}) : addNamed(scalar);
  };

  return { schemas, reference, add };
}

type ElementSchema = (type: string) => JsonObject;

function typeSchema(type: TableType, element: ElementSchema): JsonObject {
  const fields = fieldsOf(type);
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const kinds = kindsOf(type);
  return {
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    ...(fields.length === 0
      ? {}
      : { properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, element)])) }),
    ...(kinds.length === 0 ? {} : { "x-kubernetes-group-version-kind": kinds }),
    ...(type.mapType === undefined ? {} : { "x-kubernetes-map-type": type.mapType }),
    ...(type.union === undefined ? {} : { "x-kubernetes-unions": [unionOf(type.union)] }),
  };
}

function unionOf({ discriminator, fields }: NonNullable<TableType["union"]>): JsonObject {
  const values = fields.map((field) => [field, field.charAt(0).toUpperCase() + field.slice(1)]);
  return { discriminator, "fields-to-discriminateBy": Object.fromEntries(values) };
}

function fieldSchema(field: TypeField, element: ElementSchema): JsonObject {
  const said: JsonObject = {
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.enum === undefined ? {} : { enum: field.enum }),
    ...(field.listType === undefined ? {} : { "x-kubernetes-list-type": field.listType }),
    ...(field.listMapKeys === undefined ? {} : { "x-kubernetes-list-map-keys": field.listMapKeys }),
    ...(field.mapType === undefined ? {} : { "x-kubernetes-map-type": field.mapType }),
    ...(field.patchStrategy === undefined ? {} : { "x-kubernetes-patch-strategy": field.patchStrategy }),
    ...(field.patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.patchMergeKey }),
  };
  if (field.form === "one") return withSiblings(element(field.element), said);
  const items = itemSchema(field.element, field.each, element);
  return field.form === "list"
    ? { type: "array", items, ...said }
    : { type: "object", additionalProperties: items, ...said };
}

/** Items of a list and values of a map are never absent, so that their zero value is what they are by default. */
function itemSchema(type: string, each: readonly string[] | undefined, element: ElementSchema): JsonObject {
  const zero = isScalar(type) ? zeroOf(type) : tableType(type).items === undefined ? {} : undefined;
  return withSiblings(element(type), {
    ...(zero === undefined || anything.has(type) ? {} : { default: zero }),
    ...(each === undefined ? {} : { enum: each }),
  });
}

/** OpenAPI 3.0 ignores what stands beside a `$ref`. */
export function withSiblings(schema: JsonObject, siblings: JsonObject): JsonObject {
  if (Object.keys(siblings).length === 0) return schema;
  return "$ref" in schema ? { ...siblings, allOf: [schema] } : { ...schema, ...siblings };
}

interface GroupVersionKind {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
}

const optionsOfAllGroups: ReadonlySet<string> = new Set(["DeleteOptions"]);

/** The kinds that a body of this type may call itself. */
function kindsOf({ name, fields }: TableType): readonly GroupVersionKind[] {
  const [home = "", version = "", kind = ""] = name.split(".");
  if (!fields.some(({ inline: isInline, element }) => isInline && element === "meta.v1.TypeMeta")) return [];
  if (home !== "meta") return [{ group: groupOf(home), kind, version }];
  if (!optionsOfAllGroups.has(kind)) return [{ group: "", kind, version }];
  const all = builtInKinds().flatMap(({ group, versions }) =>
    versions.map((one) => ({ group, kind, version: one.version })),
  );
  return [...new Map(all.map((one) => [`${one.group}/${one.version}`, one])).values()];
}

/** `rbac` is rbac.authorization.k8s.io. */
function groupOf(home: string): string {
  if (home === "core") return "";
  return builtInKinds().find(({ group }) => group.split(".", 1)[0] === home)?.group ?? home;
}
