import { parseTime } from "farwatch";
import type { StoredObject } from "../../registry/api-object.ts";
import { convertBuiltIn } from "../../registry/convert-built-in.ts";
import { ageText, sinceText } from "./age-text.ts";
import {
  age,
  aged,
  agedWide,
  type BuiltInColumns,
  type ColumnsByKind,
  containersOf,
  count,
  firstOf,
  labelSelectorText,
  labelsText,
  none,
  orNone,
  type Reading,
  templateWide,
  unset,
} from "./column.ts";

const desired = ["Desired:integer", "Current:integer", "Ready:integer"];

const replicaSet = (selector: (object: Reading["object"]) => string): BuiltInColumns =>
  agedWide(desired, templateWide, (object) => ({
    narrow: [object.spec?.replicas ?? 0, object.status?.replicas ?? 0, object.status?.readyReplicas ?? 0],
    wide: [...containersOf(object.spec?.template?.spec), selector(object)],
  }));

/** The first of these conditions that holds says how a job is; with one that is none of them when it is deleted. */
function jobState({ status = {}, metadata }: Reading["object"]): string {
  const holds = (wanted: string): boolean =>
    (status.conditions ?? []).some(
      ({ type, status: value }: { readonly type: string; readonly status: string }) =>
        type === wanted && value === "True",
    );
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(holds) ?? "Running";
}

function jobDuration({ status = {} }: Reading["object"], nowMs: number): string {
  const started = parseTime(status.startTime ?? "");
  if (started === undefined) return "";
  const ended = parseTime(status.completionTime ?? "")?.getTime() ?? nowMs;
  return ageText(ended - started.getTime());
}

const job: BuiltInColumns = {
  names: ["Status", "Completions", "Duration", "Age", ...templateWide],
  cells(reading) {
    const { spec = {}, status = {} } = reading.object;
    const wanted = spec.completions ?? (spec.parallelism > 1 ? `1 of ${spec.parallelism}` : 1);
    return [
      jobState(reading.object),
      `${status.succeeded ?? 0}/${wanted}`,
      jobDuration(reading.object, reading.nowMs),
      age(reading),
      ...containersOf(spec.template?.spec),
      labelSelectorText(spec.selector),
    ];
  },
};

const cronJob: BuiltInColumns = {
  names: ["Schedule", "Timezone", "Suspend:boolean", "Active:integer", "Last Schedule", "Age", ...templateWide],
  cells(reading) {
    const { spec = {}, status = {} } = reading.object;
    const { spec: job } = spec.jobTemplate ?? {};
    return [
      spec.schedule,
      spec.timeZone ?? none,
      spec.suspend === undefined ? unset : spec.suspend ? "True" : "False",
      count(status.active),
      status.lastScheduleTime === undefined ? none : sinceText(status.lastScheduleTime, reading.nowMs),
      age(reading),
      ...containersOf(job?.template?.spec),
      labelSelectorText(job?.selector),
    ];
  },
};

/** A value that is measured or aimed at. */
interface Metric {
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly value?: string;
}

/** autoscaling/v2 MetricSpec or MetricStatus, with what is aimed at or what is. */
interface AnyMetric {
  readonly type: string;
  readonly [source: string]: unknown;
}

const sources: Readonly<Record<string, string>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

function metricText(spec: AnyMetric, status: AnyMetric | undefined): string {
  const source = sources[spec.type];
  if (source === undefined) return "<unknown type>";
  const { name = "", target } = (spec[source] ?? {}) as { readonly name?: string; readonly target?: Metric };
  const { current } = (status?.[source] ?? {}) as { readonly current?: Metric };
  const known = (text: string | undefined): string => text ?? "<unknown>";
  if (spec.type === "Resource" || spec.type === "ContainerResource") {
    if (target?.averageValue !== undefined) return `${name}: ${known(current?.averageValue)}/${target.averageValue}`;
    const percent = (value: number | undefined): string | undefined => (value === undefined ? value : `${value}%`);
    return `${name}: ${known(percent(current?.averageUtilization))}/${percent(target?.averageUtilization) ?? "<auto>"}`;
  }
  if (spec.type === "Pods") return `${known(current?.averageValue)}/${target?.averageValue ?? ""}`;
  if (target?.averageValue !== undefined) return `${known(current?.averageValue)}/${target.averageValue} (avg)`;
  return `${known(current?.value)}/${target?.value ?? ""}`;
}

/** Version 1 has the one metric of version 2 that it knows in fields of its own. */
function autoscalerCells(object: Reading["object"]): readonly unknown[] {
  const { spec = {}, status = {} }: Reading["object"] = convertBuiltIn(object as StoredObject, "autoscaling/v2");
  const texts = (spec.metrics ?? []).map((metric: AnyMetric, index: number) =>
    metricText(metric, status.currentMetrics?.[index]),
  );
  return [
    `${spec.scaleTargetRef?.kind}/${spec.scaleTargetRef?.name}`,
    orNone(firstOf(texts, { most: 2, separator: ", " })),
    spec.minReplicas === undefined ? unset : String(spec.minReplicas),
    spec.maxReplicas ?? 0,
    status.currentReplicas ?? 0,
  ];
}

/** The object that a revision was made for. */
function controllerText(metadata: Reading["object"]["metadata"]): string {
  const owner = (metadata.ownerReferences ?? []).find(
    ({ controller }: { readonly controller?: boolean }) => controller === true,
  );
  if (owner === undefined) return none;
  const [group = ""] = owner.apiVersion?.includes("/") ? owner.apiVersion.split("/") : [""];
  return `${String(owner.kind ?? "").toLowerCase()}${group === "" ? "" : `.${group}`}/${owner.name}`;
}

/** What runs pods. */
export const workloadColumns: ColumnsByKind = {
  "/PodTemplate": {
    names: ["Containers", "Images", "Pod Labels"],
    cells: ({ object }) => [...containersOf(object.template?.spec), labelsText(object.template?.metadata?.labels)],
  },
  "/ReplicationController": replicaSet(({ spec }) => labelsText(spec?.selector)),
  "apps/ControllerRevision": aged(["Controller", "Revision"], ({ metadata, revision = 0 }) => [
    controllerText(metadata),
    revision,
  ]),
  "apps/DaemonSet": agedWide(
    [...desired, "Up-to-date:integer", "Available:integer", "Node Selector"],
    templateWide,
    ({ spec = {}, status = {} }) => ({
      narrow: [
        status.desiredNumberScheduled ?? 0,
        status.currentNumberScheduled ?? 0,
        status.numberReady ?? 0,
        status.updatedNumberScheduled ?? 0,
        status.numberAvailable ?? 0,
        labelsText(spec.template?.spec?.nodeSelector),
      ],
      wide: [...containersOf(spec.template?.spec), labelSelectorText(spec.selector)],
    }),
  ),
  "apps/Deployment": agedWide(["Ready", "Up-to-date", "Available"], templateWide, ({ spec = {}, status = {} }) => ({
    narrow: [
      `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
      status.updatedReplicas ?? 0,
      status.availableReplicas ?? 0,
    ],
    wide: [...containersOf(spec.template?.spec), labelSelectorText(spec.selector)],
  })),
  "apps/ReplicaSet": replicaSet(({ spec }) => labelSelectorText(spec?.selector)),
  "apps/StatefulSet": agedWide(["Ready"], ["Containers*", "Images*"], ({ spec = {}, status = {} }) => ({
    narrow: [`${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`],
    wide: containersOf(spec.template?.spec),
  })),
  "autoscaling/HorizontalPodAutoscaler": aged(
    ["Reference", "Targets", "MinPods", "MaxPods", "Replicas"],
    autoscalerCells,
  ),
  "autoscaling/Scale": {
    ...aged(["Desired:integer", "Available:integer"], ({ spec = {}, status = {} }) => [
      spec.replicas ?? 0,
      status.replicas ?? 0,
    ]),
    plainName: true,
  },
  "batch/CronJob": cronJob,
  "batch/Job": job,
  "policy/PodDisruptionBudget": aged(
    ["Min Available", "Max Unavailable", "Allowed Disruptions:integer"],
    ({ spec = {}, status = {} }) => [
      spec.minAvailable === undefined ? "N/A" : String(spec.minAvailable),
      spec.maxUnavailable === undefined ? "N/A" : String(spec.maxUnavailable),
      status.disruptionsAllowed ?? 0,
    ],
  ),
};
