import { copyJson, own, setOwn } from "./plain-object.ts";
import type { ServedSchema } from "./served-schema.ts";

export interface Pruned<T> {
  /** A copy without what the schema does not know. */
  readonly object: T;
  /** What was dropped, sorted: `spec.foo`, `spec.list[0].bar`. */
  readonly unknown: readonly string[];
}

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * The object of a custom resource without the fields that its schema does not name. apiVersion, kind and metadata of
 * the object and of embedded resources stay as they are: see `coerceEmbedded` for those.
 */
export function pruneFields<T extends object>(schema: ServedSchema, object: T): Pruned<T> {
  const unknown: string[] = [];
  const root: ServedSchema =
    schema["x-kubernetes-embedded-resource"] === true ? schema : { ...schema, "x-kubernetes-embedded-resource": true };
  const pruned = prune(root, object, "", unknown) as T;
  return { object: pruned, unknown: unknown.sort() };
}

/** The same for a part of an object, a default value: without what its schema does not name. */
export function pruneValue(schema: ServedSchema, value: unknown): unknown {
  return prune(schema, value, "", []);
}

function prune(schema: ServedSchema | undefined, value: unknown, at: string, unknown: string[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  const keepsUnknown = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  if (Array.isArray(value)) {
    // Items below what keeps unknown fields keep theirs too, where their schema says nothing.
    if (keepsUnknown && schema?.items === undefined) return copyJson(value);
    const items =
      keepsUnknown && schema?.items !== undefined
        ? { ...schema.items, "x-kubernetes-preserve-unknown-fields": true as const }
        : schema?.items;
    return value.map((item, index) => prune(items, item, `${at}[${index}]`, unknown));
  }
  const result: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    if (schema?.["x-kubernetes-embedded-resource"] === true && metaFields.has(name)) {
      setOwn(result, name, copyJson(each));
      continue;
    }
    const field = own(schema?.properties, name) ?? schema?.additionalProperties;
    const path = at === "" ? name : `${at}.${name}`;
    if (field !== undefined) setOwn(result, name, prune(field, each, path, unknown));
    else if (keepsUnknown) setOwn(result, name, copyJson(each));
    else unknown.push(path);
  }
  return result;
}
