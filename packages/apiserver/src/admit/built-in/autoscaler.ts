import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import type { DraftObject } from "../../registry/api-object.ts";
import { checkNonNegative, negativeText } from "../field-check.ts";
import { dnsLabel, dnsSubdomain, pathSegment } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import type { Strategy } from "../strategy.ts";
import { draftSpec, keepField, metaErrors, metaUpdateErrors, setDefault, specOf, statusOf } from "./object-kind.ts";
import { quantityOf } from "./resource-check.ts";

interface ObjectReference {
  kind?: string;
  name?: string;
  apiVersion?: string;
}

interface MetricTarget {
  type?: string;
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

interface MetricSource {
  name?: string;
  container?: string;
  metric?: { name?: string };
  describedObject?: ObjectReference;
  target?: MetricTarget;
}

interface MetricSpec {
  type?: string;
  object?: MetricSource;
  external?: MetricSource;
  pods?: MetricSource;
  resource?: MetricSource;
  containerResource?: MetricSource;
}

interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: { type?: string; value?: number; periodSeconds?: number }[];
  tolerance?: string;
}

interface AutoscalerSpec {
  scaleTargetRef?: ObjectReference;
  minReplicas?: number;
  maxReplicas?: number;
  /** Of autoscaling/v1 alone. */
  targetCPUUtilizationPercentage?: number;
  metrics?: MetricSpec[];
  behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
}

const defaultUtilization = 80;

function applyDefaults(object: DraftObject): void {
  const spec = draftSpec<AutoscalerSpec>(object);
  setDefault(spec, "minReplicas", 1);
  if (object.apiVersion === "autoscaling/v1") {
    const metrics = object.metadata.annotations?.["autoscaling.alpha.kubernetes.io/metrics"];
    if (metrics === undefined) setDefault(spec, "targetCPUUtilizationPercentage", defaultUtilization);
    return;
  }
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: "Utilization", averageUtilization: defaultUtilization };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  if (spec.behavior === undefined) return;
  const percent = { type: "Percent", value: 100, periodSeconds: 15 };
  spec.behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, percent],
    ...spec.behavior.scaleUp,
  };
  spec.behavior.scaleDown = { selectPolicy: "Max", policies: [percent], ...spec.behavior.scaleDown };
}

function checkReference(
  errors: FieldError[],
  path: string,
  { reference, version }: { readonly reference: ObjectReference; readonly version: "any" | "core" | "grouped" },
): void {
  const { kind = "", name = "", apiVersion = "" } = reference;
  for (const [field, text] of [
    ["kind", kind],
    ["name", name],
  ] as const) {
    if (text === "") errors.push(required(`${path}.${field}`));
    else pushFaults(errors, `${path}.${field}`, text, pathSegment(text));
  }
  const parts = apiVersion.split("/");
  if (version === "any") return;
  if (parts.length > 2) {
    errors.push(invalidValue(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else if (version === "grouped" && parts.length < 2) {
    errors.push(invalidValue(`${path}.apiVersion`, apiVersion, "apiVersion must specify API group"));
  }
}

/** In the order in which the real server looks at them. */
const sources = ["object", "external", "pods", "resource", "containerResource"] as const;
const fieldOfType: Readonly<Record<string, (typeof sources)[number]>> = {
  Object: "object",
  External: "external",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
};
const metricTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];

function checkMetric(errors: FieldError[], path: string, metric: MetricSpec): void {
  const { type = "" } = metric;
  const field = Object.hasOwn(fieldOfType, type) ? fieldOfType[type] : undefined;
  if (type === "") errors.push(required(`${path}.type`, "must specify a metric source type"));
  if (field === undefined) errors.push(notSupported(`${path}.type`, type, metricTypes));
  const given = sources.filter((source) => metric[source] !== undefined);
  const [first] = given;
  if (first !== undefined) checkSource(errors, `${path}.${first}`, { kind: first, source: metric[first] ?? {} });
  if (field === undefined) errors.push(notSupported(`${path}.type`, type, metricTypes));
  else if (metric[field] === undefined) {
    errors.push(required(`${path}.${field}`, "must populate information for the given metric source"));
  }
  if (given.length === 1) return;
  for (const other of given) {
    if (other !== field) errors.push(forbiddenField(`${path}.${other}`, "must populate the given metric source only"));
  }
}

function checkSource(
  errors: FieldError[],
  path: string,
  { kind, source }: { readonly kind: (typeof sources)[number]; readonly source: MetricSource },
): void {
  const { target = {}, metric = {}, name = "", container = "" } = source;
  const { value, averageValue, averageUtilization } = target;
  if (kind === "object") {
    checkReference(errors, `${path}.describedObject`, { reference: source.describedObject ?? {}, version: "core" });
  }
  if (kind === "object" || kind === "external" || kind === "pods") {
    if ((metric.name ?? "") === "") errors.push(required(`${path}.metric.name`, "must specify a metric name"));
    else pushFaults(errors, `${path}.metric.name`, metric.name, pathSegment(metric.name ?? ""));
  } else if (name === "") errors.push(required(`${path}.name`, "must specify a resource name"));
  if (kind === "containerResource") {
    if (container === "") errors.push(required(`${path}.container`, "must specify a container"));
    else pushFaults(errors, `${path}.container`, container, dnsLabel(container));
  }
  checkTarget(errors, `${path}.target`, target);
  const missing = (field: string, detail: string): void => {
    errors.push(required(`${path}.target.${field}`, detail));
  };
  if (kind === "object" || kind === "external") {
    const what = kind === "object" ? "averageValue" : "a per-pod target";
    if (value === undefined && averageValue === undefined) {
      missing(
        "averageValue",
        kind === "object"
          ? `must set either a target value or ${what}`
          : `must set either a target value for metric or ${what}`,
      );
    } else if (kind === "external" && value !== undefined && averageValue !== undefined) {
      const detail = "may not set both a target value for metric and a per-pod target";
      errors.push(forbiddenField(`${path}.target.value`, detail));
    }
  } else if (kind === "pods") {
    if (averageValue === undefined) missing("averageValue", "must specify a positive target averageValue");
  } else if (averageUtilization === undefined && averageValue === undefined) {
    missing("averageUtilization", "must set either a target raw value or a target utilization");
  } else if (averageUtilization !== undefined && averageValue !== undefined) {
    const detail = "may not set both a target raw value and a target utilization";
    errors.push(forbiddenField(`${path}.target.averageValue`, detail));
  }
}

function checkTarget(
  errors: FieldError[],
  path: string,
  { type = "", value, averageValue, averageUtilization }: MetricTarget,
): void {
  if (type === "") errors.push(required(`${path}.type`, "must specify a metric target type"));
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    errors.push(invalidValue(`${path}.type`, type, "must be either Utilization, Value, or AverageValue"));
  }
  for (const [field, amount] of [
    ["value", value],
    ["averageValue", averageValue],
  ] as const) {
    if (amount !== undefined && quantityOf(amount).nano <= 0n)
      errors.push(invalidValue(`${path}.${field}`, amount, "must be positive"));
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(invalidValue(`${path}.averageUtilization`, averageUtilization, "must be greater than 0"));
  }
}

function checkRules(errors: FieldError[], path: string, rules: ScalingRules | undefined): void {
  if (rules === undefined) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules;
  const at = `${path}.stabilizationWindowSeconds`;
  if (window !== undefined && window < 0)
    errors.push(invalidValue(at, window, "must be greater than or equal to zero"));
  if (window !== undefined && window > 3_600)
    errors.push(invalidValue(at, window, "must be less than or equal to 3600"));
  const selections = ["Disabled", "Max", "Min"];
  if (selectPolicy !== undefined && !selections.includes(selectPolicy)) {
    errors.push(notSupported(`${path}.selectPolicy`, selectPolicy, selections));
  }
  if (policies.length === 0) errors.push(required(`${path}.policies`, "must specify at least one Policy"));
  policies.forEach(({ type = "", value = 0, periodSeconds = 0 }, index) => {
    const field = `${path}.policies[${index}]`;
    if (type !== "Pods" && type !== "Percent") errors.push(notSupported(`${field}.type`, type, ["Percent", "Pods"]));
    if (value <= 0) errors.push(invalidValue(`${field}.value`, value, "must be greater than zero"));
    if (periodSeconds <= 0)
      errors.push(invalidValue(`${field}.periodSeconds`, periodSeconds, "must be greater than zero"));
    if (periodSeconds > 1_800) {
      errors.push(invalidValue(`${field}.periodSeconds`, periodSeconds, "must be less than or equal to 1800"));
    }
  });
  if (tolerance !== undefined && quantityOf(tolerance).nano < 0n) {
    errors.push(invalidValue(`${path}.tolerance`, tolerance, negativeText));
  }
}

function checkScaled(errors: FieldError[], reference: ObjectReference, old: ObjectReference | undefined): void {
  const { kind = "", apiVersion = "" } = reference;
  const isOld = old !== undefined && (old.apiVersion ?? "") === apiVersion && (old.kind ?? "") === kind;
  // The one kind of the core group that scales.
  const version = isOld ? "any" : kind === "ReplicationController" ? "core" : "grouped";
  checkReference(errors, "spec.scaleTargetRef", { reference, version });
}

function checkSpec(errors: FieldError[], spec: AutoscalerSpec, old?: AutoscalerSpec): FieldError[] {
  const { minReplicas, maxReplicas = 0, metrics = [], behavior } = spec;
  if (minReplicas !== undefined && minReplicas < 1) {
    errors.push(invalidValue("spec.minReplicas", minReplicas, "must be greater than or equal to 1"));
  }
  if (maxReplicas < 1) errors.push(invalidValue("spec.maxReplicas", maxReplicas, "must be greater than 0"));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalidValue("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`"));
  }
  checkScaled(errors, spec.scaleTargetRef ?? {}, old?.scaleTargetRef);
  metrics.forEach((metric, index) => {
    checkMetric(errors, `spec.metrics[${index}]`, metric);
  });
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const detail = "must specify at least one Object or External metric to support scaling to zero replicas";
    errors.push(forbiddenField("spec.metrics", detail));
  }
  checkRules(errors, "spec.behavior.scaleUp", behavior?.scaleUp);
  checkRules(errors, "spec.behavior.scaleDown", behavior?.scaleDown);
  return errors;
}

/** HorizontalPodAutoscaler of autoscaling, in both its versions. */
export const horizontalPodAutoscalerStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  applyDefaults,
  prepareForCreate(object): void {
    const isOld = object.apiVersion === "autoscaling/v1";
    object.status = isOld ? { currentReplicas: 0, desiredReplicas: 0 } : { desiredReplicas: 0, currentMetrics: null };
  },
  prepareForUpdate(object, old, { subresource }): void {
    keepField(object, old, subresource === "status" ? "spec" : "status");
  },
  validate: (object) => checkSpec(metaErrors(object, { namespaced: true, nameRule: dnsSubdomain }), specOf(object)),
  validateUpdate(object, old, { subresource }): FieldError[] {
    const errors = metaUpdateErrors(object, old);
    if (subresource === undefined) return checkSpec(errors, specOf(object), specOf(old));
    for (const field of ["currentReplicas", "desiredReplicas"]) {
      checkNonNegative(errors, `status.${field}`, (statusOf(object)[field] ?? 0) as number);
    }
    return errors;
  },
};
