import type { ValidationRule } from "farwatch";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import { schemaType, unboundedCardinality } from "../cel/schema-type.ts";
import { compileRules } from "../rule.ts";
import type { ServedSchema } from "../served-schema.ts";
import { internalRule } from "./internal-form.ts";

/** Of one rule, and of all rules of a schema: estimates above these are refused. */
const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;
/** Of the most expensive rules so many are named. */
const mostNamed = 4;
const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** How often a value can stand in one object; undefined where nothing bounds that. */
export interface RulePlace {
  readonly costs: RuleCosts;
  readonly cardinality: number | undefined;
}

interface RuleNode {
  readonly at: string;
  readonly isRoot: boolean;
  readonly cardinality: number | undefined;
  readonly uncorrelated: string | undefined;
}

/** Compiles the rules of a schema node by node, and adds up what they cost. */
export interface RuleCosts {
  check(schema: ServedSchema, node: RuleNode): readonly FieldError[];
  readonly total: number;
  readonly expensive: readonly { readonly at: string; readonly cost: number }[];
}

/** With `suppressed` no single rule is refused for its cost: the schema was there before. */
export function createRuleCosts(suppressed: boolean): RuleCosts {
  let total = 0;
  let expensive: { at: string; cost: number }[] = [];

  const observe = (at: string, cost: number): void => {
    total += cost;
    if (cost < schemaLimit / 100) return;
    expensive = [...expensive, { at, cost }].sort((a, b) => b.cost - a.cost).slice(0, mostNamed);
  };

  const check = (schema: ServedSchema, node: RuleNode): readonly FieldError[] => {
    const errors: FieldError[] = [];
    const type = schemaType(schema, node.isRoot);
    if (type === undefined) {
      const why =
        "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
      return [{ type: "Internal", field: `${node.at}.x-kubernetes-validations`, detail: why }];
    }
    const times = node.cardinality ?? unboundedCardinality(type);
    for (const [index, compiled] of compileRules(schema, node.isRoot).entries()) {
      const at = `${node.at}.x-kubernetes-validations[${index}]`;
      const { rule, program, message } = compiled;
      const cost = (program?.maxCost(type) ?? 0) * times;
      if (!suppressed && cost > ruleLimit) {
        errors.push(forbiddenField(`${at}.rule`, costText("estimated rule cost", cost, ruleLimit)));
      }
      observe(`${at}.rule`, cost);
      if (compiled.error !== undefined) errors.push(invalidValue(`${at}.rule`, internalRule(rule), compiled.error));
      if (compiled.messageError !== undefined) {
        errors.push(invalidValue(`${at}.messageExpression`, internalRule(rule), compiled.messageError));
      } else if (message !== undefined) {
        const messageCost = message.maxCost(type);
        if (!suppressed && messageCost > ruleLimit) {
          const why = costText("estimated messageExpression cost", messageCost, ruleLimit);
          errors.push(forbiddenField(`${at}.messageExpression`, why));
        }
        observe(`${at}.messageExpression`, messageCost);
      }
      if (compiled.usesOldSelf) {
        if (node.uncorrelated === undefined) continue;
        const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${node.uncorrelated}`;
        errors.push(invalidValue(`${at}.rule`, rule.rule, why));
      } else if (rule.optionalOldSelf !== undefined) {
        const why = "may not be set if oldSelf is not used in rule";
        errors.push(invalidValue(`${at}.optionalOldSelf`, rule.optionalOldSelf, why));
      }
    }
    return errors;
  };

  return {
    check,
    get total() {
      return total;
    },
    get expensive() {
      return expensive;
    },
  };
}

/** What is said where all rules of a schema together cost too much. */
export function totalCostErrors({ total, expensive }: RuleCosts, at: string): readonly FieldError[] {
  if (total <= schemaLimit) return [];
  const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [
    ...expensive.map((one) =>
      forbiddenField(
        one.at,
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      ),
    ),
    forbiddenField(at, costText(what, total, schemaLimit)),
  ];
}

function costText(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const text = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${text} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

const lineBreak = /[\n\r]/;

/** What is wrong with the texts of rules, whatever they compile to. */
export function validateRuleTexts(
  rules: readonly ValidationRule[],
  schemaAt: string,
  isPath: (path: string) => boolean,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { rule, message = "", messageExpression = "", reason, fieldPath = "" }] of rules.entries()) {
    const at = `${schemaAt}.x-kubernetes-validations[${index}]`;
    const trimmed = { rule: rule.trim(), message: message.trim() };
    if (trimmed.rule === "") errors.push(required(`${at}.rule`, "rule is not specified"));
    else if (message !== "" && trimmed.message === "") {
      errors.push(invalidValue(`${at}.message`, message, "must be non-empty if specified"));
    } else if (lineBreak.test(trimmed.message)) {
      errors.push(invalidValue(`${at}.message`, message, "must not contain line breaks"));
    } else if (lineBreak.test(trimmed.rule) && trimmed.message === "") {
      errors.push(required(`${at}.message`, "message must be specified if rule contains line breaks"));
    }
    if (messageExpression !== "" && messageExpression.trim() === "") {
      errors.push(required(`${at}.messageExpression`, "messageExpression must be non-empty if specified"));
    }
    if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${at}.reason`, reason, reasons));
    if (fieldPath !== "" && fieldPath.trim() === "") {
      errors.push(invalidValue(`${at}.fieldPath`, fieldPath, "must be non-empty if specified"));
    }
    if (lineBreak.test(fieldPath)) {
      errors.push(invalidValue(`${at}.fieldPath`, fieldPath, "must not contain line breaks"));
    }
    if (fieldPath !== "" && !isPath(fieldPath)) {
      errors.push(invalidValue(`${at}.fieldPath`, fieldPath, "must be a valid path"));
    }
  }
  return errors;
}
