import type { RichObject } from "./rich-objects.ts";

const containers = [{ name: "c", image: "i" }];
const template = { metadata: { labels: { a: "b" } }, spec: { containers } };
const selector = { matchLabels: { a: "b" } };
const jobTemplate = { spec: { template: { spec: { containers, restartPolicy: "Never" } } } };
const role = { apiGroup: "rbac.authorization.k8s.io", name: "minimal" };
const webhook = {
  name: "a.example.dev",
  clientConfig: { service: { namespace: "n", name: "s" } },
  rules: [{ operations: ["CREATE"], apiGroups: ["none.example.dev"], apiVersions: ["v1"], resources: ["x"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const involvedObject = { kind: "Pod", name: "p", namespace: "NAMESPACE" };
const eventTime = "2024-01-01T00:00:00.000000Z";

function minimal(apiVersion: string, kind: string, fields: Readonly<Record<string, unknown>> = {}): RichObject {
  return { apiVersion, kind, metadata: { name: "minimal" }, ...fields };
}

/** Of each stored built-in kind the least that the real server takes: what an answer has besides is a default. */
export const minimalObjects: readonly RichObject[] = [
  minimal("v1", "ConfigMap"),
  minimal("v1", "Endpoints", { subsets: [{ addresses: [{ ip: "10.1.1.1" }], ports: [{ port: 80 }] }] }),
  minimal("v1", "Event", { involvedObject, reason: "r" }),
  minimal("v1", "LimitRange", { spec: { limits: [{ type: "Container", max: { cpu: "1" } }] } }),
  minimal("v1", "PersistentVolumeClaim", {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  minimal("v1", "Pod", {
    spec: {
      serviceAccountName: "default",
      automountServiceAccountToken: false,
      containers: [
        {
          ...containers[0],
          ports: [{ containerPort: 80 }],
          livenessProbe: { httpGet: { port: 80 } },
          resources: { limits: { cpu: "1" } },
        },
      ],
      volumes: [
        { name: "empty" },
        { name: "secret", secret: { secretName: "s" } },
        { name: "config", configMap: { name: "m" } },
        { name: "projected", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
        { name: "host", hostPath: { path: "/x" } },
      ],
    },
  }),
  minimal("v1", "PodTemplate", { template }),
  minimal("v1", "ReplicationController", { spec: { template } }),
  minimal("v1", "ResourceQuota", { spec: { hard: { pods: "1" } } }),
  minimal("v1", "Secret"),
  minimal("v1", "ServiceAccount"),
  minimal("v1", "Service", { spec: { ports: [{ port: 80 }] } }),
  { ...minimal("v1", "Namespace"), metadata: { name: "minimal-farwatch" } },
  { ...minimal("v1", "Node"), metadata: { name: "minimal-farwatch" } },
  {
    ...minimal("v1", "PersistentVolume", {
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
    }),
    metadata: { name: "minimal-farwatch" },
  },
  minimal("apps/v1", "ControllerRevision", { revision: 1, data: {} }),
  minimal("apps/v1", "DaemonSet", { spec: { selector, template } }),
  minimal("apps/v1", "Deployment", { spec: { selector, template } }),
  minimal("apps/v1", "ReplicaSet", { spec: { selector, template } }),
  minimal("apps/v1", "StatefulSet", {
    spec: {
      selector,
      template,
      serviceName: "s",
      volumeClaimTemplates: [
        {
          metadata: { name: "v" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  }),
  {
    ...minimal("events.k8s.io/v1", "Event", {
      regarding: involvedObject,
      reason: "r",
      action: "a",
      type: "Normal",
      eventTime,
      reportingController: "c/x",
      reportingInstance: "i",
    }),
    metadata: { name: "minimal-new" },
  },
  minimal("autoscaling/v2", "HorizontalPodAutoscaler", {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" },
      maxReplicas: 2,
      behavior: { scaleUp: {} },
    },
  }),
  minimal("batch/v1", "CronJob", { spec: { schedule: "* * * * *", jobTemplate } }),
  minimal("batch/v1", "Job", jobTemplate),
  {
    ...minimal("networking.k8s.io/v1", "IngressClass", {
      spec: { controller: "example.dev/c", parameters: { kind: "K", name: "n" } },
    }),
    metadata: { name: "minimal-farwatch" },
  },
  minimal("networking.k8s.io/v1", "Ingress", {
    spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
  }),
  minimal("networking.k8s.io/v1", "NetworkPolicy", { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] } }),
  minimal("policy/v1", "PodDisruptionBudget", { spec: { minAvailable: 1 } }),
  { ...minimal("rbac.authorization.k8s.io/v1", "ClusterRole"), metadata: { name: "minimal-farwatch" } },
  {
    ...minimal("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", {
      roleRef: { ...role, kind: "ClusterRole" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
      ],
    }),
    metadata: { name: "minimal-farwatch" },
  },
  minimal("rbac.authorization.k8s.io/v1", "Role"),
  minimal("rbac.authorization.k8s.io/v1", "RoleBinding", {
    roleRef: { ...role, kind: "Role" },
    subjects: [{ kind: "Group", name: "g" }],
  }),
  { ...minimal("storage.k8s.io/v1", "StorageClass", { provisioner: "p.dev" }), metadata: { name: "minimal-farwatch" } },
  {
    ...minimal("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", { webhooks: [webhook] }),
    metadata: { name: "minimal-farwatch" },
  },
  {
    ...minimal("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", {
      spec: {
        matchConstraints: {
          resourceRules: [
            { operations: ["CREATE"], apiGroups: ["none.example.dev"], apiVersions: ["v1"], resources: ["x"] },
          ],
        },
        validations: [{ expression: "true" }],
      },
    }),
    metadata: { name: "minimal-farwatch" },
  },
  {
    ...minimal("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", {
      spec: { policyName: "minimal-farwatch", validationActions: ["Deny"] },
    }),
    metadata: { name: "minimal-farwatch" },
  },
  {
    ...minimal("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", { webhooks: [webhook] }),
    metadata: { name: "minimal-farwatch" },
  },
  {
    ...minimal("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
      spec: {
        group: "minimal.farwatch.dev",
        scope: "Namespaced",
        names: { plural: "minimals", kind: "Minimal" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    }),
    metadata: { name: "minimals.minimal.farwatch.dev" },
  },
  { ...minimal("scheduling.k8s.io/v1", "PriorityClass", { value: 1 }), metadata: { name: "minimal-farwatch" } },
  minimal("coordination.k8s.io/v1", "Lease"),
  minimal("discovery.k8s.io/v1", "EndpointSlice", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.1.1"] }],
    ports: [{ port: 80 }],
  }),
];
