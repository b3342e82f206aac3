import type { FieldError } from "../failure/field-error.ts";
import type { DraftMeta } from "../registry/api-object.ts";
import { pathSegment } from "./name-rule.ts";
import { validateMeta } from "./object-meta.ts";

/**
 * What is wrong with the metadata of an embedded resource that stands at a path: as of any object, but that it needs no
 * name.
 */
export function validateEmbeddedMeta(metadata: Record<string, unknown>, path: string): readonly FieldError[] {
  const meta = { ...metadata } as DraftMeta;
  if ((meta.name ?? "") === "") meta.name = "fakename";
  const namespaced = (meta.namespace ?? "") !== "";
  return validateMeta(meta, { namespaced, nameRule: pathSegment }).map((error) => ({
    ...error,
    field: error.field.replace(/^metadata/, path),
  }));
}
