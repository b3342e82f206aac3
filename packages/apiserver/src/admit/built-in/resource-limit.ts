import { compareQuantities, formatQuantity } from "farwatch";
import { duplicate, type FieldError, forbiddenField, invalidValue, required } from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import { dnsSubdomain, qualifiedName } from "../name-rule.ts";
import { immutableText, pushFaults } from "../object-meta.ts";
import type { Strategy } from "../strategy.ts";
import { draftSpec, metaErrors, metaUpdateErrors, preparesStatus, specOf, statusOf } from "./object-kind.ts";
import type { ResourceList } from "./pod-shape.ts";
import {
  pushAmountErrors,
  pushContainerResourceNameErrors,
  pushQuotaResourceNameErrors,
  pushResourceNameErrors,
  quantityOf,
} from "./resource-check.ts";

/** One item of a LimitRange. */
export interface Limit {
  type?: string;
  max?: ResourceList;
  min?: ResourceList;
  default?: ResourceList;
  defaultRequest?: ResourceList;
  maxLimitRequestRatio?: ResourceList;
}

interface LimitRangeSpec {
  limits?: Limit[];
}

const rules = { namespaced: true, nameRule: dnsSubdomain } as const;
const limitTypes = ["Pod", "Container", "PersistentVolumeClaim"];

function checkLimit(errors: FieldError[], path: string, limit: Limit): void {
  const { type = "" } = limit;
  const names = new Set<string>();
  const take = (field: "default" | "defaultRequest" | "max" | "maxLimitRequestRatio" | "min"): void => {
    for (const name of Object.keys(limit[field] ?? {})) {
      const at = `${path}.${field}[${name}]`;
      if (type === "Pod" || type === "Container") pushContainerResourceNameErrors(errors, at, name);
      else pushResourceNameErrors(errors, at, name);
      names.add(name);
    }
  };
  take("max");
  take("min");
  for (const field of ["default", "defaultRequest"] as const) {
    if (type !== "Pod") take(field);
    else if (Object.keys(limit[field] ?? {}).length > 0) {
      errors.push(forbiddenField(`${path}.${field}`, "may not be specified when `type` is 'Pod'"));
    }
  }
  if (type === "PersistentVolumeClaim" && limit.min?.storage === undefined && limit.max?.storage === undefined) {
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(required(`${path}.limits`, detail));
  }
  take("maxLimitRequestRatio");
  for (const name of names) checkAmounts(errors, path, { limit, name });
}

/** Of two amounts that are both given: an error where the first is the larger. */
function checkAmounts(
  errors: FieldError[],
  path: string,
  { limit, name }: { readonly limit: Limit; readonly name: string },
): void {
  const amount = (list: ResourceList | undefined): string | undefined =>
    list !== undefined && Object.hasOwn(list, name) ? list[name] : undefined;
  const isPod = limit.type === "Pod";
  const [min, max, ratio] = [amount(limit.min), amount(limit.max), amount(limit.maxLimitRequestRatio)];
  const [given, request] = isPod ? [undefined, undefined] : [amount(limit.default), amount(limit.defaultRequest)];
  const order = (
    [low, lowName]: readonly [string | undefined, string],
    [high, highName]: readonly [string | undefined, string],
    [field, value]: readonly [string, string | undefined],
  ): void => {
    if (low === undefined || high === undefined || compareQuantities(quantityOf(low), quantityOf(high)) <= 0) return;
    const [a, b] = [formatQuantity(quantityOf(low)), formatQuantity(quantityOf(high))];
    errors.push(invalidValue(`${path}.${field}[${name}]`, value, `${lowName} ${a} is greater than ${highName} ${b}`));
  };
  order([min, "min value"], [max, "max value"], ["min", min]);
  order([min, "min value"], [request, "default request value"], ["defaultRequest", request]);
  order([request, "default request value"], [max, "max value"], ["defaultRequest", request]);
  order([request, "default request value"], [given, "default limit value"], ["defaultRequest", request]);
  order([min, "min value"], [given, "default value"], ["default", min]);
  order([given, "default value"], [max, "max value"], ["default", max]);
  if (ratio !== undefined && quantityOf(ratio).nano < 1_000_000_000n) {
    errors.push(invalidValue(`${path}.maxLimitRequestRatio[${name}]`, ratio, `ratio ${ratio} is less than 1`));
  }
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const most = Number(quantityOf(max).nano) / Number(quantityOf(min).nano);
    if (Number(quantityOf(ratio).nano) / 1e9 > most) {
      const detail = `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`;
      errors.push(invalidValue(`${path}.maxLimitRequestRatio[${name}]`, ratio, detail));
    }
  }
}

function validateLimitRange(object: DraftObject): FieldError[] {
  const errors = metaErrors(object, rules);
  const seen = new Set<string>();
  specOf<LimitRangeSpec>(object).limits?.forEach((limit, index) => {
    const path = `spec.limits[${index}]`;
    const { type = "" } = limit;
    const faults = qualifiedName(type);
    pushFaults(errors, `${path}.type`, type, faults);
    if (faults.length === 0 && !type.includes("/") && !limitTypes.includes(type)) {
      errors.push(invalidValue(`${path}.type`, type, "must be a standard limit type or fully qualified"));
    }
    if (seen.has(type)) errors.push(duplicate(`${path}.type`, type));
    seen.add(type);
    checkLimit(errors, path, limit);
  });
  return errors;
}

/** LimitRange of core/v1. */
export const limitRangeStrategy: Strategy = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  applyDefaults(object): void {
    for (const limit of draftSpec<LimitRangeSpec>(object).limits ?? []) {
      if (limit.type !== "Container") continue;
      limit.default = { ...limit.max, ...limit.default };
      limit.defaultRequest = { ...limit.min, ...limit.default, ...limit.defaultRequest };
      for (const field of ["default", "defaultRequest"] as const) {
        if (Object.keys(limit[field] ?? {}).length === 0) Reflect.deleteProperty(limit, field);
      }
    }
  },
  validate: validateLimitRange,
  validateUpdate: (object) => validateLimitRange(object),
};

interface QuotaSpec {
  hard?: ResourceList;
  scopes?: string[];
  scopeSelector?: { matchExpressions?: { scopeName?: string; operator?: string; values?: string[] }[] };
}

const scopes = [
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
  "VolumeAttributesClass",
];
const pairs = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;
const podResources = /^(pods|(limits\.|requests\.)?(cpu|memory|ephemeral-storage))$/;
const standardResources =
  /^(pods|services.*|resourcequotas|secrets|configmaps|replicationcontrollers|persistentvolumeclaims|(limits\.|requests\.)?(cpu|memory|storage|ephemeral-storage))$/;

/** Whether a scope says something of a resource; names with a prefix are nobody's business. */
function fits(scope: string, name: string): boolean {
  if (!standardResources.test(name) || !scopes.includes(scope)) return true;
  if (scope === "BestEffort") return name === "pods";
  if (scope === "VolumeAttributesClass") return name === "persistentvolumeclaims" || name === "requests.storage";
  return podResources.test(name);
}

function checkHard(errors: FieldError[], path: string, list: ResourceList | undefined): void {
  for (const [name, amount] of Object.entries(list ?? {})) {
    pushQuotaResourceNameErrors(errors, `${path}[${name}]`, name);
    pushAmountErrors(errors, `${path}[${name}]`, { name, amount });
  }
}

function checkQuotaSpec(errors: FieldError[], spec: QuotaSpec): FieldError[] {
  checkHard(errors, "spec.hard", spec.hard);
  const { scopes: given = [], hard = {}, scopeSelector } = spec;
  const names = Object.keys(hard).sort();
  const refuse = (detail: string): void => {
    errors.push(invalidValue("spec.scopes", given, detail));
  };
  for (const scope of given) {
    if (!scopes.includes(scope)) refuse("unsupported scope");
    for (const name of names) if (!fits(scope, name)) refuse("unsupported scope applied to resource");
  }
  for (const [one, other] of pairs) if (given.includes(one) && given.includes(other)) refuse("conflicting scopes");
  if (scopeSelector !== undefined)
    checkScopeSelector(errors, { expressions: scopeSelector.matchExpressions ?? [], names });
  return errors;
}

function checkScopeSelector(
  errors: FieldError[],
  {
    expressions,
    names,
  }: {
    readonly expressions: readonly { scopeName?: string; operator?: string; values?: string[] }[];
    readonly names: readonly string[];
  },
): void {
  const path = "spec.scopeSelector.matchExpressions";
  for (const { scopeName = "", operator = "", values = [] } of expressions) {
    if (!scopes.includes(scopeName)) errors.push(invalidValue(`${path}.scopeName`, scopeName, "unsupported scope"));
    for (const name of names) {
      if (fits(scopeName, name)) continue;
      const printed = {
        MatchExpressions: expressions.map((one) => ({
          ScopeName: one.scopeName ?? "",
          Operator: one.operator ?? "",
          Values: one.values ?? null,
        })),
      };
      errors.push(invalidValue(path, printed, "unsupported scope applied to resource"));
    }
    if (
      scopes.includes(scopeName) &&
      !["PriorityClass", "VolumeAttributesClass"].includes(scopeName) &&
      operator !== "Exists"
    ) {
      const detail =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
      errors.push(invalidValue(`${path}.operator`, operator, detail));
    }
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0) {
        const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
        errors.push(required(`${path}.values`, detail));
      }
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0) {
        const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
        errors.push(invalidValue(`${path}.values`, values, detail));
      }
    } else errors.push(invalidValue(`${path}.operator`, operator, "not a valid selector operator"));
  }
}

/** ResourceQuota of core/v1. */
export const resourceQuotaStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  ...preparesStatus({ empty: {} }),
  validate: (object) => checkQuotaSpec(metaErrors(object, rules), specOf(object)),
  validateUpdate(object, old, { subresource }): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    if (subresource === "status") {
      checkHard(errors, "status.hard", statusOf(object).hard as ResourceList | undefined);
      checkHard(errors, "status.used", statusOf(object).used as ResourceList | undefined);
      return errors;
    }
    const [spec, before] = [specOf<QuotaSpec>(object), specOf<QuotaSpec>(old)];
    checkQuotaSpec(errors, spec);
    const set = ({ scopes: given = [] }: QuotaSpec): string => [...new Set(given)].sort().join();
    if (set(spec) !== set(before)) errors.push(invalidValue("spec.scopes", spec.scopes ?? null, immutableText));
    return errors;
  },
};
