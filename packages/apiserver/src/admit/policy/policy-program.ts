import type { StoredObject } from "../../registry/api-object.ts";
import { composeVariables, type Expression } from "../../schema/compile-expression.ts";
import { type PolicySpec, policyVariables } from "../built-in/admission-policy.ts";
import { specOf } from "../built-in/object-kind.ts";
import { compileStored, meetsConditions } from "../webhook/match-conditions.ts";

/** What a policy finds wrong with a request. */
export interface Finding {
  readonly message: string;
  readonly reason: string;
}

/** What expressions are given, beside a policy's own variables. */
export interface PolicyInput {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
  readonly namespaceObject: unknown;
  /** Of a policy that has parameters; null where its binding names none. */
  readonly params?: unknown;
}

/** A policy that can be asked. */
export interface PolicyProgram {
  readonly spec: PolicySpec;
  findings(input: PolicyInput): readonly Finding[];
}

const longestMessage = 5 * 1024;
const programs = new WeakMap<StoredObject, PolicyProgram>();

/** The program of a stored policy, compiled when it is first asked. */
export function policyProgram(policy: StoredObject): PolicyProgram {
  const known = programs.get(policy);
  if (known !== undefined) return known;
  const program = compilePolicy(specOf<PolicySpec>(policy));
  programs.set(policy, program);
  return program;
}

function compilePolicy(spec: PolicySpec): PolicyProgram {
  const types = policyVariables(spec);
  const variables = Object.entries(types.variables).map(([name, expression]) => ({ name, expression }));
  const hasParams = spec.paramKind !== undefined;
  const validations = (spec.validations ?? []).map(
    ({ expression = "", message = "", messageExpression = "", reason }) => ({
      text: expression.trim(),
      expression: compileStored(expression.trim(), types),
      message: message.trim(),
      messageExpression: messageExpression.trim() === "" ? undefined : compileStored(messageExpression.trim(), types),
      reason: reason ?? "Invalid",
    }),
  );
  return {
    spec,
    findings(input): readonly Finding[] {
      const values = { ...input };
      const failed = (message: string): readonly Finding[] =>
        spec.failurePolicy === "Ignore" ? [] : [{ message, reason: "Invalid" }];
      const met = meetsConditions(spec.matchConditions, values, hasParams);
      if (met === false) return [];
      if (met !== true) return failed(met.error);
      const all = { ...values, variables: composeVariables(variables, values) };
      return validations.flatMap(({ text, expression, message, messageExpression, reason }) => {
        const outcome = expression.evaluate(all);
        if ("error" in outcome) return failed(`expression '${text}' resulted in error: ${outcome.error}`);
        if (outcome.value === true) return [];
        const said = [evaluated(messageExpression, all), message, `failed expression: ${text}`];
        return [{ message: said.find((one) => one !== "") ?? "", reason }];
      });
    },
  };
}

/** The message that an expression gives, empty where it fails or gives none that fits a line. */
function evaluated(expression: Expression | undefined, values: Readonly<Record<string, unknown>>): string {
  const outcome = expression?.evaluate(values);
  if (outcome === undefined || "error" in outcome || typeof outcome.value !== "string") return "";
  const text = outcome.value.trim();
  return text.includes("\n") || Buffer.byteLength(text) > longestMessage ? "" : text;
}
