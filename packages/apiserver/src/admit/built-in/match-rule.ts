import { type FieldError, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import { pathSegment } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { setDefault } from "./object-kind.ts";

/** Which requests a webhook or a policy is asked about. */
export interface MatchRule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
  resourceNames?: string[];
}

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];

export function applyRuleDefaults(rules: readonly MatchRule[] | undefined): void {
  for (const rule of rules ?? []) setDefault(rule, "scope", "*");
}

/** Rules of webhooks and policies. */
export function checkRules(errors: FieldError[], path: string, rules: readonly MatchRule[] | undefined): void {
  rules?.forEach((rule, index) => {
    checkRule(errors, `${path}[${index}]`, rule);
  });
}

function checkRule(errors: FieldError[], path: string, rule: MatchRule): void {
  const names = new Set<string>();
  for (const [index, name] of (rule.resourceNames ?? []).entries()) {
    const at = `${path}.resourceNames[${index}]`;
    pushFaults(errors, at, name, pathSegment(name));
    if (names.has(name)) errors.push({ type: "Duplicate", field: at, value: name, detail: "" });
    names.add(name);
  }
  checkAlone(errors, `${path}.operations`, { list: rule.operations, what: "operations" });
  for (const [index, operation] of (rule.operations ?? []).entries()) {
    if (!operations.includes(operation))
      errors.push(notSupported(`${path}.operations[${index}]`, operation, operations));
  }
  checkAlone(errors, `${path}.apiGroups`, { list: rule.apiGroups, what: "API groups" });
  checkAlone(errors, `${path}.apiVersions`, { list: rule.apiVersions, what: "API versions" });
  for (const [index, version] of (rule.apiVersions ?? []).entries()) {
    if (version === "") errors.push(required(`${path}.apiVersions[${index}]`));
  }
  checkResources(errors, `${path}.resources`, rule.resources ?? []);
  const { scope } = rule;
  if (scope !== undefined && !scopes.includes(scope)) errors.push(notSupported(`${path}.scope`, scope, scopes));
}

/** A list that must not be empty, and in which the wildcard stands alone. */
function checkAlone(
  errors: FieldError[],
  path: string,
  { list = [], what }: { readonly list: readonly string[] | undefined; readonly what: string },
): void {
  if (list.length === 0) errors.push(required(path));
  if (list.length > 1 && list.includes("*")) {
    errors.push(invalidValue(path, list, `if '*' is present, must not specify other ${what}`));
  }
}

function checkResources(errors: FieldError[], path: string, resources: readonly string[]): void {
  if (resources.length === 0) errors.push(required(path));
  const allSubresourcesOf = new Set<string>();
  const ofAllResources = new Set<string>();
  let hasPlain = false;
  for (const [index, resource] of resources.entries()) {
    const at = `${path}[${index}]`;
    if (resource === "") {
      errors.push(required(at));
      continue;
    }
    const slash = resource.indexOf("/");
    if (slash < 0) {
      hasPlain = resource !== "*";
      continue;
    }
    const [name, subresource] = [resource.slice(0, slash), resource.slice(slash + 1)];
    if (allSubresourcesOf.has(name)) {
      errors.push(invalidValue(at, resource, `if '${name}/*' is present, must not specify ${resource}`));
    }
    if (ofAllResources.has(subresource)) {
      errors.push(invalidValue(at, resource, `if '*/${subresource}' is present, must not specify ${resource}`));
    }
    if (subresource === "*") allSubresourcesOf.add(name);
    if (name === "*") ofAllResources.add(subresource);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    errors.push(invalidValue(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes("*") && hasPlain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidValue(path, resources, detail));
  }
}
