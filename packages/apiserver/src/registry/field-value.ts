import type { JsonObject } from "farwatch";
import { isObject, own } from "../schema/plain-object.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import type { DraftObject, StoredObject } from "./api-object.ts";
import { convertBuiltIn } from "./convert-built-in.ts";
import { namesOf, valueAt } from "./field-path.ts";
import { apiVersionOf, type ServedKind } from "./registry.ts";

/** Fields of a selector that are no paths of the object. */
const computed: Readonly<Record<string, (object: JsonObject) => unknown>> = {
  "Event source": (event) => (isObject(event.source) && event.source.component) || event.reportingComponent,
  "Job status.successful": (job) => (isObject(job.status) ? (job.status.succeeded ?? 0) : 0),
};

/**
 * What a field selector compares: the text of a selectable field, of an object as it is stored or as it is shown. Of a
 * built-in kind a field that is not set has Go's zero value (`false`, `0`), of a custom one no text at all.
 * `status.podIPs` of a Pod can be named and is always empty.
 */
export function fieldValue({ kind, version }: ServedKind, object: DraftObject | StoredObject, field: string): string {
  const apiVersion = apiVersionOf(kind.group, version.version);
  const shown = kind.custom || object.apiVersion === apiVersion ? object : convertBuiltIn(object, apiVersion);
  const compute = kind.custom ? undefined : computed[`${kind.kind} ${field}`];
  if (compute !== undefined) return textOf(compute(shown));
  const names = namesOf(field);
  const value = valueAt(shown, names);
  if (value !== undefined && value !== null) return textOf(value);
  return kind.custom ? "" : textOf(zeroOf(version.schema, names));
}

function zeroOf(root: ServedSchema, names: readonly string[]): unknown {
  let schema: ServedSchema | undefined = root;
  for (const name of names) schema = own(schema?.properties, name);
  if (schema?.type === "boolean") return false;
  return schema?.type === "integer" ? 0 : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
