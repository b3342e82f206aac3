import type { JsonObject } from "farwatch";
import type { Kind, KindVersion } from "../registry/kind.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import { type SchemaCollection, withSiblings } from "./open-api-type.ts";

/** What a custom kind's own schema does not say, since every kind has it. */
const typeFields: JsonObject = {
  apiVersion: { type: "string", description: "Group and version of this form of the object: group/version." },
  kind: { type: "string", description: "The object's kind, in CamelCase. It never changes." },
};
const metadataText = "The object's name, labels and annotations, and what the server keeps about it.";

/** `dev.farwatch.example.v1.StorageBucket` */
export function customSchemaName(group: string, version: string, kind: string): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

/** Adds a custom kind and its list to the collection, with the descriptions of its definition. */
export function addCustomKind(
  { group, kind, listKind, plural }: Kind,
  { version, schema, selectableFields }: KindVersion,
  collection: SchemaCollection,
): void {
  const metadata = withSiblings(collection.reference("meta.v1.ObjectMeta"), { description: metadataText });
  const published = publish(schema, metadata);
  const selectable: JsonObject =
    selectableFields.length === 0
      ? {}
      : { "x-kubernetes-selectable-fields": selectableFields.map((fieldPath) => ({ fieldPath })) };
  const properties = published.properties as JsonObject | undefined;
  const item = collection.add(customSchemaName(group, version, kind), {
    type: "object",
    ...published,
    properties: { ...typeFields, ...properties, metadata },
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
    ...selectable,
  });
  collection.add(customSchemaName(group, version, listKind), {
    type: "object",
    description: `${listKind} is a list of ${kind}`,
    required: ["items"],
    properties: {
      ...typeFields,
      items: { type: "array", description: `The ${plural}.`, items: item },
      metadata: withSiblings(collection.reference("meta.v1.ListMeta"), {
        description: "The version of the list, and where it goes on.",
      }),
    },
    "x-kubernetes-group-version-kind": [{ group, kind: listKind, version }],
    ...selectable,
  });
}

/** What a definition may hold and is not published. */
const unpublished: ReadonlySet<string> = new Set(["example", "externalDocs"]);

/** A schema as it is, but for embedded resources, which have the fields of every object. */
function publish(schema: ServedSchema, metadata: JsonObject): JsonObject {
  const { properties, items, additionalProperties, ...rest } = schema;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, publish(field, metadata)]);
  const inner: JsonObject = {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !unpublished.has(name))),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) }),
    ...(items === undefined ? {} : { items: publish(items, metadata) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: publish(additionalProperties, metadata) }),
  };
  if (schema["x-kubernetes-embedded-resource"] !== true) return inner;
  return {
    ...inner,
    required: [...new Set([...(schema.required ?? []), "kind", "apiVersion"])],
    properties: { ...(inner.properties as JsonObject | undefined), ...typeFields, metadata },
  };
}
