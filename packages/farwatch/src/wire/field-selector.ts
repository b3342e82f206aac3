import { CodedError } from "../error/coded-error.ts";

/** One part of a field selector: `metadata.name=a`, or with `!=`. */
export interface FieldRequirement {
  /** `metadata.name`. */
  readonly field: string;
  readonly isEqual: boolean;
  readonly value: string;
}

/**
 * Reads a field selector: equalities separated by commas. A backslash takes the meaning off a comma, an equals sign and
 * another backslash in a value, as on the server.
 *
 * @throws CodedError `InvalidSelector` naming the part that cannot be read.
 */
export function parseFieldSelector(selector: string): readonly FieldRequirement[] {
  if (selector.trim() === "") return [];
  return (selector.match(/(?:\\.|[^,\\])+/g) ?? []).map((part) => {
    const [, field, operator, value] = /^\s*([A-Za-z][\w.[\]/-]*)(==|=|!=)((?:\\[,=\\]|[^,=\\])*)$/.exec(part) ?? [];
    if (field === undefined || value === undefined) {
      throw new CodedError(
        "InvalidSelector",
        `Cannot read field selector ${JSON.stringify(selector)}: ${JSON.stringify(part)} is no requirement, write "metadata.name=a" or "metadata.name!=a"`,
      );
    }
    return { field, isEqual: operator !== "!=", value: value.replaceAll(/\\([,=\\])/g, "$1") };
  });
}

/** The text form of requirements, in which `parseFieldSelector` reads them again. */
export function formatFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements
    .map(({ field, isEqual, value }) => `${field}${isEqual ? "=" : "!="}${value.replaceAll(/[,=\\]/g, "\\$&")}`)
    .join(",");
}

/**
 * True when the object meets all requirements. A field is read from the object by its path, as the API server does for
 * metadata.name, metadata.namespace and a kind's selectable fields; one that is absent counts as the empty text.
 */
export function matchesFields(requirements: readonly FieldRequirement[], object: object): boolean {
  return requirements.every(({ field, isEqual, value }) => (fieldOf(object, field) === value) === isEqual);
}

function fieldOf(object: object, path: string): string {
  let value: unknown = object;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return "";
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
