import type { LabelSelectorObject, LocalObjectReference } from "./object-reference.ts";

/** A number, or a text: of a port its name, of an amount a percentage. */
export type IntOrString = number | string;

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: { readonly name?: string; readonly key: string; readonly optional?: boolean };
    readonly secretKeyRef?: { readonly name?: string; readonly key: string; readonly optional?: boolean };
    readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
    readonly resourceFieldRef?: {
      readonly containerName?: string;
      readonly resource: string;
      readonly divisor?: string;
    };
  };
}

export interface ContainerProbe {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: {
    readonly path?: string;
    readonly port: IntOrString;
    readonly host?: string;
    readonly scheme?: "HTTP" | "HTTPS";
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
  readonly tcpSocket?: { readonly port: IntOrString; readonly host?: string };
  readonly grpc?: { readonly port: number; readonly service?: string };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

export interface SecurityContext {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly privileged?: boolean;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly seccompProfile?: {
    readonly type: "Localhost" | "RuntimeDefault" | "Unconfined";
    readonly localhostProfile?: string;
  };
}

/** Amounts are quantities: `500m`, `1Gi`. */
export interface ResourceRequirements {
  readonly requests?: Readonly<Record<string, IntOrString>>;
  readonly limits?: Readonly<Record<string, IntOrString>>;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly protocol?: "SCTP" | "TCP" | "UDP";
  }[];
  readonly env?: readonly EnvironmentVariable[];
  readonly envFrom?: readonly {
    readonly prefix?: string;
    readonly configMapRef?: { readonly name?: string; readonly optional?: boolean };
    readonly secretRef?: { readonly name?: string; readonly optional?: boolean };
  }[];
  readonly resources?: ResourceRequirements;
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
    readonly readOnly?: boolean;
  }[];
  readonly livenessProbe?: ContainerProbe;
  readonly readinessProbe?: ContainerProbe;
  readonly startupProbe?: ContainerProbe;
  readonly restartPolicy?: "Always" | "Never" | "OnFailure";
  readonly securityContext?: SecurityContext;
  readonly terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
}

interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

/** The volumes that most pods use; of the others the shape is left open. */
export interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
  readonly configMap?: {
    readonly name?: string;
    readonly items?: readonly KeyToPath[];
    readonly optional?: boolean;
    readonly defaultMode?: number;
  };
  readonly secret?: {
    readonly secretName?: string;
    readonly items?: readonly KeyToPath[];
    readonly optional?: boolean;
    readonly defaultMode?: number;
  };
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly projected?: { readonly sources?: readonly unknown[]; readonly defaultMode?: number };
  readonly csi?: unknown;
  readonly downwardAPI?: unknown;
  readonly ephemeral?: unknown;
  readonly nfs?: { readonly server: string; readonly path: string; readonly readOnly?: boolean };
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly restartPolicy?: "Always" | "Never" | "OnFailure";
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: unknown;
  readonly tolerations?: readonly {
    readonly key?: string;
    readonly operator?: "Equal" | "Exists";
    readonly value?: string;
    readonly effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
    readonly tolerationSeconds?: number;
  }[];
  readonly topologySpreadConstraints?: readonly {
    readonly maxSkew: number;
    readonly topologyKey: string;
    readonly whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway";
    readonly labelSelector?: LabelSelectorObject;
  }[];
  readonly priorityClassName?: string;
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly hostNetwork?: boolean;
  readonly dnsPolicy?: "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly securityContext?: SecurityContext & {
    readonly fsGroup?: number;
    readonly supplementalGroups?: readonly number[];
  };
}

/** A pod that is still to be made. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PodSpec;
}
