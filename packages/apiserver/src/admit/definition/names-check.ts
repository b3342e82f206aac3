import { type FieldError, invalidValue } from "../../failure/field-error.ts";
import { dnsLabel1035 } from "../name-rule.ts";
import type { DefinitionNames } from "./definition.ts";

/** What is wrong with the names that there are; missing ones are told elsewhere. */
export function validateDefinitionNames(names: DefinitionNames, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: string, text: string, mixedCase = false): void => {
    const faults = text === "" ? [] : dnsLabel1035(mixedCase ? text.toLowerCase() : text);
    if (faults.length === 0) return;
    const why = faults.join(",");
    errors.push(
      invalidValue(`${at}.${field}`, text, mixedCase ? `may have mixed case, but should otherwise match: ${why}` : why),
    );
  };
  const { plural = "", singular = "", kind = "", listKind = "" } = names;
  check("plural", plural);
  check("singular", singular);
  check("kind", kind, true);
  check("listKind", listKind, true);
  for (const [index, name] of (names.shortNames ?? []).entries()) check(`shortNames[${index}]`, name);
  if (kind !== "" && kind === listKind) {
    errors.push(invalidValue(`${at}.listKind`, listKind, "kind and listKind may not be the same"));
  }
  for (const [index, name] of (names.categories ?? []).entries()) check(`categories[${index}]`, name);
  return errors;
}
