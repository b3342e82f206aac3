import type { ServedSchema } from "../schema/served-schema.ts";
import { isScalar, type ScalarType, type TableType, type TypeField, tableType, zeroOf } from "./type-table.ts";

type Properties = Readonly<Record<string, ServedSchema>>;

const ofScalar: Readonly<Record<ScalarType, ServedSchema>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float64: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  Time: { type: "string", format: "date-time" },
  MicroTime: { type: "string", format: "micro-time" },
  Quantity: { type: "string", format: "quantity" },
  IntOrString: { "x-kubernetes-int-or-string": true },
  RawExtension: { type: "object", format: "raw-extension", "x-kubernetes-preserve-unknown-fields": true },
  FieldsV1: { type: "object", format: "fields-v1", "x-kubernetes-preserve-unknown-fields": true },
  JSON: { format: "json", "x-kubernetes-preserve-unknown-fields": true },
};

const jsonSchema = "apiextensions.v1.JSONSchemaProps";
/** Types of a CustomResourceDefinition that JSON writes as one of two things, and protobuf as an object. */
const eitherOr: Readonly<Record<string, () => ServedSchema>> = {
  [`${jsonSchema}OrArray`]: () => ({ format: "json-schema-or-array", items: typeNode(jsonSchema) }),
  [`${jsonSchema}OrBool`]: () => ({ format: "json-schema-or-bool" }),
  [`${jsonSchema}OrStringArray`]: () => ({ format: "json-schema-or-strings", items: ofScalar.string }),
};

const nodes = new Map<string, ServedSchema>();

/**
 * The schema of a type of the table, `apps.v1.Deployment`. One node a type; what is below it is built when it is looked
 * at.
 *
 * @throws CodedError `NotFound` for a name that is not in the table.
 */
export function builtInSchema(typeName: string): ServedSchema {
  tableType(typeName);
  return typeNode(typeName);
}

function typeNode(name: string): ServedSchema {
  const known = nodes.get(name);
  if (known !== undefined) return known;
  const node = createNode(name);
  nodes.set(name, node);
  return node;
}

function createNode(name: string): ServedSchema {
  const either = eitherOr[name];
  if (either !== undefined) {
    return lazily({ ...either() }, { properties: () => typeNode(jsonSchema).properties ?? {} });
  }
  const type = tableType(name);
  if (type.items !== undefined) return { type: "array", items: elementNode(type.items), "x-go-name": goNameOf(name) };
  return lazily(
    {
      type: "object",
      "x-go-type": name,
      ...(type.mapType === undefined ? {} : { "x-kubernetes-map-type": type.mapType }),
    },
    {
      ...(fieldsOf(type).some(({ required }) => required) ? { required: () => requiredOf(type) } : {}),
      properties: () => propertiesOf(type),
    },
  );
}

/** `v1.ExtraValue` of authentication.v1.ExtraValue. */
function goNameOf(name: string): string {
  return name.split(".").slice(-2).join(".");
}

/** The fields as JSON has them, with those of inlined types in their place. */
export function fieldsOf(type: TableType): readonly TypeField[] {
  return type.fields.flatMap((field) => (field.inline ? fieldsOf(tableType(field.element)) : [field]));
}

function requiredOf(type: TableType): readonly string[] {
  return fieldsOf(type)
    .filter(({ required }) => required)
    .map(({ name }) => name);
}

function propertiesOf(type: TableType): Properties {
  return Object.fromEntries(fieldsOf(type).map((field) => [field.name, fieldNode(field)]));
}

function elementNode(element: string): ServedSchema {
  return isScalar(element) ? ofScalar[element] : typeNode(element);
}

function fieldNode(field: TypeField): ServedSchema {
  const { form, element, each, goType } = field;
  const said: ServedSchema = {
    ...(field.default === undefined || isLeftOut(field) ? {} : { default: field.default }),
    ...(field.enum === undefined ? {} : { enum: field.enum }),
    ...(field.listType === undefined ? {} : { "x-kubernetes-list-type": field.listType }),
    ...(field.listMapKeys === undefined ? {} : { "x-kubernetes-list-map-keys": field.listMapKeys }),
    ...(field.mapType === undefined ? {} : { "x-kubernetes-map-type": field.mapType }),
    ...(field.patchStrategy === undefined ? {} : { "x-kubernetes-patch-strategy": field.patchStrategy }),
    ...(field.patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": field.patchMergeKey }),
    ...(goType === undefined ? {} : { "x-go-name": goType }),
    ...(field.pointer ? { "x-go-pointer": true } : {}),
    ...(field.omit === "empty" ? {} : { "x-go-omit": field.omit }),
  };
  if (form === "one") return withMore(elementNode(element), said);
  const zero = isScalar(element) ? zeroOf(element) : {};
  // The name of a list or map of named things has theirs in it; one with a name of its own holds nameless ones.
  const itemName = goType === undefined ? undefined : /^(?:\[\]|map\[[^\]]*\])(.+)$/.exec(goType)?.[1];
  const item = withMore(elementNode(element), {
    ...(itemName === undefined ? {} : { "x-go-name": itemName }),
    ...(each === undefined ? {} : { enum: each }),
    ...(zero === undefined ? {} : { default: zero }),
  });
  return form === "list"
    ? { type: "array", ...said, items: item }
    : { type: "object", ...said, additionalProperties: item };
}

/** Whether a field with its default is as good as without: Go leaves it out. */
function isLeftOut({ form, element, pointer, omit, default: value }: TypeField): boolean {
  return form === "one" && !pointer && omit === "empty" && isScalar(element) && value === zeroOf(element);
}

/** A node that says more than the one it stands for; what that builds later is built later here too. */
function withMore(node: ServedSchema, more: ServedSchema): ServedSchema {
  if (Object.keys(more).length === 0) return node;
  const copy = Object.create(Object.prototype, Object.getOwnPropertyDescriptors(node)) as ServedSchema;
  return Object.assign(copy, more);
}

/** Adds members that are computed at their first reading. */
function lazily(node: ServedSchema, members: Readonly<Record<string, () => unknown>>): ServedSchema {
  for (const [name, compute] of Object.entries(members)) {
    let value: unknown;
    Object.defineProperty(node, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        value ??= compute();
        return value;
      },
    });
  }
  return node;
}
