import type { JsonObject } from "farwatch";
import { ApiError, badRequest, invalid, unsupportedMediaType } from "../failure/api-error.ts";
import { fieldCauses, invalidValue } from "../failure/field-error.ts";
import { goJson } from "../failure/go-json.ts";
import type { Kind, KindVersion } from "../registry/kind.ts";
import { GoDecodeError } from "../schema/go-scalar.ts";
import { copyJson, isObject } from "../schema/plain-object.ts";
import { restoreFields } from "../schema/restore-fields.ts";
import { inGoOrder } from "./go-order.ts";
import { goValueText, jsonKindText } from "./go-text.ts";
import { applyJsonPatch, jsonPatchProblems } from "./json-patch.ts";
import { applyMergePatch, checkMergePatch } from "./merge-patch.ts";
import { mergeStrategically } from "./strategic-merge-patch.ts";

export interface PatchRequest {
  readonly kind: Kind;
  readonly version: KindVersion;
  /** Media type without parameters, one of `patchMediaTypes` but apply. */
  readonly mediaType: string;
  /** The stored object in the version of the request: left alone. */
  readonly document: JsonObject;
  /** The parsed body. */
  readonly patch: unknown;
  /** `fieldValidation` of the request. */
  readonly fieldValidation: "Ignore" | "Strict" | "Warn";
  /** Paths of fields that stand twice in the body: `[0].op`, `data.a`; only needed where validation is not `Ignore`. */
  readonly duplicateFields?: readonly string[] | undefined;
}

export interface PatchedDocument {
  /** Undecoded, and no object where a JSON patch replaced the whole. It may share parts with document and patch. */
  readonly value: unknown;
  /** What is wrong with the patch itself, as strict decoding says it; for warnings, or with `Strict` for a refusal. */
  readonly problems: readonly string[];
  /**
   * 422 for a value that cannot be decoded, or that strict decoding refuses: `detail` says why, for instance `json:
   * cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string`, or `strict decoding error:
   * ` and the problems, those of the patch before those of the value, with `, ` between them.
   */
  refuse(detail: string): ApiError;
}

const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";
export const strategicPatch = "application/strategic-merge-patch+json";
const applyPatchYaml = "application/apply-patch+yaml";

/** The media types of patches that a kind takes, in the order in which a refusal lists them. */
export function patchMediaTypes({ custom }: Pick<Kind, "custom">): readonly string[] {
  return [jsonPatch, mergePatch, ...(custom ? [] : [strategicPatch]), applyPatchYaml];
}

/** 415 for a body of another media type. */
export function unsupportedPatch(kind: Pick<Kind, "custom">): ApiError {
  if (!kind.custom) return unsupportedMediaType("415: Unsupported Media Type");
  const types = patchMediaTypes(kind).join(", ");
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${types}`,
  );
}

/** 400 for the text of a patch that is no JSON; `detail` is what Go says: `unexpected end of JSON input`. */
export function unreadablePatch(
  { mediaType, fieldValidation }: Pick<PatchRequest, "fieldValidation" | "mediaType">,
  detail: string,
): ApiError {
  if (mediaType === applyPatchYaml) return badRequest(`error decoding YAML: ${detail}`);
  if (mediaType === strategicPatch) return badRequest(detail);
  if (fieldValidation !== "Ignore") return badRequest(`error decoding patch: ${detail}`);
  return badRequest(mediaType === mergePatch ? "Invalid JSON Patch" : detail);
}

/**
 * A JSON, merge or strategic merge patch; apply is `applyConfiguration`.
 *
 * @throws ApiError 400 for what is no patch, 413 for too many operations, 422 for one that does not fit the document,
 * 500 for a strategic one that the real server fails on.
 */
export function applyPatch(request: PatchRequest): PatchedDocument {
  const { mediaType, document, patch, version, fieldValidation, duplicateFields = [] } = request;
  const strict = fieldValidation !== "Ignore";
  const problems = (strict ? duplicateFields : []).map((path) => `duplicate field "${path}"`);
  // Names in a refusal stand as Go writes them, but for those of objects that the patch has looked into.
  const ordered = (): unknown => inGoOrder(document, version.schema);
  if (mediaType === jsonPatch) {
    const unknown = strict ? jsonPatchProblems(patch) : [];
    const value = applyJsonPatch(document, patch);
    const ofPatch = [...problems.map((problem) => `json patch ${problem}`), ...unknown];
    return { value, problems: ofPatch, refuse: refusal(() => goJson(applyJsonPatch(ordered(), patch))) };
  }
  if (mediaType === strategicPatch) {
    const merged = mergeStrategically(document, strategicFields(patch), version.schema);
    const refuse = refusal(() => goValueText(merged.rest));
    // The real server reads it without making a text of it.
    const value = copyJson(merged.value);
    try {
      restoreFields(version.schema, value);
    } catch (error) {
      throw error instanceof GoDecodeError ? refuse(error.message) : error;
    }
    return { value, problems, refuse };
  }
  if (strict) checkMergePatch(patch);
  const value = applyMergePatch(document, patch);
  return { value, problems, refuse: refusal(() => goJson(applyMergePatch(ordered(), patch))) };
}

function refusal(quoted: () => string): PatchedDocument["refuse"] {
  return (detail) => {
    const errors = [invalidValue("patch", quoted(), detail)];
    const { code, reason, message } = invalid({ group: "", kind: "", name: "" }, errors);
    // The patch has no name and no kind that the error could be about.
    return new ApiError({ code, reason, message, details: { causes: fieldCauses(errors) } });
  };
}

function strategicFields(patch: unknown): JsonObject {
  if (patch === null) return {};
  if (isObject(patch)) return patch;
  throw badRequest(`json: cannot unmarshal ${jsonKindText(patch)} into Go value of type map[string]interface {}`);
}
