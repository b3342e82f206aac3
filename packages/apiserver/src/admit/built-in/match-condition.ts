import { type FieldError, invalidValue, required, tooMany } from "../../failure/field-error.ts";
import { compileExpression } from "../../schema/compile-expression.ts";
import { qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";

/** A CEL condition that a request must meet before a webhook or policy is asked. */
export interface MatchCondition {
  name?: string;
  expression?: string;
}

/** The variables that an expression of admission has, by their types. */
export function admissionVariables({ hasParams }: { readonly hasParams: boolean }): Readonly<Record<string, string>> {
  return {
    object: "dyn",
    oldObject: "dyn",
    request: "dyn",
    namespaceObject: "dyn",
    ...(hasParams ? { params: "dyn" } : {}),
  };
}

/** One CEL expression, and the type that it must have. */
export function checkExpression(
  errors: FieldError[],
  path: string,
  {
    text,
    type,
    variables,
  }: { readonly text: string; readonly type: string; readonly variables: Readonly<Record<string, string>> },
): void {
  const compiled = compileExpression(text, variables);
  if ("error" in compiled) errors.push(invalidValue(path, text, compiled.error));
  else if (compiled.expression.type !== type && compiled.expression.type !== "dyn") {
    errors.push(invalidValue(path, text, `must evaluate to ${type}`));
  }
}

export function checkMatchConditions(
  errors: FieldError[],
  path: string,
  {
    conditions = [],
    hasParams,
  }: { readonly conditions: readonly MatchCondition[] | undefined; readonly hasParams: boolean },
): void {
  if (conditions.length > 64) errors.push(tooMany(path, conditions.length, 64));
  const names = new Set<string>();
  conditions.forEach(({ name = "", expression = "" }, index) => {
    const at = `${path}[${index}]`;
    const text = expression.trim();
    if (text === "") errors.push(required(`${at}.expression`));
    else
      checkExpression(errors, `${at}.expression`, { text, type: "bool", variables: admissionVariables({ hasParams }) });
    if (name === "") errors.push(required(`${at}.name`));
    else pushFaults(errors, `${at}.name`, name, qualifiedName(name));
    if (names.has(name) && name !== "")
      errors.push({ type: "Duplicate", field: `${at}.name`, value: name, detail: "" });
    names.add(name);
  });
}
