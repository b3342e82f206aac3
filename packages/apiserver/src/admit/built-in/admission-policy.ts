import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import type { LabelSelector } from "../../registry/label-selector.ts";
import { compileExpression, type Expression, type FieldTypes } from "../../schema/compile-expression.ts";
import { setOwn } from "../../schema/plain-object.ts";
import { checkLabelSelector } from "../field-check.ts";
import { dnsLabel1035, dnsSubdomain, pathSegment, qualifiedName } from "../name-rule.ts";
import { pushFaults, validateMeta } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { admissionVariables, checkExpression, checkMatchConditions, type MatchCondition } from "./match-condition.ts";
import { applyRuleDefaults, checkRules, type MatchRule } from "./match-rule.ts";
import { countGeneration, draftSpec, preparesStatus, setDefault, specOf } from "./object-kind.ts";

export interface MatchResources {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: MatchRule[];
  excludeResourceRules?: MatchRule[];
  matchPolicy?: string;
}

export interface Validation {
  expression?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

export interface PolicySpec {
  paramKind?: { apiVersion?: string; kind?: string };
  matchConstraints?: MatchResources;
  validations?: Validation[];
  failurePolicy?: string;
  auditAnnotations?: { key?: string; valueExpression?: string }[];
  matchConditions?: MatchCondition[];
  variables?: { name?: string; expression?: string }[];
}

export interface BindingSpec {
  policyName?: string;
  paramRef?: { name?: string; namespace?: string; selector?: LabelSelector; parameterNotFoundAction?: string };
  matchResources?: MatchResources;
  validationActions?: string[];
}

const rules = { namespaced: false, nameRule: dnsSubdomain } as const;

/**
 * The variables that expressions of a policy have. Its own are read as `variables.NAME`; one that cannot be compiled is
 * none, and knows only those before it.
 */
export function policyVariables({
  paramKind,
  variables = [],
}: PolicySpec): FieldTypes & { readonly variables: Readonly<Record<string, Expression>> } {
  const base = admissionVariables({ hasParams: paramKind !== undefined });
  const own: Record<string, Expression> = {};
  for (const { name = "", expression = "" } of variables) {
    const compiled = compileExpression(expression.trim(), { ...base, variables: { ...own } });
    if ("expression" in compiled) setOwn(own, name, compiled.expression);
  }
  return { ...base, variables: own };
}

function applyMatchDefaults(match: MatchResources | undefined): void {
  if (match === undefined) return;
  setDefault(match, "matchPolicy", "Equivalent");
  setDefault(match, "namespaceSelector", {});
  setDefault(match, "objectSelector", {});
  applyRuleDefaults(match.resourceRules);
  applyRuleDefaults(match.excludeResourceRules);
}

function checkMatch(errors: FieldError[], path: string, match: MatchResources): void {
  const { matchPolicy, namespaceSelector, objectSelector } = match;
  if (matchPolicy === undefined) errors.push(required(`${path}.matchPolicy`));
  else if (!["Equivalent", "Exact"].includes(matchPolicy)) {
    errors.push(notSupported(`${path}.matchPolicy`, matchPolicy, ["Equivalent", "Exact"]));
  }
  checkLabelSelector(errors, `${path}.namespaceSelector`, namespaceSelector);
  checkLabelSelector(errors, `${path}.objectSelector`, objectSelector);
  checkRules(errors, `${path}.resourceRules`, match.resourceRules);
  checkRules(errors, `${path}.excludeResourceRules`, match.excludeResourceRules);
}

function checkParamKind(
  errors: FieldError[],
  { apiVersion = "", kind = "" }: NonNullable<PolicySpec["paramKind"]>,
): void {
  const path = "spec.paramKind";
  const parts = apiVersion.split("/");
  const [version = "", group = ""] = parts.toReversed();
  if (apiVersion === "") errors.push(required(`${path}.apiVersion`));
  else if (parts.length > 2) {
    errors.push(invalidValue(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else {
    const groupFaults = group === "" ? [] : dnsSubdomain(group);
    if (groupFaults.length > 0) errors.push(invalidValue(`${path}.apiVersion`, group, groupFaults.join(",")));
    const faults = dnsLabel1035(version);
    if (version === "") errors.push(invalidValue(`${path}.apiVersion`, apiVersion, "version must be specified"));
    else if (faults.length > 0) errors.push(invalidValue(`${path}.apiVersion`, version, faults.join(",")));
  }
  const faults = dnsLabel1035(kind.toLowerCase());
  if (kind === "") errors.push(required(`${path}.kind`));
  else if (faults.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${faults.join(",")}`;
    errors.push(invalidValue(`${path}.kind`, kind, detail));
  }
}

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function checkValidation(
  errors: FieldError[],
  path: string,
  { validation, variables }: { readonly validation: Validation; readonly variables: FieldTypes },
): void {
  const { expression = "", message = "", messageExpression = "", reason } = validation;
  if (expression.trim() === "") errors.push(required(`${path}.expression`, "expression is not specified"));
  else checkExpression(errors, `${path}.expression`, { text: expression, types: ["bool"], variables });
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(invalidValue(`${path}.messageExpression`, messageExpression, "must be non-empty if specified"));
  } else if (messageExpression !== "") {
    checkExpression(errors, `${path}.messageExpression`, { text: messageExpression, types: ["string"], variables });
  }
  if (message !== "" && message.trim() === "") {
    errors.push(invalidValue(`${path}.message`, message, "must be non-empty if specified"));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalidValue(`${path}.message`, message, "must not contain line breaks"));
  }
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, reasons));
}

function checkVariables(errors: FieldError[], spec: PolicySpec): void {
  spec.variables?.forEach(({ name = "", expression = "" }, index) => {
    const at = `spec.variables[${index}]`;
    if (name.trim() === "") errors.push(required(`${at}.name`, "name is not specified"));
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name)) {
      errors.push(invalidValue(`${at}.name`, name, "must be a valid CEL identifier"));
    }
    if (expression.trim() === "") errors.push(required(`${at}.expression`, "expression is not specified"));
    else {
      const variables = policyVariables({ ...spec, variables: spec.variables?.slice(0, index) ?? [] });
      checkExpression(errors, `${at}.expression`, { text: expression, types: ["dyn"], variables });
    }
  });
}

function validatePolicy(object: DraftObject, old?: StoredObject): FieldError[] {
  const errors = [...validateMeta(object.metadata, rules)];
  const spec = specOf<PolicySpec>(object);
  const { failurePolicy, paramKind, matchConstraints, validations = [], auditAnnotations = [] } = spec;
  if (failurePolicy === undefined) errors.push(required("spec.failurePolicy"));
  else if (!["Fail", "Ignore"].includes(failurePolicy)) {
    errors.push(notSupported("spec.failurePolicy", failurePolicy, ["Fail", "Ignore"]));
  }
  if (paramKind !== undefined) checkParamKind(errors, paramKind);
  if (matchConstraints === undefined) errors.push(required("spec.matchConstraints"));
  else {
    checkMatch(errors, "spec.matchConstraints", matchConstraints);
    if ((matchConstraints.resourceRules ?? []).length === 0)
      errors.push(required("spec.matchConstraints.resourceRules"));
  }
  const before = old === undefined ? undefined : specOf<PolicySpec>(old);
  const kept =
    before !== undefined &&
    semanticEqual(before.matchConditions, spec.matchConditions) &&
    semanticEqual(before.paramKind, paramKind);
  if (!kept) {
    const conditions = spec.matchConditions;
    checkMatchConditions(errors, "spec.matchConditions", { conditions, hasParams: paramKind !== undefined });
  }
  checkVariables(errors, spec);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    errors.push(required("spec.validations", detail), required("spec.auditAnnotations", detail));
    return errors;
  }
  const variables = policyVariables(spec);
  validations.forEach((validation, index) => {
    checkValidation(errors, `spec.validations[${index}]`, { validation, variables });
  });
  checkAuditAnnotations(errors, { annotations: auditAnnotations, name: object.metadata.name ?? "", variables });
  return errors;
}

function checkAuditAnnotations(
  errors: FieldError[],
  {
    annotations,
    name,
    variables,
  }: {
    readonly annotations: readonly { key?: string; valueExpression?: string }[];
    readonly name: string;
    readonly variables: FieldTypes;
  },
): void {
  const keys = new Set<string>();
  annotations.forEach(({ key = "", valueExpression = "" }, index) => {
    const at = `spec.auditAnnotations[${index}]`;
    const whole = name === "" ? key : `${name}/${key}`;
    pushFaults(errors, `${at}.key`, whole, qualifiedName(whole));
    const path = `${at}.valueExpression`;
    if (valueExpression.trim() === "") errors.push(required(path, "valueExpression is not specified"));
    else checkExpression(errors, path, { text: valueExpression, types: ["string", "null_type"], variables });
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key));
    keys.add(key);
  });
}

const prepare = preparesStatus({ empty: {}, generation: ["spec"] });

/** ValidatingAdmissionPolicy of admissionregistration.k8s.io/v1. */
export const validatingAdmissionPolicyStrategy: Strategy = {
  applyDefaults(object): void {
    const spec = draftSpec<PolicySpec>(object);
    setDefault(spec, "failurePolicy", "Fail");
    applyMatchDefaults(spec.matchConstraints);
  },
  ...prepare,
  validate: (object) => validatePolicy(object),
  validateUpdate: (object, old, { subresource }) => (subresource === undefined ? validatePolicy(object, old) : []),
};

function checkParamRef(errors: FieldError[], reference: NonNullable<BindingSpec["paramRef"]>): void {
  const path = "spec.paramRef";
  const { name = "", selector, parameterNotFoundAction: action = "" } = reference;
  const exclusive = "name and selector are mutually exclusive";
  if (name !== "") {
    pushFaults(errors, `${path}.name`, name, pathSegment(name));
    if (selector !== undefined) errors.push(forbiddenField(`${path}.name`, exclusive));
  }
  if (selector !== undefined) {
    checkLabelSelector(errors, `${path}.selector`, selector);
    if (name !== "") errors.push(forbiddenField(`${path}.selector`, exclusive));
  }
  if (name === "" && selector === undefined) errors.push(required(path, "one of name or selector must be specified"));
  const actions = ["Deny", "Allow"];
  if (action === "") errors.push(required(`${path}.parameterNotFoundAction`));
  else if (!actions.includes(action)) errors.push(notSupported(`${path}.parameterNotFoundAction`, action, actions));
}

function validateBinding(object: DraftObject): FieldError[] {
  const errors = [...validateMeta(object.metadata, rules)];
  const { policyName = "", paramRef, matchResources, validationActions = [] } = specOf<BindingSpec>(object);
  if (policyName === "") errors.push(required("spec.policyName"));
  else pushFaults(errors, "spec.policyName", policyName, dnsSubdomain(policyName));
  if (paramRef !== undefined) checkParamRef(errors, paramRef);
  if (matchResources !== undefined) checkMatch(errors, "spec.matchResources", matchResources);
  const known = ["Audit", "Deny", "Warn"];
  const seen = new Set<string>();
  for (const [index, action] of validationActions.entries()) {
    const at = `spec.validationActions[${index}]`;
    if (!known.includes(action)) errors.push(notSupported(at, action, known));
    if (seen.has(action)) errors.push(duplicate(at, action));
    seen.add(action);
  }
  if (seen.has("Deny") && seen.has("Warn")) {
    const detail =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(invalidValue("spec.validationActions", validationActions, detail));
  }
  if (seen.size === 0) errors.push(required("spec.validationActions", "at least one validation action is required"));
  return errors;
}

/** ValidatingAdmissionPolicyBinding of admissionregistration.k8s.io/v1. */
export const validatingAdmissionPolicyBindingStrategy: Strategy = {
  applyDefaults(object): void {
    applyMatchDefaults(draftSpec<BindingSpec>(object).matchResources);
  },
  prepareForCreate(object): void {
    object.metadata.generation = 1;
  },
  prepareForUpdate(object, old): void {
    countGeneration(object, old, "spec");
  },
  validate: validateBinding,
  validateUpdate: (object) => validateBinding(object),
};
