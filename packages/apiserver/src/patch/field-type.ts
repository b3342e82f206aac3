import { own } from "../schema/plain-object.ts";
import type { ServedSchema } from "../schema/served-schema.ts";

/** What a value may be, as structured merges see it: one, two or all of the three. */
export interface FieldType {
  readonly scalar: ScalarKind | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
}

/** `untyped` takes every scalar. */
export type ScalarKind = "boolean" | "numeric" | "string" | "untyped";

export interface ListType {
  /** Owned as a whole; otherwise item by item. */
  readonly atomic: boolean;
  /** Of a list of maps; without keys the items are a set of scalars. */
  readonly keys: readonly string[];
  readonly items: FieldType;
  /** The default of a key that an item leaves out. */
  keyDefault(key: string): unknown;
}

export interface MapType {
  readonly atomic: boolean;
  /** Whether the field is named by the schema, rather than one of a map's keys or unknown. */
  declares(name: string): boolean;
  /** The type of a field or key; undefined where the schema has none. */
  fieldType(name: string): FieldType | undefined;
  /** Nothing is known of what is in it: what it owns is left alone when a schema changes. */
  readonly free: boolean;
}

/** A value without a schema that is owned as a whole, if it is no scalar. */
const untypedAtomic: FieldType = {
  scalar: "untyped",
  list: {
    atomic: true,
    keys: [],
    get items() {
      return untypedAtomic;
    },
    keyDefault: () => undefined,
  },
  map: { atomic: true, declares: () => false, fieldType: () => untypedAtomic, free: false },
};

/** A value without a schema whose fields are owned one by one, and whose lists as a whole. */
const deduced: FieldType = {
  scalar: "untyped",
  list: untypedAtomic.list,
  map: { atomic: false, declares: () => false, fieldType: () => deduced, free: true },
};

const string: ServedSchema = { type: "string" };
const texts: ServedSchema = { type: "object", additionalProperties: string };
const time: ServedSchema = { type: "string", format: "date-time" };
const integer: ServedSchema = { type: "integer" };

/** metav1.ObjectMeta, which every kind has and no schema repeats. */
const objectMeta: ServedSchema = {
  type: "object",
  properties: {
    annotations: texts,
    creationTimestamp: time,
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: time,
    finalizers: {
      type: "array",
      items: string,
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
    generateName: string,
    generation: integer,
    labels: texts,
    managedFields: {
      type: "array",
      "x-kubernetes-list-type": "atomic",
      items: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
    name: string,
    namespace: string,
    ownerReferences: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "uid",
      items: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: {
          apiVersion: string,
          blockOwnerDeletion: { type: "boolean" },
          controller: { type: "boolean" },
          kind: string,
          name: string,
          uid: string,
        },
      },
    },
    resourceVersion: string,
    selfLink: string,
    uid: string,
  },
};

/** What stands in every object, whatever its schema says of it. */
const ofEveryObject: Readonly<Record<string, ServedSchema>> = {
  apiVersion: string,
  kind: string,
  metadata: objectMeta,
};

const roots = new WeakMap<ServedSchema, ServedSchema>();

/** The schema of a whole object with what its kind's schema leaves out: apiVersion, kind and metadata. */
export function wholeSchema(schema: ServedSchema): ServedSchema {
  let whole = roots.get(schema);
  if (whole === undefined) {
    whole = withFields(schema);
    roots.set(schema, whole);
  }
  return whole;
}

function withFields(schema: ServedSchema): ServedSchema {
  return { ...schema, properties: { ...schema.properties, ...ofEveryObject } };
}

const types = new WeakMap<ServedSchema, FieldType>();
/** The same within a schema that keeps unknown fields, where every map does. */
const keepingTypes = new WeakMap<ServedSchema, FieldType>();

/** The type of a value of this schema; of a whole object by `wholeSchema`. The same schema has the same type. */
export function fieldTypeOf(schema: ServedSchema, keepsUnknown = false): FieldType {
  const known = keepsUnknown ? keepingTypes : types;
  let type = known.get(schema);
  if (type === undefined) {
    type = createType(schema, keepsUnknown || schema["x-kubernetes-preserve-unknown-fields"] === true);
    known.set(schema, type);
  }
  return type;
}

/** Formats whose JSON is no text alone, or not of one type. */
function scalarKind({ type, format }: ServedSchema): ScalarKind {
  if (type === "boolean") return "boolean";
  if (type === "integer" || type === "number") return "numeric";
  return format === undefined || format === "byte" ? "string" : "untyped";
}

function createType(schema: ServedSchema, keepsUnknown: boolean): FieldType {
  switch (schema.type) {
    case "object":
      // runtime.RawExtension: a whole that someone else understands.
      if (schema.format === "raw-extension") return untypedAtomic;
      return { scalar: undefined, list: undefined, map: createMap(schema, keepsUnknown) };
    case "array":
      return { scalar: undefined, list: createList(schema, keepsUnknown), map: undefined };
    case undefined:
      // What JSON writes as one of two things has no schema in the OpenAPI of the real server.
      if (schema.format?.startsWith("json") === true) return deduced;
      return { scalar: "untyped", list: createList(schema, keepsUnknown), map: createMap(schema, keepsUnknown) };
    default:
      return { scalar: scalarKind(schema), list: undefined, map: undefined };
  }
}

function createList(schema: ServedSchema, keepsUnknown: boolean): ListType {
  const { items } = schema;
  const listType = schema["x-kubernetes-list-type"];
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  const strategy = schema["x-kubernetes-patch-strategy"] ?? "";
  // Without a list type the strategy of strategic merge patches decides, as in the real server.
  const atomic = listType === undefined ? !strategy.split(",").includes("merge") : listType === "atomic";
  const keys =
    listType === undefined && mergeKey !== undefined ? [mergeKey] : (schema["x-kubernetes-list-map-keys"] ?? []);
  return {
    atomic,
    keys: atomic || listType === "set" ? [] : keys,
    get items() {
      return items === undefined ? untypedAtomic : fieldTypeOf(items, keepsUnknown);
    },
    keyDefault: (key) => own(items?.properties, key)?.default,
  };
}

function createMap(schema: ServedSchema, keepsUnknown: boolean): MapType {
  const properties =
    schema["x-kubernetes-embedded-resource"] === true ? withFields(schema).properties : schema.properties;
  const declared = new Map(Object.entries(properties ?? {}));
  const { additionalProperties: rest } = schema;
  const free = rest === undefined && (keepsUnknown || declared.size === 0);
  const known = new Map<string, FieldType>();
  return {
    atomic: schema["x-kubernetes-map-type"] === "atomic",
    declares: (name) => declared.has(name),
    fieldType(name): FieldType | undefined {
      const found = known.get(name);
      if (found !== undefined) return found;
      const property = declared.get(name);
      if (property === undefined) {
        return rest === undefined ? (free ? deduced : undefined) : fieldTypeOf(rest, keepsUnknown);
      }
      // Only what the schema names is worth keeping: a map's keys have no end.
      const type = fieldTypeOf(property, keepsUnknown);
      known.set(name, type);
      return type;
    },
    free: free && declared.size === 0,
  };
}

/**
 * Which of its forms a type takes for a value: the value's own where it may be that, otherwise the first that it has.
 */
export type FormOf = "list" | "map" | "scalar";

export function formOf(type: FieldType, value: unknown): FormOf {
  if (value !== undefined && value !== null) {
    if (Array.isArray(value)) {
      if (type.list !== undefined) return "list";
    } else if (typeof value === "object") {
      if (type.map !== undefined) return "map";
    } else if (type.scalar !== undefined) return "scalar";
  }
  if (type.map !== undefined) return "map";
  return type.scalar === undefined ? "list" : "scalar";
}
