import { type FieldError, invalidValue, required, tooMany } from "../../failure/field-error.ts";
import { compileExpression, type FieldTypes } from "../../schema/compile-expression.ts";
import { qualifiedName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";

/** A CEL condition that a request must meet before a webhook or policy is asked. */
export interface MatchCondition {
  name?: string;
  expression?: string;
}

const groupVersionKind = { group: "string", version: "string", kind: "string" } as const;
const groupVersionResource = { group: "string", version: "string", resource: "string" } as const;

/** admission.AdmissionRequest without its objects. */
const requestType: FieldTypes = {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: "string",
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: "string",
  name: "string",
  namespace: "string",
  operation: "string",
  userInfo: {
    username: "string",
    uid: "string",
    groups: "list(string)",
    extra: "map(string, list(string))",
  },
  dryRun: "bool",
  options: "dyn",
};

const namespaceType: FieldTypes = {
  metadata: {
    name: "string",
    generateName: "string",
    namespace: "string",
    labels: "map(string, string)",
    annotations: "map(string, string)",
    UID: "string",
    creationTimestamp: "timestamp",
    deletionGracePeriodSeconds: "int",
    deletionTimestamp: "timestamp",
    generation: "int",
    resourceVersion: "string",
    finalizers: "list(string)",
  },
  spec: { finalizers: "list(string)" },
  status: { phase: "string" },
};

/** The variables that an expression of admission has, by their types. */
export function admissionVariables({ hasParams }: { readonly hasParams: boolean }): FieldTypes {
  return {
    object: "dyn",
    oldObject: "dyn",
    request: requestType,
    namespaceObject: namespaceType,
    ...(hasParams ? { params: "dyn" } : {}),
  };
}

/** One CEL expression, and the types that it may have; `dyn` takes them all. */
export function checkExpression(
  errors: FieldError[],
  path: string,
  {
    text,
    types,
    variables,
  }: {
    readonly text: string;
    readonly types: readonly string[];
    readonly variables: FieldTypes;
  },
): void {
  const compiled = compileExpression(text, variables);
  if ("error" in compiled) {
    errors.push(invalidValue(path, text, compiled.error));
    return;
  }
  const found = compiled.expression.type === "null" ? "null_type" : compiled.expression.type;
  if (types.includes(found) || types.includes("dyn")) return;
  const expected = types.length === 1 ? types[0] : `one of [${types.join(" ")}]`;
  errors.push(invalidValue(path, text, `must evaluate to ${expected} but got ${found}`));
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
      checkExpression(errors, `${at}.expression`, {
        text,
        types: ["bool"],
        variables: admissionVariables({ hasParams }),
      });
    if (name === "") errors.push(required(`${at}.name`));
    else pushFaults(errors, `${at}.name`, name, qualifiedName(name));
    if (names.has(name) && name !== "")
      errors.push({ type: "Duplicate", field: `${at}.name`, value: name, detail: "" });
    names.add(name);
  });
}
