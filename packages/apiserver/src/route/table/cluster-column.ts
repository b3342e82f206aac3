import { sinceText } from "./age-text.ts";
import { age, aged, type BuiltInColumns, type ColumnsByKind, orNone, type Reading } from "./column.ts";

const unknown = "<unknown>";

function eventCells({ object, nowMs }: Reading): readonly unknown[] {
  const involved = object.involvedObject ?? object.regarding ?? {};
  const source = object.source ?? object.deprecatedSource ?? {};
  const { series } = object;
  const seen = (time: unknown): string | undefined => (time ? sinceText(time, nowMs) : undefined);
  const first = seen(object.firstTimestamp ?? object.deprecatedFirstTimestamp) ?? seen(object.eventTime) ?? unknown;
  const last = seen(series?.lastObservedTime) ?? seen(object.lastTimestamp ?? object.deprecatedLastTimestamp) ?? first;
  const component = source.component || object.reportingComponent || object.reportingController || "";
  const instance = source.host || object.reportingInstance || "";
  const kind = String(involved.kind ?? "").toLowerCase();
  return [
    last,
    object.type ?? "",
    object.reason ?? "",
    (involved.name ?? "") === "" ? kind : `${kind}/${involved.name}`,
    involved.fieldPath ?? "",
    instance === "" ? component : `${component}, ${instance}`,
    String(object.message ?? object.note ?? "").trim(),
    first,
    // An event that stands for itself has no count.
    series?.count ?? ((object.count ?? object.deprecatedCount) || 1),
    object.metadata.name,
  ];
}

const event: BuiltInColumns = {
  names: ["Last Seen", "Type", "Reason", "Object", "Subobject*", "Source*", "Message", "First Seen*", "Count*"],
  nameLast: true,
  cells: eventCells,
};

function rolesOf(labels: Readonly<Record<string, string>>): string {
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    const role = /^node-role\.kubernetes\.io\/(.+)$/.exec(key)?.[1] ?? (key === "kubernetes.io/role" ? value : "");
    return role === "" ? [] : [role];
  });
  return orNone([...new Set(roles)].sort().join(","));
}

const node: BuiltInColumns = {
  names: [
    "Status",
    "Roles",
    "Age",
    "Version",
    "Internal-IP*",
    "External-IP*",
    "OS-Image*",
    "Kernel-Version*",
    "Container-Runtime*",
  ],
  cells(reading) {
    const { spec = {}, status = {}, metadata } = reading.object;
    const condition = (status.conditions ?? []).find(({ type }: { readonly type: string }) => type === "Ready");
    const ready = condition === undefined ? "Unknown" : condition.status === "True" ? "Ready" : "NotReady";
    const address = (wanted: string): string =>
      orNone((status.addresses ?? []).find(({ type }: { readonly type: string }) => type === wanted)?.address);
    const info = status.nodeInfo ?? {};
    return [
      spec.unschedulable === true ? `${ready},SchedulingDisabled` : ready,
      rolesOf(metadata.labels ?? {}),
      age(reading),
      info.kubeletVersion ?? "",
      address("InternalIP"),
      address("ExternalIP"),
      info.osImage || unknown,
      info.kernelVersion || unknown,
      info.containerRuntimeVersion || unknown,
    ];
  },
};

function quotaText(object: Reading["object"], limits: boolean): string {
  return Object.keys(object.status?.hard ?? {})
    .sort()
    .filter((name) => name.startsWith("limits.") === limits)
    .map((name) => `${name}: ${object.status.used?.[name] ?? "0"}/${object.status.hard[name]}`)
    .join(", ");
}

/** The cluster itself, its parts, and what happens in it. */
export const clusterColumns: ColumnsByKind = {
  "/Event": event,
  "events.k8s.io/Event": event,
  "/Namespace": aged(["Status"], ({ status }) => [status?.phase ?? ""]),
  "/Node": node,
  "/ResourceQuota": aged(["Request", "Limit"], (object) => [quotaText(object, false), quotaText(object, true)]),
  "coordination.k8s.io/Lease": aged(["Holder"], ({ spec = {} }) => [spec.holderIdentity ?? ""]),
  "scheduling.k8s.io/PriorityClass": {
    names: ["Value:integer", "Global-Default:boolean", "Age", "PreemptionPolicy"],
    cells: (reading) => [
      reading.object.value ?? 0,
      reading.object.globalDefault ?? false,
      age(reading),
      reading.object.preemptionPolicy ?? "",
    ],
  },
};
