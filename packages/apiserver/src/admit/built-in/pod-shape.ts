import type { LabelSelector } from "../../registry/label-selector.ts";
import type { IntOrString } from "../field-check.ts";

/** Amounts by the name of a resource: `{ cpu: "100m" }`. */
export type ResourceList = Record<string, string>;

export interface ResourceRequirements {
  limits?: ResourceList;
  requests?: ResourceList;
}

export interface KeyToPath {
  key?: string;
  path?: string;
  mode?: number;
}

interface FieldSelector {
  apiVersion?: string;
  fieldPath?: string;
}

export interface ResourceFieldSelector {
  containerName?: string;
  resource?: string;
  divisor?: string;
}

/** A key of a ConfigMap or Secret. */
export interface KeySelector {
  name?: string;
  key?: string;
}

export interface EnvVar {
  name?: string;
  value?: string;
  valueFrom?: {
    fieldRef?: FieldSelector;
    resourceFieldRef?: ResourceFieldSelector;
    configMapKeyRef?: KeySelector;
    secretKeyRef?: KeySelector;
    fileKeyRef?: { volumeName?: string; path?: string; key?: string };
  };
}

export interface EnvFrom {
  prefix?: string;
  configMapRef?: { name?: string };
  secretRef?: { name?: string };
}

export interface ContainerPort {
  name?: string;
  containerPort?: number;
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

export interface HttpGet {
  path?: string;
  port?: IntOrString;
  scheme?: string;
  httpHeaders?: { name?: string }[];
}

/** Of a probe or a lifecycle hook: one of them. */
export interface Handler {
  exec?: { command?: string[] };
  httpGet?: HttpGet;
  tcpSocket?: { port?: IntOrString };
  grpc?: { port?: number };
  sleep?: { seconds?: number };
}

export interface Probe extends Handler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

export interface VolumeMount {
  name?: string;
  mountPath?: string;
  subPath?: string;
  subPathExpr?: string;
  readOnly?: boolean;
  mountPropagation?: string;
}

export interface SecurityContext {
  privileged?: boolean;
  runAsUser?: number;
  runAsGroup?: number;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[] };
  seccompProfile?: SeccompProfile;
}

export interface SeccompProfile {
  type?: string;
  localhostProfile?: string;
}

export interface Container {
  name?: string;
  image?: string;
  imagePullPolicy?: string;
  ports?: ContainerPort[];
  env?: EnvVar[];
  envFrom?: EnvFrom[];
  resources?: ResourceRequirements;
  volumeMounts?: VolumeMount[];
  volumeDevices?: { name?: string; devicePath?: string }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
  restartPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  securityContext?: SecurityContext;
}

interface Projection {
  secret?: { name?: string; items?: KeyToPath[] };
  configMap?: { name?: string; items?: KeyToPath[] };
  downwardAPI?: { items?: DownwardFile[] };
  serviceAccountToken?: { path?: string; expirationSeconds?: number };
}

export interface DownwardFile {
  path?: string;
  mode?: number;
  fieldRef?: FieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
}

/** The sources that are checked; others are only counted. */
export interface Volume {
  name?: string;
  emptyDir?: { sizeLimit?: string };
  hostPath?: { path?: string; type?: string };
  secret?: { secretName?: string; defaultMode?: number; items?: KeyToPath[] };
  configMap?: { name?: string; defaultMode?: number; items?: KeyToPath[] };
  persistentVolumeClaim?: { claimName?: string };
  downwardAPI?: { defaultMode?: number; items?: DownwardFile[] };
  projected?: { defaultMode?: number; sources?: Projection[] };
  nfs?: { server?: string; path?: string };
  csi?: { driver?: string };
  ephemeral?: { volumeClaimTemplate?: { metadata?: object; spec?: ClaimSpec } };
  image?: { reference?: string; pullPolicy?: string };
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

interface SelectorTerm {
  matchExpressions?: { key?: string; operator?: string; values?: string[] }[];
  matchFields?: { key?: string; operator?: string; values?: string[] }[];
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  namespaces?: string[];
  namespaceSelector?: LabelSelector;
  topologyKey?: string;
}

interface PodAffinities {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; podAffinityTerm?: PodAffinityTerm }[];
}

export interface NodeSelector {
  nodeSelectorTerms?: SelectorTerm[];
}

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
    preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; preference?: SelectorTerm }[];
  };
  podAffinity?: PodAffinities;
  podAntiAffinity?: PodAffinities;
}

export interface SpreadConstraint {
  maxSkew?: number;
  topologyKey?: string;
  whenUnsatisfiable?: string;
  labelSelector?: LabelSelector;
  minDomains?: number;
}

export interface PodSecurityContext {
  fsGroup?: number;
  runAsUser?: number;
  runAsGroup?: number;
  supplementalGroups?: number[];
  fsGroupChangePolicy?: string;
  seccompProfile?: SeccompProfile;
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: Volume[];
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  dnsPolicy?: string;
  dnsConfig?: { nameservers?: string[] };
  nodeSelector?: Record<string, string>;
  nodeName?: string;
  serviceAccountName?: string;
  serviceAccount?: string;
  hostNetwork?: boolean;
  hostPID?: boolean;
  shareProcessNamespace?: boolean;
  securityContext?: PodSecurityContext;
  imagePullSecrets?: { name?: string }[];
  hostAliases?: { ip?: string; hostnames?: string[] }[];
  hostname?: string;
  subdomain?: string;
  affinity?: Affinity;
  schedulerName?: string;
  tolerations?: Toleration[];
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
  readinessGates?: { conditionType?: string }[];
  schedulingGates?: { name?: string }[];
  topologySpreadConstraints?: SpreadConstraint[];
  runtimeClassName?: string;
  enableServiceLinks?: boolean;
  os?: { name?: string };
  overhead?: ResourceList;
}

/** metadata and spec of pods to be. */
export interface PodTemplate {
  metadata?: {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec?: PodSpec;
}

export interface ClaimSpec {
  accessModes?: string[];
  selector?: LabelSelector;
  resources?: ResourceRequirements;
  volumeName?: string;
  storageClassName?: string;
  volumeMode?: string;
  dataSource?: { apiGroup?: string; kind?: string; name?: string };
  dataSourceRef?: { apiGroup?: string; kind?: string; name?: string; namespace?: string };
  volumeAttributesClassName?: string;
}
