import type { JsonObject } from "farwatch";
import fc from "fast-check";
import type { DraftObject } from "../registry/api-object.ts";
import type { Kind, KindVersion } from "../registry/kind.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import { applyConfiguration } from "./apply-configuration.ts";
import type { FieldOwner } from "./field-owner.ts";
import { recordUpdate } from "./record-update.ts";

/** A field of each kind of ownership. */
export const thingSchema: ServedSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        text: { type: "string" },
        size: { type: "integer" },
        labels: { type: "object", additionalProperties: { type: "string" } },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: {
            type: "object",
            properties: {
              port: { type: "integer" },
              protocol: { type: "string", default: "TCP" },
              name: { type: "string" },
            },
          },
        },
        list: { type: "array", items: { type: "object", properties: { x: { type: "integer" } } } },
        whole: { type: "object", "x-kubernetes-map-type": "atomic", properties: { x: { type: "integer" } } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
};

export function kindVersion(version: string, schema: ServedSchema = thingSchema): KindVersion {
  return {
    version,
    served: true,
    schema,
    subresources: [{ name: "status", verbs: ["get", "patch", "update"] }],
    printerColumns: [],
    selectableFields: [],
  };
}

/** `example.dev`, Thing, in these versions. */
export function thingKind(versions: readonly KindVersion[] = [kindVersion("v1")]): Kind {
  return {
    group: "example.dev",
    kind: "Thing",
    listKind: "ThingList",
    plural: "things",
    singular: "thing",
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
    versions,
    storageVersion: versions[0]?.version ?? "v1",
    custom: true,
  };
}

export function thing(spec: unknown, rest: JsonObject = {}, version = "v1"): DraftObject {
  return structuredClone({
    apiVersion: `example.dev/${version}`,
    kind: "Thing",
    metadata: { name: "a" },
    spec,
    ...rest,
  });
}

const kind: Kind = thingKind();
const [version] = kind.versions as [KindVersion];
export const noon = "2026-01-01T12:00:00Z";
export const later = "2026-01-01T13:00:00Z";

export function owner(manager: string, more: Partial<FieldOwner> = {}): FieldOwner {
  return { kind, version, manager, now: noon, ...more };
}

/** The object after a write, with owners; `before` keeps its own. */
export async function written(
  by: FieldOwner,
  before: DraftObject | undefined,
  after: DraftObject,
): Promise<DraftObject> {
  const draft = structuredClone(after);
  if (before?.metadata.managedFields !== undefined && draft.metadata.managedFields === undefined) {
    draft.metadata.managedFields = structuredClone(before.metadata.managedFields);
  }
  await recordUpdate({ ...by, before, after: draft });
  return draft;
}

export function apply(
  by: FieldOwner,
  live: DraftObject | undefined,
  spec: unknown,
  force = false,
): Promise<DraftObject> {
  return applyConfiguration({ ...by, live, applied: thing(spec), force });
}

/** Who owns what: `manager operation version subresource` and the fields. */
export function owners(object: DraftObject): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    (object.metadata.managedFields ?? []).map(({ manager, operation, apiVersion = "", subresource = "", fieldsV1 }) => [
      [manager, operation, apiVersion.split("/")[1], subresource].filter(Boolean).join(" "),
      fieldsV1,
    ]),
  );
}

const values = fc.constantFrom("1", "2");
/** Any spec of a thing. */
export const specs: fc.Arbitrary<JsonObject> = fc.record(
  {
    text: values,
    size: fc.constantFrom(1, 2),
    labels: fc.dictionary(fc.constantFrom("a", "b", "c"), values, { noNullPrototype: true }),
    set: fc.uniqueArray(fc.constantFrom("a", "b", "c")),
    ports: fc.uniqueArray(
      fc.record({ port: fc.constantFrom(1, 2), name: values }, { requiredKeys: ["port"], noNullPrototype: true }),
      { selector: ({ port }) => port },
    ),
    list: fc.array(fc.record({ x: fc.constantFrom(1, 2) }, { noNullPrototype: true }), { maxLength: 2 }),
    free: fc.dictionary(
      fc.constantFrom("a", "b"),
      fc.dictionary(fc.constantFrom("c", "d"), values, { noNullPrototype: true }),
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
);
