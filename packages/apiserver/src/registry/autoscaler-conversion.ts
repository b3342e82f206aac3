import type { JsonObject } from "farwatch";
import { readJson } from "../failure/read-json.ts";
import { isObject } from "../schema/plain-object.ts";
import type { DraftMeta, DraftObject, StoredObject } from "./api-object.ts";

/** Where autoscaling/v1 keeps what it has no fields for. */
const annotation = {
  metrics: "autoscaling.alpha.kubernetes.io/metrics",
  currentMetrics: "autoscaling.alpha.kubernetes.io/current-metrics",
  conditions: "autoscaling.alpha.kubernetes.io/conditions",
  behavior: "autoscaling.alpha.kubernetes.io/behavior",
} as const;

/** A field as autoscaling/v1 writes it in an annotation, and the path of the same in v2. */
type Pair = readonly [flat: string, path: readonly [string, string?]];
type Pairs = Readonly<Record<string, readonly Pair[]>>;

const target = (field: string): readonly [string, string] => ["target", field];
const current = (field: string): readonly [string, string] => ["current", field];
const metricName: Pair = ["metricName", ["metric", "name"]];
const selector: Pair = ["selector", ["metric", "selector"]];
const resource: readonly Pair[] = [
  ["name", ["name"]],
  ["targetAverageUtilization", target("averageUtilization")],
  ["targetAverageValue", target("averageValue")],
];
const currentResource: readonly Pair[] = [
  ["name", ["name"]],
  ["currentAverageUtilization", current("averageUtilization")],
  ["currentAverageValue", current("averageValue")],
];
const container: Pair = ["container", ["container"]];

const metricPairs: Pairs = {
  object: [
    ["target", ["describedObject"]],
    metricName,
    ["targetValue", target("value")],
    selector,
    ["averageValue", target("averageValue")],
  ],
  pods: [metricName, ["targetAverageValue", target("averageValue")], selector],
  resource,
  containerResource: [...resource, container],
  external: [
    metricName,
    ["metricSelector", ["metric", "selector"]],
    ["targetValue", target("value")],
    ["targetAverageValue", target("averageValue")],
  ],
};

const currentMetricPairs: Pairs = {
  object: [
    ["target", ["describedObject"]],
    metricName,
    ["currentValue", current("value")],
    selector,
    ["averageValue", current("averageValue")],
  ],
  pods: [metricName, ["currentAverageValue", current("averageValue")], selector],
  resource: currentResource,
  containerResource: [...currentResource, container],
  external: [
    metricName,
    ["metricSelector", ["metric", "selector"]],
    ["currentValue", current("value")],
    ["currentAverageValue", current("averageValue")],
  ],
};

/** Quantities that autoscaling/v1 cannot leave out. */
const neverAbsent: ReadonlySet<string> = new Set([
  "object.targetValue",
  "object.currentValue",
  "external.currentValue",
]);

function flatMetric(metric: unknown, pairs: Pairs): JsonObject {
  return eachSource(metric, pairs, (source, list, kind) => {
    const flat: Record<string, unknown> = {};
    for (const [name, [first, second]] of list) {
      const outer = source[first];
      const value = second === undefined ? outer : isObject(outer) ? outer[second] : undefined;
      if (value !== undefined) flat[name] = value;
      else if (neverAbsent.has(`${kind}.${name}`)) flat[name] = "0";
    }
    return flat;
  });
}

function deepMetric(metric: unknown, pairs: Pairs): JsonObject {
  return eachSource(metric, pairs, (source, list) => {
    const deep: Record<string, unknown> = {};
    for (const [name, [first, second]] of list) {
      const value = source[name];
      if (value === undefined) continue;
      if (second === undefined) deep[first] = value;
      else deep[first] = { ...(deep[first] as JsonObject | undefined), [second]: value };
    }
    if (isObject(deep.target)) deep.target = { type: targetType(deep.target), ...deep.target };
    return deep;
  });
}

function targetType(goal: JsonObject): string {
  if (goal.averageUtilization !== undefined) return "Utilization";
  return goal.averageValue !== undefined ? "AverageValue" : "Value";
}

function eachSource(
  metric: unknown,
  pairs: Pairs,
  convert: (source: JsonObject, list: readonly Pair[], kind: string) => JsonObject,
): JsonObject {
  const result: Record<string, unknown> = {};
  if (!isObject(metric)) return result;
  if (metric.type !== undefined) result.type = metric.type;
  for (const [kind, list] of Object.entries(pairs)) {
    const source = metric[kind];
    if (isObject(source)) result[kind] = convert(source, list, kind);
  }
  return result;
}

/** The internal type's own field names, which the annotation has: `SelectPolicy`. */
const behaviorFields = {
  rules: ["StabilizationWindowSeconds", "SelectPolicy", "Policies", "Tolerance"],
  policy: ["Type", "Value", "PeriodSeconds"],
} as const;
const lower = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

function internalBehavior(behavior: JsonObject): JsonObject {
  const rules = (value: unknown): unknown => {
    if (!isObject(value)) return null;
    const policies = Array.isArray(value.policies) ? value.policies : null;
    const internal = behaviorFields.rules.map((name) => [name, value[lower(name)] ?? null]);
    return {
      ...Object.fromEntries(internal),
      Policies:
        policies?.map((one: JsonObject) =>
          Object.fromEntries(behaviorFields.policy.map((name) => [name, one[lower(name)]])),
        ) ?? null,
    };
  };
  return { ScaleUp: rules(behavior.scaleUp), ScaleDown: rules(behavior.scaleDown) };
}

/** Names in lower case again, and what is null left out. */
function publicBehavior(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publicBehavior);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(fields.map(([name, inner]) => [lower(name), publicBehavior(inner)]));
}

const isCpuUtilization = (metric: unknown): boolean => {
  const source = isObject(metric) && metric.type === "Resource" ? metric.resource : undefined;
  if (!isObject(source) || source.name !== "cpu") return false;
  const goal = source.target ?? source.current;
  return isObject(goal) && goal.averageUtilization !== undefined;
};

function utilization(metrics: readonly unknown[], of: "current" | "target"): unknown {
  const found = metrics.find(isCpuUtilization) as
    | { readonly resource: Readonly<Record<string, JsonObject>> }
    | undefined;
  return found?.resource[of]?.averageUtilization;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The metadata with these annotations instead of those of the round trip. */
function annotated(meta: DraftMeta | StoredObject["metadata"], added: Readonly<Record<string, string>>): DraftMeta {
  const { annotations, ...rest } = meta;
  const dropped: ReadonlySet<string> = new Set(Object.values(annotation));
  const kept = Object.entries(annotations ?? {}).filter(([name]) => !dropped.has(name));
  const all = [...kept, ...Object.entries(added)].sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...rest, ...(all.length === 0 ? {} : { annotations: Object.fromEntries(all) }) };
}

/** autoscaling/v2 as v1, which keeps the CPU's goal in a field, and all else that it does not know in annotations. */
export function autoscalerToV1(object: DraftObject | StoredObject): DraftObject {
  const [spec, status] = [objectOf(object.spec), objectOf(object.status)];
  const [metrics, currentMetrics] = [list(spec.metrics), list(status.currentMetrics)];
  const others = metrics.filter((metric) => !isCpuUtilization(metric));
  const kept: Record<string, string> = {};
  if (others.length > 0) kept[annotation.metrics] = text(others.map((one) => flatMetric(one, metricPairs)));
  if (currentMetrics.length > 0) {
    kept[annotation.currentMetrics] = text(currentMetrics.map((one) => flatMetric(one, currentMetricPairs)));
  }
  if (isObject(spec.behavior)) kept[annotation.behavior] = text(internalBehavior(spec.behavior));
  if (list(status.conditions).length > 0) kept[annotation.conditions] = text(status.conditions);
  const { metrics: _metrics, behavior: _behavior, ...specRest } = spec;
  const { currentMetrics: _current, conditions: _conditions, ...statusRest } = status;
  return {
    kind: object.kind,
    apiVersion: "autoscaling/v1",
    metadata: annotated(object.metadata, kept),
    spec: defined({ ...specRest, targetCPUUtilizationPercentage: utilization(metrics, "target") }),
    status: defined({
      currentReplicas: 0,
      desiredReplicas: 0,
      ...statusRest,
      currentCPUUtilizationPercentage: utilization(currentMetrics, "current"),
    }),
  };
}

/** autoscaling/v1 as v2; without any goal it is 80 % of the CPU. An annotation that cannot be read is dropped. */
export function autoscalerToV2(object: DraftObject | StoredObject): DraftObject {
  const { targetCPUUtilizationPercentage: goal, ...spec } = objectOf(object.spec);
  const { currentCPUUtilizationPercentage: now, currentReplicas, ...status } = objectOf(object.status);
  const read = (name: string): unknown => parsed(object.metadata.annotations?.[name]);
  const metrics = list(read(annotation.metrics)).map((one) => deepMetric(one, metricPairs));
  const cpu = goal ?? (metrics.length === 0 ? 80 : undefined);
  if (cpu !== undefined) metrics.push(cpuMetric({ target: { type: "Utilization", averageUtilization: cpu } }));
  const behavior = publicBehavior(read(annotation.behavior));
  const kept = list(read(annotation.currentMetrics)).map((one) => deepMetric(one, currentMetricPairs));
  const known = kept.length > 0 || now === undefined ? kept : [cpuMetric({ current: { averageUtilization: now } })];
  const conditions = read(annotation.conditions);
  return {
    kind: object.kind,
    apiVersion: "autoscaling/v2",
    metadata: annotated(object.metadata, {}),
    spec: { ...spec, metrics, ...(isObject(behavior) && Object.keys(behavior).length > 0 ? { behavior } : {}) },
    status: {
      // v1 always writes both, v2 this one only where there are any.
      ...(currentReplicas ? { currentReplicas } : {}),
      desiredReplicas: 0,
      ...status,
      currentMetrics: known.length === 0 ? null : known,
      ...(Array.isArray(conditions) && conditions.length > 0 ? { conditions } : {}),
    },
  };
}

function cpuMetric(value: JsonObject): JsonObject {
  return { type: "Resource", resource: { name: "cpu", ...value } };
}

function text(value: unknown): string {
  return JSON.stringify(value);
}

function parsed(value: string | undefined): unknown {
  if (value === undefined) return undefined;
  try {
    return readJson(value);
  } catch {
    return undefined;
  }
}

function defined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
