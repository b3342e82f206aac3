import { ApiError } from "../failure/api-error.ts";
import { own } from "../schema/plain-object.ts";
import type { ServedSchema } from "../schema/served-schema.ts";
import { goTypeText, goValueText } from "./go-text.ts";

/** An object of a patch, or one that it is merged into; both are copies of the merge's own. */
export type Fields = Record<string, unknown>;

export const patchDirective = "$patch";
export const setElementOrder = "$setElementOrder";

/** An error that the real server has no status for. */
export function failed(message: string): ApiError {
  return new ApiError({ code: 500, reason: "", message });
}

export function wrongType(expected: string, actual: unknown): ApiError {
  const type = actual === null || actual === undefined ? "%!s(<nil>)" : goTypeText(actual);
  return failed(`expected a ${expected}, but received a ${type}`);
}

export function unknownDirective(directive: unknown, fields: Fields): ApiError {
  const text = typeof directive === "string" ? directive : notString(directive);
  return failed(`unknown patch type: ${text} in map: ${goValueText(fields)}`);
}

/** What `%s` makes of anything else. */
function notString(value: unknown): string {
  const given = value === null ? "<nil>" : `${goTypeText(value)}=${goValueText(value)}`;
  return `%!s(${given})`;
}

export function noMergeKey(item: unknown, mergeKey: string): ApiError {
  return failed(`map: ${goValueText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** What the schema says of a field: its type, and how a patch merges it. */
export interface PatchedField {
  readonly schema: ServedSchema;
  readonly strategy: string;
  readonly mergeKey: string;
}

/** What Go calls the kind of a type. */
export function goKind({ type, format, additionalProperties }: ServedSchema): string {
  switch (type) {
    case "object":
      return additionalProperties === undefined ? "struct" : "map";
    case "array":
      return "slice";
    case "integer":
      return format ?? "int";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return type ?? "struct";
  }
}

export function lookUp(schema: ServedSchema, name: string): PatchedField {
  const kind = goKind(schema);
  if (kind !== "struct") throw failed(`merging an object in json but data type is not struct, instead is: ${kind}`);
  const field = own(schema.properties, name);
  const typeName = schema["x-go-type"]?.split(".").at(-1) ?? "RawExtension";
  if (field === undefined) {
    throw failed(`unable to find api field in struct ${typeName} for the json field ${JSON.stringify(name)}`);
  }
  const strategies = (field["x-kubernetes-patch-strategy"] ?? "").split(",");
  return {
    schema: field,
    strategy: strategies.find((one) => one !== "retainKeys") ?? "",
    mergeKey: field["x-kubernetes-patch-merge-key"] ?? "",
  };
}

export function lookUpList(schema: ServedSchema, name: string): PatchedField {
  const field = lookUp(schema, name);
  if (field.schema.items === undefined) throw failed(`expected slice or array type, but got: ${goKind(schema)}`);
  return { ...field, schema: field.schema.items };
}
