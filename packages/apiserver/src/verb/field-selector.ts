import type { FieldRequirement } from "farwatch";
import { badRequest } from "../failure/api-error.ts";

/**
 * Reads a field selector by the grammar of the real server, which takes any text for a field's name: whether it is one
 * is asked later. The parts come in their own order.
 *
 * @throws ApiError 400 with the real server's text.
 */
export function readFieldSelector(selector: string): readonly FieldRequirement[] {
  const parts = selector.match(/(?:\\.|[^,\\]|\\$)+/gs) ?? [];
  return parts.sort().map((part) => {
    const [, field = "", operator, value = ""] = /^(.*?)(!=|==|=)(.*)$/s.exec(part) ?? [];
    if (operator === undefined) throw badRequest(`invalid selector: '${selector}'; can't understand '${part}'`);
    return { field, isEqual: operator !== "!=", value: unescaped(value) };
  });
}

/** A backslash takes the meaning off a comma, an equals sign and another backslash. */
function unescaped(value: string): string {
  return value.replaceAll(/\\(.?)|[,=]/gsu, (found: string, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`);
    }
    if (!/^[,=\\]$/.test(escaped)) throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
    return escaped;
  });
}
