import { CodedError } from "farwatch";
import { aggregatedText } from "../../failure/aggregated-text.ts";
import { compileExpression, type Expression, type FieldTypes } from "../../schema/compile-expression.ts";
import { admissionVariables, type MatchCondition } from "../built-in/match-condition.ts";

interface Condition {
  readonly text: string;
  readonly expression: Expression;
}

/** Compiled once for every list of conditions, which lives as long as the object that it stands in. */
const compiled = new WeakMap<readonly MatchCondition[], readonly Condition[]>();

function conditionsOf(conditions: readonly MatchCondition[], hasParams: boolean): readonly Condition[] {
  let known = compiled.get(conditions);
  if (known === undefined) {
    known = conditions.map(({ expression: text = "" }) => ({
      text: text.trim(),
      expression: compileStored(text.trim(), admissionVariables({ hasParams })),
    }));
    compiled.set(conditions, known);
  }
  return known;
}

/** An expression that was checked when it was stored. */
export function compileStored(text: string, variables: FieldTypes): Expression {
  const found = compileExpression(text, variables);
  if ("expression" in found) return found.expression;
  throw new CodedError("Internal", `Cannot compile the expression ${text}, though it was accepted: ${found.error}`);
}

/**
 * Whether all conditions hold. One that is false decides, whatever is wrong with the others; without one, an error of
 * any is answered.
 */
export function meetsConditions(
  conditions: readonly MatchCondition[] | undefined,
  variables: Readonly<Record<string, unknown>>,
  hasParams = false,
): boolean | { readonly error: string } {
  if (conditions === undefined || conditions.length === 0) return true;
  const errors: string[] = [];
  for (const { text, expression } of conditionsOf(conditions, hasParams)) {
    const outcome = expression.evaluate(variables);
    if ("error" in outcome) errors.push(`expression '${text}' resulted in error: ${outcome.error}`);
    else if (outcome.value !== true) return false;
  }
  return errors.length === 0 ? true : { error: aggregatedText(errors) };
}
