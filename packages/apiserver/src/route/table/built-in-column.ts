import { parseTime } from "farwatch";
import { ageText, sinceText } from "./age-text.ts";

/** The columns of a built-in kind beside its name, and what stands in them. */
export interface BuiltInColumns {
  /** `Ready`, `Desired:integer`, `Images*`: with `*` shown only in wide output; the type is a string where none is named. */
  readonly names: readonly string[];
  cells(object: Reading): readonly unknown[];
  /** True: the name is a last, wide column, as of Events. */
  readonly nameLast?: boolean;
}

/** An object as columns read it: any field, absent ones as undefined. */
export interface Reading {
  // biome-ignore lint/suspicious/noExplicitAny: columns read fields of thirty kinds, which the API has checked
  readonly object: any;
  readonly nowMs: number;
}

const none = "<none>";
const unknown = "<unknown>";

const age = ({ object, nowMs }: Reading): string => sinceText(object.metadata.creationTimestamp, nowMs);
const orNone = (text: string | undefined): string => (text === undefined || text === "" ? none : text);
const count = (value: Readonly<Record<string, unknown>> | readonly unknown[] | undefined): number =>
  value === undefined ? 0 : Object.keys(value).length;

function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  return orNone(
    Object.entries(labels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(","),
  );
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

function selectorText(selector: Selector | undefined): string {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator === "In" ? "in" : "notin"} (${[...values].sort().join(",")})`;
  });
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  return orNone([...labels, ...expressions].sort().join(","));
}

interface Containers {
  readonly containers?: readonly { readonly name: string; readonly image?: string }[];
}

const containersOf = (spec: Containers | undefined): readonly [string, string] => [
  (spec?.containers ?? []).map(({ name }) => name).join(","),
  (spec?.containers ?? []).map(({ image }) => image ?? "").join(","),
];

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};
const modesText = (all: readonly string[] | undefined): string =>
  (all ?? []).map((mode) => modes[mode] ?? mode).join(",");

const aged = (names: readonly string[], cells: (object: Reading["object"]) => readonly unknown[]): BuiltInColumns => ({
  names: [...names, "Age"],
  cells: (reading) => [...cells(reading.object), age(reading)],
});

const createdAt: BuiltInColumns = {
  names: ["Created At:date"],
  cells: ({ object }) => [object.metadata.creationTimestamp],
};

/** The age stands before the columns of wide output. */
function workload(
  names: readonly string[],
  wide: readonly string[],
  cells: (object: Reading["object"]) => { readonly narrow: readonly unknown[]; readonly wide: readonly unknown[] },
): BuiltInColumns {
  return {
    names: [...names, "Age", ...wide],
    cells: (reading) => {
      const { narrow, wide: more } = cells(reading.object);
      return [...narrow, age(reading), ...more];
    },
  };
}

const templateWide = ["Containers*", "Images*", "Selector*"];

function eventCells({ object, nowMs }: Reading): readonly unknown[] {
  const involved = object.involvedObject ?? object.regarding ?? {};
  const series = object.series;
  const first = object.firstTimestamp ?? object.deprecatedFirstTimestamp ?? object.eventTime;
  const last = object.lastTimestamp ?? object.deprecatedLastTimestamp;
  const firstSeen = first === undefined || first === null ? unknown : sinceText(first, nowMs);
  const lastSeen = series?.lastObservedTime ?? last;
  const source = object.source ?? object.deprecatedSource ?? {};
  const reporter = object.reportingComponent ?? object.reportingController ?? "";
  const times = series?.count ?? object.count ?? object.deprecatedCount ?? 0;
  return [
    lastSeen === undefined || lastSeen === null ? firstSeen : sinceText(lastSeen, nowMs),
    object.type ?? "",
    object.reason ?? "",
    `${String(involved.kind ?? "").toLowerCase()}/${involved.name ?? ""}`,
    involved.fieldPath ?? "",
    [source.component ?? reporter, source.host].filter((part) => part !== undefined && part !== "").join(", "),
    String(object.message ?? object.note ?? "").trim(),
    firstSeen,
    String(times === 0 ? 1 : times),
    object.metadata.name,
  ];
}

const event: BuiltInColumns = {
  names: ["Last Seen", "Type", "Reason", "Object", "Subobject*", "Source*", "Message", "First Seen*", "Count*"],
  nameLast: true,
  cells: eventCells,
};

function podCells(reading: Reading): readonly unknown[] {
  const { spec = {}, status = {}, metadata } = reading.object;
  const containers = spec.containers ?? [];
  const states = status.containerStatuses ?? [];
  const ready = states.filter((state: { readonly ready?: boolean }) => state.ready === true).length;
  const restarts = states.reduce(
    (sum: number, state: { readonly restartCount?: number }) => sum + (state.restartCount ?? 0),
    0,
  );
  const waiting = states.find(
    (state: { readonly state?: { readonly waiting?: object } }) => state.state?.waiting !== undefined,
  );
  const phase = status.reason ?? waiting?.state.waiting.reason ?? status.phase ?? "";
  return [
    `${ready}/${containers.length}`,
    metadata.deletionTimestamp === undefined ? phase : "Terminating",
    String(restarts),
    age(reading),
    orNone(status.podIP),
    orNone(spec.nodeName),
    orNone(status.nominatedNodeName),
    none,
  ];
}

function serviceCells(reading: Reading): readonly unknown[] {
  const { spec = {}, status = {} } = reading.object;
  const ports = (spec.ports ?? []).map(
    ({
      port,
      protocol = "TCP",
      nodePort,
    }: {
      readonly port: number;
      readonly protocol?: string;
      readonly nodePort?: number;
    }) => (nodePort === undefined || nodePort === 0 ? `${port}/${protocol}` : `${port}:${nodePort}/${protocol}`),
  );
  const addresses = (status.loadBalancer?.ingress ?? []).map(
    ({ ip, hostname }: { readonly ip?: string; readonly hostname?: string }) => ip ?? hostname ?? "",
  );
  const external = [
    ...(spec.type === "ExternalName" ? [spec.externalName] : []),
    ...addresses,
    ...(spec.externalIPs ?? []),
  ];
  const pending = spec.type === "LoadBalancer" && external.length === 0 ? "<pending>" : none;
  return [
    spec.type ?? "ClusterIP",
    orNone(spec.clusterIP),
    external.length === 0 ? pending : external.join(","),
    orNone(ports.join(",")),
    age(reading),
    labelsText(spec.selector),
  ];
}

function nodeCells(reading: Reading): readonly unknown[] {
  const { spec = {}, status = {}, metadata } = reading.object;
  const condition = (status.conditions ?? []).find(({ type }: { readonly type: string }) => type === "Ready");
  const ready = condition === undefined ? "Unknown" : condition.status === "True" ? "Ready" : "NotReady";
  const roles = Object.keys(metadata.labels ?? {}).flatMap(
    (key) => /^node-role\.kubernetes\.io\/(.+)$/.exec(key)?.[1] ?? [],
  );
  const address = (wanted: string): string =>
    orNone((status.addresses ?? []).find(({ type }: { readonly type: string }) => type === wanted)?.address);
  const info = status.nodeInfo ?? {};
  return [
    spec.unschedulable === true ? `${ready},SchedulingDisabled` : ready,
    orNone(roles.sort().join(",")),
    age(reading),
    info.kubeletVersion ?? "",
    address("InternalIP"),
    address("ExternalIP"),
    info.osImage || unknown,
    info.kernelVersion || unknown,
    info.containerRuntimeVersion || unknown,
  ];
}

function jobCells(reading: Reading): readonly unknown[] {
  const { spec = {}, status = {}, metadata } = reading.object;
  const done = status.succeeded ?? 0;
  const wanted = spec.completions ?? (spec.parallelism > 1 ? `1 of ${spec.parallelism}` : 1);
  const has = (wantedType: string): boolean =>
    (status.conditions ?? []).some(
      ({ type, status: value }: { readonly type: string; readonly status: string }) =>
        type === wantedType && value === "True",
    );
  const state = has("Complete")
    ? "Complete"
    : has("Failed")
      ? "Failed"
      : metadata.deletionTimestamp !== undefined
        ? "Terminating"
        : has("Suspended")
          ? "Suspended"
          : has("FailureTarget")
            ? "FailureTarget"
            : has("SuccessCriteriaMet")
              ? "SuccessCriteriaMet"
              : "Running";
  const started = parseTime(status.startTime ?? "")?.getTime() ?? Number.NaN;
  const ended =
    status.completionTime === undefined
      ? reading.nowMs
      : (parseTime(status.completionTime)?.getTime() ?? reading.nowMs);
  const [names, images] = containersOf(spec.template?.spec);
  return [
    state,
    `${done}/${wanted}`,
    Number.isNaN(started) ? "" : ageText(ended - started),
    age(reading),
    names,
    images,
    selectorText(spec.selector),
  ];
}

function bindingCells(reading: Reading): readonly unknown[] {
  const { roleRef, subjects = [] } = reading.object;
  const of = (kind: string): string =>
    subjects
      .filter((subject: { readonly kind: string }) => subject.kind === kind)
      .map(({ name, namespace }: { readonly name: string; readonly namespace?: string }) =>
        kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name,
      )
      .join(", ");
  return [`${roleRef.kind}/${roleRef.name}`, age(reading), of("User"), of("Group"), of("ServiceAccount")];
}

const binding: BuiltInColumns = {
  names: ["Role", "Age", "Users*", "Groups*", "ServiceAccounts*"],
  cells: bindingCells,
};

const desired = ["Desired:integer", "Current:integer", "Ready:integer"];
/** `NAMESPACE/NAME`, or a selector as Go prints the type. */
function paramReference(reference: Reading["object"] | undefined): string {
  const { name, namespace = "*", selector } = reference ?? {};
  if (name !== undefined) return `${namespace}/${name}`;
  if (selector === undefined) return "<unset>";
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort()
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }: { readonly key: string; readonly operator: string; readonly values?: string[] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}

const webhooks = aged(["Webhooks:integer"], (object) => [count(object.webhooks)]);

const replicaSet = (selector: (object: Reading["object"]) => string): BuiltInColumns =>
  workload(desired, templateWide, (object) => ({
    narrow: [object.spec?.replicas ?? 0, object.status?.replicas ?? 0, object.status?.readyReplicas ?? 0],
    wide: [...containersOf(object.spec?.template?.spec), selector(object)],
  }));

const quotaText = (object: Reading["object"], limits: boolean): string =>
  Object.keys(object.status?.hard ?? {})
    .sort()
    .filter((name) => name.startsWith("limits.") === limits)
    .map((name) => `${name}: ${object.status.used?.[name] ?? "0"}/${object.status.hard[name]}`)
    .join(", ");

const columns: Readonly<Record<string, BuiltInColumns>> = {
  "/ConfigMap": aged(["Data"], ({ data, binaryData }) => [count(data) + count(binaryData)]),
  "/Endpoints": aged(["Endpoints"], ({ subsets = [] }) => [
    orNone(
      subsets
        .flatMap(
          ({
            addresses = [],
            ports = [],
          }: {
            readonly addresses?: readonly { ip: string }[];
            readonly ports?: readonly { port: number }[];
          }) => addresses.flatMap(({ ip }) => (ports.length === 0 ? [ip] : ports.map(({ port }) => `${ip}:${port}`))),
        )
        .slice(0, 3)
        .join(","),
    ),
  ]),
  "/Event": event,
  "events.k8s.io/Event": event,
  "/Namespace": aged(["Status"], ({ status }) => [status?.phase ?? ""]),
  "/Node": {
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
    cells: nodeCells,
  },
  "/PersistentVolumeClaim": workload(
    ["Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass"],
    ["VolumeMode*"],
    ({ spec = {}, status = {}, metadata }) => ({
      narrow: [
        metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
        spec.volumeName ?? "",
        spec.volumeName ? (status.capacity?.storage ?? "") : "",
        spec.volumeName ? modesText(status.accessModes) : "",
        spec.storageClassName ?? "",
        spec.volumeAttributesClassName ?? "<unset>",
      ],
      wide: [spec.volumeMode ?? "<unset>"],
    }),
  ),
  "/PersistentVolume": workload(
    [
      "Capacity",
      "Access Modes",
      "Reclaim Policy",
      "Status",
      "Claim",
      "StorageClass",
      "VolumeAttributesClass",
      "Reason",
    ],
    ["VolumeMode*"],
    ({ spec = {}, status = {}, metadata }) => ({
      narrow: [
        spec.capacity?.storage ?? "",
        modesText(spec.accessModes),
        spec.persistentVolumeReclaimPolicy ?? "",
        metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
        spec.claimRef === undefined ? "" : `${spec.claimRef.namespace}/${spec.claimRef.name}`,
        spec.storageClassName ?? "",
        spec.volumeAttributesClassName ?? "<unset>",
        status.reason ?? "",
      ],
      wide: [spec.volumeMode ?? "<unset>"],
    }),
  ),
  "/Pod": {
    names: ["Ready", "Status", "Restarts", "Age", "IP*", "Node*", "Nominated Node*", "Readiness Gates*"],
    cells: podCells,
  },
  "/PodTemplate": {
    names: ["Containers", "Images", "Pod Labels"],
    cells: ({ object }) => [...containersOf(object.template?.spec), labelsText(object.template?.metadata?.labels)],
  },
  "/ReplicationController": replicaSet(({ spec }) => labelsText(spec?.selector)),
  "/ResourceQuota": aged(["Request", "Limit"], (object) => [quotaText(object, false), quotaText(object, true)]),
  "/Secret": aged(["Type", "Data"], ({ type = "", data }) => [type, count(data)]),
  "/ServiceAccount": aged([], () => []),
  "/Service": {
    names: ["Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector*"],
    cells: serviceCells,
  },
  "apps/ControllerRevision": aged(["Controller", "Revision"], ({ metadata, revision = 0 }) => {
    const owner = (metadata.ownerReferences ?? []).find(
      ({ controller }: { readonly controller?: boolean }) => controller === true,
    );
    const [group = ""] = owner?.apiVersion?.includes("/") ? owner.apiVersion.split("/") : [""];
    const kind = String(owner?.kind ?? "").toLowerCase();
    return [owner === undefined ? none : `${kind}${group === "" ? "" : `.${group}`}/${owner.name}`, revision];
  }),
  "apps/DaemonSet": workload(
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
      wide: [...containersOf(spec.template?.spec), selectorText(spec.selector)],
    }),
  ),
  "apps/Deployment": workload(["Ready", "Up-to-date", "Available"], templateWide, ({ spec = {}, status = {} }) => ({
    narrow: [
      `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
      status.updatedReplicas ?? 0,
      status.availableReplicas ?? 0,
    ],
    wide: [...containersOf(spec.template?.spec), selectorText(spec.selector)],
  })),
  "apps/ReplicaSet": replicaSet(({ spec }) => selectorText(spec?.selector)),
  "apps/StatefulSet": workload(["Ready"], ["Containers*", "Images*"], ({ spec = {}, status = {} }) => ({
    narrow: [`${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`],
    wide: containersOf(spec.template?.spec),
  })),
  "autoscaling/HorizontalPodAutoscaler": aged(
    ["Reference", "Targets", "MinPods", "MaxPods", "Replicas"],
    ({ spec = {}, status = {} }) => [
      `${spec.scaleTargetRef?.kind}/${spec.scaleTargetRef?.name}`,
      targetsText(spec, status),
      spec.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
      spec.maxReplicas ?? 0,
      status.currentReplicas ?? 0,
    ],
  ),
  "autoscaling/Scale": aged(["Desired:integer", "Available:integer"], ({ spec = {}, status = {} }) => [
    spec.replicas ?? 0,
    status.replicas ?? 0,
  ]),
  "batch/CronJob": {
    names: ["Schedule", "Timezone", "Suspend:boolean", "Active:integer", "Last Schedule", "Age", ...templateWide],
    cells: (reading) => {
      const { spec = {}, status = {} } = reading.object;
      const last = status.lastScheduleTime === undefined ? none : sinceText(status.lastScheduleTime, reading.nowMs);
      return [
        spec.schedule,
        spec.timeZone ?? none,
        spec.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
        count(status.active),
        last,
        age(reading),
        ...containersOf(spec.jobTemplate?.spec?.template?.spec),
        selectorText(spec.jobTemplate?.spec?.selector),
      ];
    },
  },
  "batch/Job": { names: ["Status", "Completions", "Duration", "Age", ...templateWide], cells: jobCells },
  "networking.k8s.io/IngressClass": aged(["Controller", "Parameters"], ({ spec = {} }) => [
    spec.controller ?? "",
    spec.parameters === undefined
      ? none
      : `${spec.parameters.kind}${spec.parameters.apiGroup ? `.${spec.parameters.apiGroup}` : ""}/${spec.parameters.name}`,
  ]),
  "networking.k8s.io/Ingress": aged(["Class", "Hosts", "Address", "Ports"], ({ spec = {}, status = {} }) => {
    const hosts = (spec.rules ?? []).flatMap(({ host }: { readonly host?: string }) => (host ? [host] : []));
    const addresses = (status.loadBalancer?.ingress ?? []).map(
      ({ ip, hostname }: { readonly ip?: string; readonly hostname?: string }) => ip ?? hostname ?? "",
    );
    return [
      orNone(spec.ingressClassName),
      hosts.length === 0
        ? "*"
        : hosts.length > 3
          ? `${hosts.slice(0, 3).join(",")} + ${hosts.length - 3} more...`
          : hosts.join(","),
      addresses.join(","),
      count(spec.tls) > 0 ? "80, 443" : "80",
    ];
  }),
  "networking.k8s.io/IPAddress": {
    names: ["ParentRef"],
    cells: ({ object }) => {
      const { group, resource, namespace, name } = object.spec?.parentRef ?? {};
      return [[group, resource, namespace, name].filter(Boolean).join("/")];
    },
  },
  "networking.k8s.io/NetworkPolicy": aged(["Pod-Selector"], ({ spec = {} }) => [selectorText(spec.podSelector)]),
  "networking.k8s.io/ServiceCIDR": aged(["CIDRs"], ({ spec = {} }) => [(spec.cidrs ?? []).join(",")]),
  "policy/PodDisruptionBudget": aged(
    ["Min Available", "Max Unavailable", "Allowed Disruptions:integer"],
    ({ spec = {}, status = {} }) => [
      spec.minAvailable === undefined ? "N/A" : String(spec.minAvailable),
      spec.maxUnavailable === undefined ? "N/A" : String(spec.maxUnavailable),
      status.disruptionsAllowed ?? 0,
    ],
  ),
  "rbac.authorization.k8s.io/ClusterRoleBinding": binding,
  "rbac.authorization.k8s.io/RoleBinding": binding,
  "storage.k8s.io/StorageClass": aged(
    ["Provisioner", "ReclaimPolicy", "VolumeBindingMode", "AllowVolumeExpansion"],
    ({ provisioner, reclaimPolicy = "Delete", volumeBindingMode = "Immediate", allowVolumeExpansion = false }) => [
      provisioner,
      reclaimPolicy,
      volumeBindingMode,
      allowVolumeExpansion,
    ],
  ),
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": aged(
    ["Validations:integer", "ParamKind"],
    ({ spec: { validations, paramKind } = {} }) => [
      count(validations),
      paramKind === undefined ? "<unset>" : `${paramKind.apiVersion}/${paramKind.kind}`,
    ],
  ),
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": aged(
    ["PolicyName", "ParamRef"],
    ({ spec: { policyName, paramRef } = {} }) => [policyName ?? "", paramReference(paramRef)],
  ),
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhooks,
  "scheduling.k8s.io/PriorityClass": {
    names: ["Value:integer", "Global-Default:boolean", "Age", "PreemptionPolicy"],
    cells: (reading) => [
      reading.object.value ?? 0,
      reading.object.globalDefault ?? false,
      age(reading),
      reading.object.preemptionPolicy ?? "",
    ],
  },
  "coordination.k8s.io/Lease": aged(["Holder"], ({ spec = {} }) => [spec.holderIdentity ?? ""]),
  "discovery.k8s.io/EndpointSlice": aged(["AddressType", "Ports", "Endpoints"], ({ addressType, ports, endpoints }) => [
    addressType,
    ports === undefined
      ? "<unset>"
      : orNone(ports.map(({ port }: { readonly port?: number }) => port ?? "*").join(",")),
    endpoints === undefined || endpoints.length === 0
      ? "<unset>"
      : endpoints
          .flatMap(({ addresses }: { readonly addresses: readonly string[] }) => addresses)
          .slice(0, 3)
          .join(","),
  ]),
};

interface MetricSpec {
  readonly type: string;
  readonly resource?: {
    readonly name: string;
    readonly target?: { readonly averageUtilization?: number; readonly averageValue?: string };
  };
}

function targetsText(
  spec: { readonly metrics?: readonly MetricSpec[]; readonly targetCPUUtilizationPercentage?: number },
  status: {
    readonly currentMetrics?: readonly {
      readonly resource?: { readonly current?: { readonly averageUtilization?: number } };
    }[];
  },
): string {
  const metrics =
    spec.metrics ??
    (spec.targetCPUUtilizationPercentage === undefined
      ? []
      : [
          {
            type: "Resource",
            resource: { name: "cpu", target: { averageUtilization: spec.targetCPUUtilizationPercentage } },
          },
        ]);
  const texts = metrics.map(({ resource }, index) => {
    const current = status.currentMetrics?.[index]?.resource?.current?.averageUtilization;
    const { averageUtilization, averageValue } = resource?.target ?? {};
    const target = averageUtilization === undefined ? (averageValue ?? "<auto>") : `${averageUtilization}%`;
    return `${resource?.name ?? ""}: ${current === undefined ? unknown : `${current}%`}/${target}`;
  });
  return orNone(texts.slice(0, 2).join(", ") + (texts.length > 2 ? ` + ${texts.length - 2} more...` : ""));
}

/** The columns of a built-in kind; of one without any of its own the time of creation. */
export function builtInColumns(group: string, kind: string): BuiltInColumns {
  return columns[`${group}/${kind}`] ?? createdAt;
}
