import { duplicate, type FieldError, invalidValue, required } from "../../failure/field-error.ts";
import { servedSchema } from "../../schema/definition/serve-schema.ts";
import { schemaPath } from "../../schema/schema-path.ts";
import type { DefinitionColumn, DefinitionParts, DefinitionScale } from "./definition.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const mostSelectable = 8;
const selectableTypes: ReadonlySet<string> = new Set(["string", "boolean", "integer"]);

function simplePath(path: string, at: string): readonly FieldError[] {
  return path.startsWith(".") ? [] : [invalidValue(at, path, "must be a simple json path starting with .")];
}

export function validateColumn(
  { name = "", type = "", format = "", jsonPath = "" }: DefinitionColumn,
  at: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${at}.name`));
  const oneOf = `must be one of ${columnTypes.join(",")}`;
  if (type === "") errors.push(required(`${at}.type`, oneOf));
  else if (!columnTypes.includes(type)) errors.push(invalidValue(`${at}.type`, type, oneOf));
  if (format !== "" && !columnFormats.includes(format)) {
    errors.push(invalidValue(`${at}.format`, format, `must be one of ${columnFormats.join(",")}`));
  }
  if (jsonPath === "") errors.push(required(`${at}.JSONPath`));
  else errors.push(...simplePath(jsonPath, `${at}.JSONPath`));
  return errors;
}

/** The paths of a scale subresource; `at` is that of the subresources. */
export function validateScale(scale: DefinitionScale | undefined, at: string): readonly FieldError[] {
  if (scale === undefined) return [];
  const errors: FieldError[] = [];
  const check = (name: keyof DefinitionScale, prefixes: readonly string[], where: string): void => {
    const path = scale[name] ?? "";
    const field = `${at}.scale.${name}`;
    const faults = simplePath(path, field);
    if (path === "") errors.push(required(field));
    else if (faults.length > 0) errors.push(...faults);
    else if (!prefixes.some((prefix) => path.startsWith(prefix))) {
      errors.push(invalidValue(field, path, `should be a json path under ${where}`));
    }
  };
  check("specReplicasPath", [".spec."], ".spec");
  check("statusReplicasPath", [".status."], ".status");
  if ((scale.labelSelectorPath ?? "") !== "")
    check("labelSelectorPath", [".spec.", ".status."], "either .spec or .status");
  return errors;
}

/** Paths by which objects may be selected. */
export function validateSelectableFields(
  { selectableFields = [], schema }: DefinitionParts,
  at: string,
): readonly FieldError[] {
  const defined = schema?.openAPIV3Schema;
  if (selectableFields.length === 0) return [];
  if (defined === undefined) return [invalidValue(at, "", "may only be set when validations.schema is included")];
  const served = servedSchema(defined);
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath = "" }] of selectableFields.entries()) {
    const field = `${at}[${index}].jsonPath`;
    if (jsonPath === "") {
      errors.push(required(field));
      continue;
    }
    const found = schemaPath(served, jsonPath, { brackets: false });
    if ("error" in found) {
      errors.push(invalidValue(field, jsonPath, `is an invalid path: ${found.error}`));
      continue;
    }
    if (found.path === "metadata" || found.path.startsWith("metadata.")) {
      errors.push(invalidValue(field, jsonPath, "must not point to fields in metadata"));
    }
    if (!selectableTypes.has(found.schema.type ?? "")) {
      const why =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(invalidValue(field, jsonPath, why));
    }
    if (seen.has(found.path)) errors.push(duplicate(field, jsonPath));
    seen.add(found.path);
  }
  if (seen.size > mostSelectable) {
    errors.push({ type: "TooMany", field: at, value: seen.size, detail: `must have at most ${mostSelectable} items` });
  }
  return errors;
}
