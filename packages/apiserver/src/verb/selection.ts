import { type FieldRequirement, isCodedError, labelMatcher } from "farwatch";
import { badRequest } from "../failure/api-error.ts";
import { labelSelectorError } from "../failure/label-selector-error.ts";
import type { StoredObject } from "../registry/api-object.ts";
import { fieldValue } from "../registry/field-value.ts";
import type { ServedKind } from "../registry/registry.ts";
import { readFieldSelector } from "./field-selector.ts";
import { textOption } from "./query-option.ts";
import type { ResourceRequest } from "./resource-request.ts";

/** Which objects of a resource a list, a watch or a deletion means. */
export interface Selection {
  /** Whether labels or fields narrow it: counts are unknown then. */
  readonly narrowed: boolean;
  /** Whether it is about one object, by its name: there is nothing to go on with then. */
  readonly single: boolean;
  matches(object: StoredObject): boolean;
}

/** `labelSelector` and `fieldSelector` as they were read, before anybody knows whether there are such fields. */
export interface Selectors {
  readonly labels: ReturnType<typeof labelMatcher> | undefined;
  readonly fields: readonly FieldRequirement[];
}

/** @throws ApiError 400 with the real server's text for one that cannot be read. */
export function readSelectors(query: URLSearchParams): Selectors {
  return {
    labels: readLabels(textOption(query, "labelSelector")),
    fields: readFieldSelector(textOption(query, "fieldSelector") ?? ""),
  };
}

/** @throws ApiError 400 with the real server's text for a field that cannot be selected. */
export function selectionOf(
  { labels, fields }: Selectors,
  { served, namespace, name }: Pick<ResourceRequest, "name" | "namespace" | "served">,
): Selection {
  checkFields(fields, served);
  return {
    narrowed: labels !== undefined || fields.length > 0,
    single:
      (namespace !== undefined || !served.kind.namespaced) &&
      fields.some(({ field, isEqual }) => field === "metadata.name" && isEqual),
    matches: (object) =>
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (name === undefined || object.metadata.name === name) &&
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

function checkFields(requirements: readonly FieldRequirement[], { kind, version }: ServedKind): void {
  for (const { field } of requirements) {
    if (field === "metadata.name" || (field === "metadata.namespace" && (kind.namespaced || !kind.custom))) continue;
    if (version.selectableFields.includes(field)) continue;
    throw badRequest(
      kind.custom || version.selectableFields.length > 0
        ? `field label not supported: ${field}`
        : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
}
