import { type FieldError, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import type { LabelSelector } from "../../registry/label-selector.ts";
import { checkLabelSelector } from "../field-check.ts";
import { dnsSubdomain, type NameRule, pathSegment } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { metaErrors, metaUpdateErrors, setDefaultText } from "./object-kind.ts";

interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Subject {
  kind?: string;
  apiGroup?: string;
  name?: string;
  namespace?: string;
}

interface RoleRef {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

const rbac = "rbac.authorization.k8s.io";
/** The real server judges a prefix of such names as a whole name. */
const roleName: NameRule = (text) => pathSegment(text);

function checkRule(
  errors: FieldError[],
  rule: PolicyRule,
  { path, namespaced }: { path: string; namespaced: boolean },
): void {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (verbs.length === 0) errors.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  if (nonResourceURLs.length > 0) {
    const refuse = (detail: string): void => {
      errors.push(invalidValue(`${path}.nonResourceURLs`, nonResourceURLs, detail));
    };
    if (namespaced) refuse("namespaced rules cannot apply to non-resource URLs");
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      refuse("rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (apiGroups.length === 0) {
    errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (resources.length === 0) {
    errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  }
}

function roleStrategyOf(namespaced: boolean): Strategy {
  const validate = (object: DraftObject): FieldError[] => {
    const errors = metaErrors(object, { namespaced, nameRule: roleName });
    const rules = (object.rules ?? []) as readonly PolicyRule[];
    rules.forEach((rule, index) => {
      checkRule(errors, rule, { path: `rules[${index}]`, namespaced });
    });
    const aggregation = object.aggregationRule as
      | { readonly clusterRoleSelectors?: readonly LabelSelector[] }
      | undefined;
    if (aggregation !== undefined) {
      const path = "aggregationRule.clusterRoleSelectors";
      const { clusterRoleSelectors: selectors = [] } = aggregation;
      if (selectors.length === 0) {
        errors.push(required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
      }
      selectors.forEach((selector, index) => {
        const before = errors.length;
        checkLabelSelector(errors, `${path}[${index}]`, selector);
        if (errors.length > before) errors.push(invalidValue(`${path}[${index}]`, null, "invalid label selector."));
      });
    }
    return errors;
  };
  return {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    validate,
    validateUpdate: (object, old): FieldError[] => [...validate(object), ...metaUpdateErrors(object, old)],
  };
}

/** Role of rbac.authorization.k8s.io/v1. */
export const roleStrategy: Strategy = roleStrategyOf(true);
/** ClusterRole of rbac.authorization.k8s.io/v1. */
export const clusterRoleStrategy: Strategy = roleStrategyOf(false);

function checkSubject(
  errors: FieldError[],
  subject: Subject,
  { path, namespaced }: { path: string; namespaced: boolean },
): void {
  const { kind = "", apiGroup = "", name = "", namespace = "" } = subject;
  if (name === "") errors.push(required(`${path}.name`));
  switch (kind) {
    case "ServiceAccount":
      if (name !== "") pushFaults(errors, `${path}.name`, name, dnsSubdomain(name));
      if (apiGroup !== "") errors.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
      if (!namespaced && namespace === "") errors.push(required(`${path}.namespace`));
      break;
    case "User":
    case "Group":
      if (apiGroup !== rbac) errors.push(notSupported(`${path}.apiGroup`, apiGroup, [rbac]));
      break;
    default:
      errors.push(notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"]));
  }
}

function bindingStrategyOf(namespaced: boolean): Strategy {
  const roleKinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const validate = (object: DraftObject): FieldError[] => {
    const errors = metaErrors(object, { namespaced, nameRule: roleName });
    const { apiGroup = "", kind = "", name = "" } = (object.roleRef ?? {}) as RoleRef;
    if (apiGroup !== rbac) errors.push(notSupported("roleRef.apiGroup", apiGroup, [rbac]));
    if (!roleKinds.includes(kind)) errors.push(notSupported("roleRef.kind", kind, roleKinds));
    if (name === "") errors.push(required("roleRef.name"));
    else pushFaults(errors, "roleRef.name", name, pathSegment(name));
    const subjects = (object.subjects ?? []) as readonly Subject[];
    subjects.forEach((subject, index) => {
      checkSubject(errors, subject, { path: `subjects[${index}]`, namespaced });
    });
    return errors;
  };
  return {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    applyDefaults(object): void {
      const roleRef = object.roleRef as RoleRef | undefined;
      if (roleRef !== undefined) setDefaultText(roleRef, "apiGroup", rbac);
      for (const subject of (object.subjects ?? []) as readonly Subject[]) {
        if (subject.kind === "User" || subject.kind === "Group") setDefaultText(subject, "apiGroup", rbac);
      }
    },
    validate,
    validateUpdate(object, old): FieldError[] {
      const errors = [...validate(object), ...metaUpdateErrors(object, old)];
      if (!semanticEqual(object.roleRef, old.roleRef)) {
        const { apiGroup = "", kind = "", name = "" } = (object.roleRef ?? {}) as RoleRef;
        errors.push(invalidValue("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef"));
      }
      return errors;
    },
  };
}

/** RoleBinding of rbac.authorization.k8s.io/v1. */
export const roleBindingStrategy: Strategy = bindingStrategyOf(true);
/** ClusterRoleBinding of rbac.authorization.k8s.io/v1. */
export const clusterRoleBindingStrategy: Strategy = bindingStrategyOf(false);
