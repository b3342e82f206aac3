import { badRequest } from "../failure/api-error.ts";
import { unreadablePatch } from "../patch/apply-patch.ts";
import type { FieldValidation } from "../schema/built-in-body.ts";
import { duplicateFields } from "../schema/duplicate-field.ts";
import type { ResourceRequest } from "./resource-request.ts";

/** @throws ApiError for the text of a patch that is no JSON. */
export function checkPatchText(
  { body, contentType: mediaType }: ResourceRequest,
  fieldValidation: FieldValidation,
): void {
  const problem =
    body === undefined
      ? "unexpected end of JSON input"
      : body.problem?.replace("couldn't get version/kind; json parse error: ", "");
  if (problem !== undefined) throw unreadablePatch({ mediaType, fieldValidation }, problem);
}

/** Keys that stand twice in the text of a patch, for a client that wants to know. */
export function repeatedFields({ body }: ResourceRequest, fieldValidation: FieldValidation): readonly string[] {
  return fieldValidation === "Ignore" || body?.text === undefined ? [] : duplicateFields(body.text, body.value);
}

/** Refuses the text of an apply that is no YAML, and warns of, or refuses, keys that stand twice in it. */
export function checkAppliedText(
  { contentType: mediaType, body, warn }: ResourceRequest,
  fieldValidation: FieldValidation,
): void {
  const { problem, duplicates = [] } = body ?? {};
  const converting = "error converting YAML to JSON";
  if (problem !== undefined) throw unreadablePatch({ mediaType, fieldValidation }, `${converting}: ${problem}`);
  if (duplicates.length === 0 || fieldValidation === "Ignore") return;
  if (fieldValidation === "Strict") {
    const texts = duplicates.map((text) => `\n  ${text}`).join("");
    throw badRequest(`error strict decoding YAML: ${converting}: yaml: unmarshal errors:${texts}`);
  }
  for (const text of duplicates) warn(text);
}
