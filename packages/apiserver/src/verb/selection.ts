import { type FieldRequirement, isCodedError, labelMatcher, parseFieldSelector } from "farwatch";
import { badRequest } from "../failure/api-error.ts";
import { labelSelectorError } from "../failure/label-selector-error.ts";
import type { StoredObject } from "../registry/api-object.ts";
import { fieldValue } from "../registry/field-value.ts";
import type { ServedKind } from "../registry/registry.ts";
import { textOption } from "./query-option.ts";

/** Which objects of a resource a list, a watch or a deletion means. */
export interface Selection {
  /** Whether labels or fields narrow it: counts are unknown then. */
  readonly narrowed: boolean;
  /** The one name that a field selector or a path allows. */
  readonly name: string | undefined;
  matches(object: StoredObject): boolean;
}

/** Reads `labelSelector` and `fieldSelector`; 400 with the real server's text when one cannot be read or names an unknown field. */
export function readSelection(query: URLSearchParams, served: ServedKind, namespace: string | undefined): Selection {
  const labels = readLabels(textOption(query, "labelSelector"));
  const fields = readFields(textOption(query, "fieldSelector"), served);
  const name = fields.find(({ field, isEqual }) => field === "metadata.name" && isEqual)?.value;
  return {
    narrowed: labels !== undefined || fields.length > 0,
    name,
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (labels === undefined || labels(object.metadata.labels)) &&
      fields.every(({ field, isEqual, value }) => (fieldValue(served, object, field) === value) === isEqual),
  };
}

function readLabels(text: string | undefined): ReturnType<typeof labelMatcher> | undefined {
  if (text === undefined) return undefined;
  try {
    return labelMatcher(text);
  } catch (error) {
    if (!isCodedError(error, "InvalidSelector")) throw error;
    throw badRequest(labelSelectorError(text));
  }
}

function readFields(text: string | undefined, { kind, version }: ServedKind): readonly FieldRequirement[] {
  if (text === undefined) return [];
  let requirements: readonly FieldRequirement[];
  try {
    requirements = parseFieldSelector(text);
  } catch (error) {
    if (!isCodedError(error, "InvalidSelector")) throw error;
    throw badRequest(`invalid field selector ${JSON.stringify(text)}: ${error.message}`);
  }
  for (const { field } of requirements) {
    if (field === "metadata.name" || (field === "metadata.namespace" && (kind.namespaced || !kind.custom))) continue;
    if (version.selectableFields.includes(field)) continue;
    throw badRequest(
      kind.custom || version.selectableFields.length > 0
        ? `field label not supported: ${field}`
        : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
  return requirements;
}
