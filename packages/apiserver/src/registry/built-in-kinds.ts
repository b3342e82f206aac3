import type { ServedSchema } from "../schema/served-schema.ts";
import { builtInSchema } from "./built-in-schema.ts";
import type { Kind, KindVerb, KindVersion, Subresource } from "./kind.ts";
import { typeNameOf } from "./type-table.ts";

/** What is particular to a kind; the rest follows. */
interface Row {
  readonly kind: string;
  /** Without it, the kind in lower case with an s. */
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly KindVerb[];
  readonly subresources?: readonly Subresource[];
  /** JSON paths that a field selector may name. */
  readonly selectable?: readonly string[];
  readonly storedAs?: Kind["storedAs"];
  readonly returnsDeleted?: true;
  readonly deprecationWarning?: string;
}

interface Group {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly string[];
  readonly storageVersion: string;
  readonly namespaced: readonly Row[];
  readonly cluster: readonly Row[];
}

const allVerbs: readonly KindVerb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
const oneByOne: readonly KindVerb[] = allVerbs.filter((verb) => verb !== "deletecollection");
const create = ["create"] as const;

const readAndWrite = ["get", "patch", "update"] as const;
const status: Subresource = { name: "status", verbs: readAndWrite };
const scale: Subresource = {
  name: "scale",
  body: { group: "autoscaling", version: "v1", kind: "Scale" },
  verbs: readAndWrite,
};

function options(name: string, kind: string, verbs: Subresource["verbs"]): Subresource {
  return { name, body: { group: "", version: "v1", kind }, verbs };
}

const connect = ["create", "get"] as const;
const forward = ["create", "delete", "get", "patch", "update"] as const;
const podSubresources: readonly Subresource[] = [
  options("attach", "PodAttachOptions", connect),
  options("binding", "Binding", create),
  { name: "ephemeralcontainers", verbs: readAndWrite },
  { name: "eviction", body: { group: "policy", version: "v1", kind: "Eviction" }, verbs: create },
  options("exec", "PodExecOptions", connect),
  { name: "log", verbs: ["get"] },
  options("portforward", "PodPortForwardOptions", connect),
  options("proxy", "PodProxyOptions", forward),
  { name: "resize", verbs: readAndWrite },
  status,
];

const referenceFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
const all = { categories: ["all"] } as const;
const extensions = { categories: ["api-extensions"] } as const;

/** In the order of the real server's discovery. */
const groups: readonly Group[] = [
  {
    group: "",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [
      { kind: "Binding", verbs: create },
      { kind: "ConfigMap", shortNames: ["cm"] },
      {
        kind: "Endpoints",
        plural: "endpoints",
        shortNames: ["ep"],
        deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
      },
      {
        kind: "Event",
        shortNames: ["ev"],
        selectable: [
          ...referenceFields.map((field) => `involvedObject.${field}`),
          "reason",
          "reportingComponent",
          "source",
          "type",
        ],
      },
      { kind: "LimitRange", shortNames: ["limits"] },
      { kind: "PersistentVolumeClaim", returnsDeleted: true, shortNames: ["pvc"], subresources: [status] },
      {
        kind: "Pod",
        returnsDeleted: true,
        shortNames: ["po"],
        ...all,
        subresources: podSubresources,
        selectable: [
          "spec.nodeName",
          "spec.restartPolicy",
          "spec.schedulerName",
          "spec.serviceAccountName",
          "spec.hostNetwork",
          "status.phase",
          "status.podIP",
          "status.podIPs",
          "status.nominatedNodeName",
        ],
      },
      { kind: "PodTemplate", returnsDeleted: true },
      {
        kind: "ReplicationController",
        shortNames: ["rc"],
        ...all,
        subresources: [scale, status],
        selectable: ["status.replicas"],
      },
      { kind: "ResourceQuota", returnsDeleted: true, shortNames: ["quota"], subresources: [status] },
      { kind: "Secret", selectable: ["type"] },
      {
        kind: "ServiceAccount",
        returnsDeleted: true,
        shortNames: ["sa"],
        subresources: [
          {
            name: "token",
            body: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
            verbs: create,
          },
        ],
      },
      {
        kind: "Service",
        returnsDeleted: true,
        shortNames: ["svc"],
        ...all,
        subresources: [options("proxy", "ServiceProxyOptions", forward), status],
        selectable: ["spec.clusterIP", "spec.type"],
      },
    ],
    cluster: [
      {
        kind: "Namespace",
        shortNames: ["ns"],
        verbs: oneByOne,
        subresources: [{ name: "finalize", verbs: ["update"] }, status],
        selectable: ["status.phase"],
      },
      {
        kind: "Node",
        shortNames: ["no"],
        subresources: [options("proxy", "NodeProxyOptions", forward), status],
        selectable: ["spec.unschedulable"],
      },
      { kind: "PersistentVolume", returnsDeleted: true, shortNames: ["pv"], subresources: [status] },
    ],
  },
  {
    group: "apps",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [
      { kind: "ControllerRevision" },
      { kind: "DaemonSet", shortNames: ["ds"], ...all, subresources: [status] },
      { kind: "Deployment", shortNames: ["deploy"], ...all, subresources: [scale, status] },
      { kind: "ReplicaSet", shortNames: ["rs"], ...all, subresources: [scale, status] },
      { kind: "StatefulSet", shortNames: ["sts"], ...all, subresources: [scale, status] },
    ],
    cluster: [],
  },
  {
    group: "events.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [
      {
        kind: "Event",
        shortNames: ["ev"],
        selectable: [...referenceFields.map((field) => `regarding.${field}`), "reason", "reportingController", "type"],
        storedAs: { group: "", version: "v1" },
      },
    ],
    cluster: [],
  },
  {
    group: "authentication.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [],
    cluster: [
      { kind: "SelfSubjectReview", verbs: create },
      { kind: "TokenReview", verbs: create },
    ],
  },
  {
    group: "authorization.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [{ kind: "LocalSubjectAccessReview", verbs: create }],
    cluster: [
      { kind: "SelfSubjectAccessReview", verbs: create },
      { kind: "SelfSubjectRulesReview", verbs: create },
      { kind: "SubjectAccessReview", verbs: create },
    ],
  },
  {
    group: "autoscaling",
    versions: ["v2", "v1"],
    storageVersion: "v2",
    namespaced: [{ kind: "HorizontalPodAutoscaler", shortNames: ["hpa"], ...all, subresources: [status] }],
    cluster: [],
  },
  {
    group: "batch",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [
      { kind: "CronJob", shortNames: ["cj"], ...all, subresources: [status] },
      { kind: "Job", ...all, subresources: [status], selectable: ["status.successful"] },
    ],
    cluster: [],
  },
  {
    group: "networking.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [
      { kind: "Ingress", plural: "ingresses", shortNames: ["ing"], subresources: [status] },
      { kind: "NetworkPolicy", plural: "networkpolicies", shortNames: ["netpol"] },
    ],
    cluster: [{ kind: "IngressClass", plural: "ingressclasses" }],
  },
  {
    group: "policy",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [{ kind: "PodDisruptionBudget", shortNames: ["pdb"], subresources: [status] }],
    cluster: [],
  },
  {
    group: "rbac.authorization.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [{ kind: "RoleBinding" }, { kind: "Role" }],
    cluster: [{ kind: "ClusterRoleBinding" }, { kind: "ClusterRole" }],
  },
  {
    group: "storage.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [],
    cluster: [{ kind: "StorageClass", returnsDeleted: true, plural: "storageclasses", shortNames: ["sc"] }],
  },
  {
    group: "admissionregistration.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [],
    cluster: [
      { kind: "MutatingWebhookConfiguration", ...extensions },
      {
        kind: "ValidatingAdmissionPolicy",
        plural: "validatingadmissionpolicies",
        ...extensions,
        subresources: [status],
      },
      { kind: "ValidatingAdmissionPolicyBinding", ...extensions },
      { kind: "ValidatingWebhookConfiguration", ...extensions },
    ],
  },
  {
    group: "apiextensions.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [],
    cluster: [{ kind: "CustomResourceDefinition", shortNames: ["crd", "crds"], ...extensions, subresources: [status] }],
  },
  {
    group: "scheduling.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [],
    cluster: [{ kind: "PriorityClass", plural: "priorityclasses", shortNames: ["pc"] }],
  },
  {
    group: "coordination.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [{ kind: "Lease" }],
    cluster: [],
  },
  {
    group: "discovery.k8s.io",
    versions: ["v1"],
    storageVersion: "v1",
    namespaced: [{ kind: "EndpointSlice" }],
    cluster: [],
  },
];

function kindOf({ group, versions, storageVersion }: Group, row: Row, namespaced: boolean): Kind {
  const plural = row.plural ?? `${row.kind.toLowerCase()}s`;
  return {
    group,
    kind: row.kind,
    listKind: `${row.kind}List`,
    plural,
    singular: row.kind.toLowerCase(),
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    namespaced,
    verbs: row.verbs ?? allVerbs,
    versions: versions.map((version) => versionOf(group, version, row)),
    storageVersion,
    custom: false,
    ...(row.storedAs === undefined ? {} : { storedAs: row.storedAs }),
    ...(row.returnsDeleted ? { returnsDeleted: true } : {}),
  };
}

function versionOf(group: string, version: string, row: Row): KindVersion {
  let schema: ServedSchema | undefined;
  return {
    version,
    served: true,
    subresources: row.subresources ?? [],
    get schema(): ServedSchema {
      schema ??= builtInSchema(typeNameOf({ group, version, kind: row.kind }) ?? row.kind);
      return schema;
    },
    printerColumns: [],
    ...(row.subresources?.includes(scale) ? { scale: scalePaths } : {}),
    selectableFields: row.selectable ?? [],
    ...(row.deprecationWarning === undefined ? {} : { deprecationWarning: row.deprecationWarning }),
  };
}

/** The selector is an object, whose text is what Scale has; of a CRD's kinds it is that text already. */
const scalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
} as const;

let kinds: readonly Kind[] | undefined;

/**
 * The kinds that every server has, as the real one's discovery shows them, with groups in its order, and in a group the
 * plurals by alphabet. Of a review nothing is stored. Left out is what would be stored and then have no effect:
 * API services, flow control, dynamic resources, certificates, address ranges.
 */
export function builtInKinds(): readonly Kind[] {
  kinds ??= groups.flatMap((group) =>
    [
      ...group.namespaced.map((row) => kindOf(group, row, true)),
      ...group.cluster.map((row) => kindOf(group, row, false)),
    ].sort((one, other) => (one.plural < other.plural ? -1 : 1)),
  );
  return kinds;
}
