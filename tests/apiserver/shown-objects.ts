import type { RichObject } from "./rich-objects.ts";

const containers = [
  { name: "c", image: "i" },
  { name: "d", image: "j" },
];
const template = { metadata: { labels: { a: "b" } }, spec: { containers } };
const selector = {
  matchLabels: { a: "b" },
  matchExpressions: [
    { key: "k", operator: "In", values: ["w", "v"] },
    { key: "n", operator: "NotIn", values: ["x"] },
    { key: "e", operator: "Exists" },
    { key: "d", operator: "DoesNotExist" },
  ],
};
const labels = { a: "b", k: "v", e: "" };
const selected = { selector, template: { ...template, metadata: { labels } } };
const jobTemplate = { spec: { ...template.spec, restartPolicy: "Never" } };
const time = "2024-01-01T00:00:00Z";
const later = "2024-01-01T01:02:03Z";
const running = { running: { startedAt: time } };

function shown(what: string, name: string, fields: Readonly<Record<string, unknown>>): RichObject {
  const [apiVersion = "", kind = ""] = what.split(" ");
  return { apiVersion, kind, metadata: { name }, ...fields };
}

function pod(name: string, status: object, spec: object = {}): RichObject {
  return shown("v1 Pod", name, {
    spec: { containers, serviceAccountName: "default", automountServiceAccountToken: false, ...spec },
    status,
  });
}

const state = (name: string, rest: object): object => ({
  name,
  image: "i",
  imageID: "",
  ready: false,
  restartCount: 0,
  ...rest,
});
const exited = (exitCode: number, rest: object = {}): object => ({
  terminated: { exitCode, finishedAt: time, ...rest },
});
const condition = (type: string, status = "True", rest: object = {}): object => ({
  type,
  status,
  lastTransitionTime: time,
  ...rest,
});
const init = {
  initContainers: [
    { name: "i", image: "i" },
    { name: "k", image: "i", restartPolicy: "Always" },
  ],
};

const describedObject = { kind: "Service", name: "s", apiVersion: "v1" };

function resource(
  name: string,
  target: { readonly averageUtilization?: number; readonly averageValue?: string },
): object {
  const type = target.averageValue === undefined ? "Utilization" : "AverageValue";
  return { type: "Resource", resource: { name, target: { type, ...target } } };
}

function current(source: string, is: object, name: string): object {
  return { type: "Resource", [source]: { name, current: is } };
}

function autoscaler(name: string, metrics: readonly (readonly [wanted: object, is?: object])[]): RichObject {
  const is = metrics.flatMap(([, status]) => status ?? []);
  return shown("autoscaling/v2 HorizontalPodAutoscaler", name, {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      minReplicas: 2,
      maxReplicas: 9,
      metrics: metrics.map(([wanted]) => wanted),
    },
    status: { currentReplicas: 4, desiredReplicas: 5, currentMetrics: is.length === 0 ? null : is },
  });
}

/** Objects in the states that columns tell apart. Their `status` is written after them. */
export const shownObjects: readonly RichObject[] = [
  pod("pending", { phase: "Pending" }),
  pod("reason", { phase: "Failed", reason: "Evicted" }),
  pod("running", {
    phase: "Running",
    podIP: "10.0.0.1",
    podIPs: [{ ip: "10.0.0.1" }],
    nominatedNodeName: "n",
    conditions: [condition("Ready")],
    containerStatuses: [
      state("c", { ready: true, restartCount: 2, state: running, lastState: exited(1) }),
      state("d", { ready: true, restartCount: 1, state: running }),
    ],
  }),
  pod("half", {
    phase: "Running",
    containerStatuses: [
      state("c", { ready: true, state: running }),
      state("d", { state: { waiting: { reason: "CrashLoopBackOff" } }, restartCount: 7 }),
    ],
  }),
  pod("not-ready", {
    phase: "Running",
    containerStatuses: [
      state("c", { ready: true, state: running }),
      state("d", { state: exited(0, { reason: "Completed" }) }),
    ],
  }),
  pod("done", {
    phase: "Succeeded",
    containerStatuses: ["c", "d"].map((name) => state(name, { state: exited(0, { reason: "Completed" }) })),
  }),
  pod("code", {
    phase: "Failed",
    containerStatuses: [state("c", { state: exited(3) }), state("d", { state: exited(0) })],
  }),
  pod("signal", { phase: "Failed", containerStatuses: [state("c", { state: exited(137, { signal: 9 }) })] }),
  pod("gated", { phase: "Pending" }, { schedulingGates: [{ name: "x.example/y" }] }),
  pod("init", { phase: "Pending", initContainerStatuses: [state("i", { state: running })] }, init),
  pod(
    "init-failed",
    {
      phase: "Pending",
      initContainerStatuses: [state("i", { state: exited(1, { reason: "Error" }), restartCount: 3 })],
    },
    init,
  ),
  pod(
    "init-waiting",
    { phase: "Pending", initContainerStatuses: [state("i", { state: { waiting: { reason: "ImagePullBackOff" } } })] },
    init,
  ),
  pod(
    "sidecar",
    {
      phase: "Running",
      initContainerStatuses: [
        state("i", { state: exited(0) }),
        state("k", { ready: true, started: true, restartCount: 4, state: running }),
      ],
      containerStatuses: [state("c", { ready: true, state: running })],
    },
    init,
  ),
  shown("apps/v1 Deployment", "busy", {
    spec: { replicas: 3, ...selected },
    status: { replicas: 3, readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
  }),
  shown("apps/v1 StatefulSet", "busy", {
    spec: { replicas: 3, serviceName: "s", ...selected },
    status: { replicas: 3, readyReplicas: 1 },
  }),
  shown("apps/v1 ReplicaSet", "busy", {
    spec: { replicas: 3, ...selected },
    status: { replicas: 2, readyReplicas: 1, fullyLabeledReplicas: 2 },
  }),
  shown("apps/v1 DaemonSet", "busy", {
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { ...template, spec: { ...template.spec, nodeSelector: { z: "1", b: "2" } } },
    },
    status: {
      currentNumberScheduled: 1,
      desiredNumberScheduled: 2,
      numberAvailable: 3,
      numberMisscheduled: 4,
      numberReady: 5,
      updatedNumberScheduled: 6,
    },
  }),
  shown("batch/v1 Job", "parallel", { spec: { parallelism: 3, template: jobTemplate } }),
  shown("batch/v1 Job", "one", { spec: { parallelism: 1, template: jobTemplate } }),
  shown("batch/v1 Job", "suspended", {
    spec: { suspend: true, completions: 5, template: jobTemplate },
    status: { conditions: [condition("Suspended")] },
  }),
  shown("batch/v1 Job", "complete", {
    spec: { completions: 2, parallelism: 2, template: jobTemplate },
    status: {
      succeeded: 2,
      startTime: time,
      completionTime: later,
      uncountedTerminatedPods: {},
      conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
    },
  }),
  shown("batch/v1 Job", "failed", {
    spec: { completions: 2, template: jobTemplate },
    status: {
      failed: 1,
      startTime: time,
      uncountedTerminatedPods: {},
      conditions: [condition("FailureTarget"), condition("Failed")],
    },
  }),
  shown("batch/v1 Job", "failing", {
    spec: { completions: 2, template: jobTemplate },
    status: { failed: 1, startTime: time, uncountedTerminatedPods: {}, conditions: [condition("FailureTarget")] },
  }),
  shown("batch/v1 CronJob", "zoned", {
    spec: {
      schedule: "0 0 * * *",
      timeZone: "Etc/UTC",
      suspend: true,
      jobTemplate: { spec: { template: jobTemplate } },
    },
    status: { active: [{ kind: "Job", name: "j" }], lastScheduleTime: time },
  }),
  shown("v1 Service", "ports", {
    spec: {
      selector: { b: "2", a: "1" },
      ports: [
        { name: "t", port: 80 },
        { name: "u", port: 53, protocol: "UDP" },
      ],
    },
  }),
  shown("v1 Service", "node-port", { spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30_123 }] } }),
  shown("v1 Service", "name", { spec: { type: "ExternalName", externalName: "example.com" } }),
  shown("v1 Service", "headless", { spec: { clusterIP: "None", ports: [{ port: 80 }], externalIPs: ["8.8.8.8"] } }),
  shown("v1 Service", "pending", { spec: { type: "LoadBalancer", ports: [{ port: 80, nodePort: 30_124 }] } }),
  shown("v1 Service", "balanced", {
    spec: { type: "LoadBalancer", externalIPs: ["8.8.4.4"], ports: [{ port: 80, nodePort: 30_125 }] },
    status: { loadBalancer: { ingress: [{ ip: "9.9.9.9" }, { hostname: "lb.example.com" }] } },
  }),
  shown("v1 Event", "series", {
    involvedObject: { kind: "Pod", name: "p", namespace: "NAMESPACE", fieldPath: "spec.containers{c}" },
    reason: "R",
    message: "  spaced \n",
    eventTime: "2024-01-01T00:00:00.000000Z",
    series: { count: 4, lastObservedTime: "2024-02-01T00:00:00.000000Z" },
    reportingComponent: "c/x",
    reportingInstance: "i",
    action: "a",
    type: "Normal",
  }),
  shown("v1 Event", "bare", { involvedObject: { kind: "Pod", name: "p", namespace: "NAMESPACE" }, reason: "R" }),
  shown("v1 Event", "counted", {
    involvedObject: { kind: "Pod", name: "p", namespace: "NAMESPACE" },
    firstTimestamp: time,
    lastTimestamp: later,
    count: 5,
    source: { host: "h" },
  }),
  shown("v1 Node", "table-ready", {
    metadata: {
      name: "table-ready",
      labels: {
        "node-role.kubernetes.io/worker": "",
        "node-role.kubernetes.io/control-plane": "",
        "kubernetes.io/role": "old",
      },
    },
    spec: { unschedulable: true },
    status: {
      conditions: [condition("Ready", "True", { lastHeartbeatTime: time })],
      addresses: [
        { type: "InternalIP", address: "10.0.0.1" },
        { type: "ExternalIP", address: "8.8.8.8" },
      ],
      nodeInfo: {
        kubeletVersion: "v1.35.4",
        osImage: "Linux",
        kernelVersion: "6",
        containerRuntimeVersion: "containerd://2",
        machineID: "",
        systemUUID: "",
        bootID: "",
        operatingSystem: "",
        architecture: "",
        kubeProxyVersion: "",
      },
    },
  }),
  shown("v1 Node", "table-down", { status: { conditions: [condition("Ready", "Unknown")] } }),
  shown("v1 PersistentVolumeClaim", "bound", {
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      volumeName: "v",
      storageClassName: "fast",
    },
    status: { phase: "Bound", accessModes: ["ReadWriteOnce", "ReadOnlyMany"], capacity: { storage: "2Gi" } },
  }),
  shown("v1 PersistentVolume", "table-released", {
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteMany", "ReadWriteOncePod"].slice(0, 1),
      hostPath: { path: "/x" },
      claimRef: { namespace: "n", name: "c" },
      storageClassName: "slow",
    },
    status: { phase: "Released", reason: "Because" },
  }),
  shown("v1 ResourceQuota", "used", {
    spec: { hard: { pods: "10", "limits.cpu": "4", "requests.cpu": "2" } },
    status: { hard: { pods: "10", "limits.cpu": "4", "requests.cpu": "2" }, used: { pods: "3", "limits.cpu": "1" } },
  }),
  shown("v1 ReplicationController", "busy", {
    spec: { replicas: 2, selector: { a: "b" }, template },
    status: { replicas: 2, readyReplicas: 1 },
  }),
  shown("v1 Endpoints", "many", {
    subsets: [
      {
        addresses: ["10.1.1.1", "10.1.1.2"].map((ip) => ({ ip })),
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 81 },
        ],
      },
    ],
  }),
  shown("v1 Endpoints", "none", { subsets: [] }),
  shown("v1 Secret", "keys", { type: "example.com/x", data: { a: "YQ==", b: "Yg==" } }),
  shown("v1 ServiceAccount", "tokens", { secrets: [{ name: "a" }, { name: "b" }] }),
  shown("networking.k8s.io/v1 Ingress", "hosts", {
    spec: {
      ingressClassName: "nginx",
      tls: [{ hosts: ["a.example"] }],
      rules: ["a", "b", "c", "d", "e"].map((host) => ({
        host: `${host}.example`,
        http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }] },
      })),
    },
    status: { loadBalancer: { ingress: [{ ip: "1.1.1.1" }, { hostname: "h.example" }] } },
  }),
  shown("networking.k8s.io/v1 NetworkPolicy", "everything", { spec: { podSelector: {} } }),
  shown("networking.k8s.io/v1 NetworkPolicy", "selected", { spec: { podSelector: selector } }),
  shown("policy/v1 PodDisruptionBudget", "min", {
    spec: { minAvailable: "50%", selector },
    status: { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 },
  }),
  shown("policy/v1 PodDisruptionBudget", "max", { spec: { maxUnavailable: 1, selector } }),
  autoscaler("resources", [
    [
      resource("cpu", { averageUtilization: 50 }),
      current("resource", { averageUtilization: 45, averageValue: "450m" }, "cpu"),
    ],
    [resource("memory", { averageValue: "1Gi" }), current("resource", { averageValue: "512Mi" }, "memory")],
    [resource("cpu", { averageUtilization: 1 })],
  ]),
  autoscaler("unknown", [[resource("cpu", { averageUtilization: 50 })], [resource("memory", { averageValue: "1Gi" })]]),
  autoscaler("pods", [
    [
      { type: "Pods", pods: { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "10" } } },
      { type: "Pods", pods: { metric: { name: "hits" }, current: { averageValue: "7" } } },
    ],
    [
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 60 } },
      },
    ],
  ]),
  autoscaler("objects", [
    [
      { type: "Object", object: { metric: { name: "rate" }, describedObject, target: { type: "Value", value: "7" } } },
      { type: "Object", object: { metric: { name: "rate" }, describedObject, current: { value: "6" } } },
    ],
    [{ type: "External", external: { metric: { name: "q" }, target: { type: "AverageValue", averageValue: "3" } } }],
  ]),
  shown("autoscaling/v1 HorizontalPodAutoscaler", "old", {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 80,
    },
    status: { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 33 },
  }),
  shown("rbac.authorization.k8s.io/v1 RoleBinding", "subjects", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [
      { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "ann" },
      { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "bob" },
      { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "g" },
      { kind: "ServiceAccount", namespace: "NAMESPACE", name: "default" },
    ],
  }),
  shown("coordination.k8s.io/v1 Lease", "held", { spec: { holderIdentity: "me", leaseDurationSeconds: 10 } }),
  shown("discovery.k8s.io/v1 EndpointSlice", "many", {
    addressType: "IPv4",
    ports: [
      { name: "a", port: 80 },
      { name: "b", port: 81 },
    ],
    endpoints: [
      { addresses: ["10.0.0.1"] },
      { addresses: ["10.0.0.2"] },
      { addresses: ["10.0.0.3"] },
      { addresses: ["10.0.0.4"] },
    ],
  }),
  shown("discovery.k8s.io/v1 EndpointSlice", "none", { addressType: "IPv4", endpoints: [] }),
];
