import type { Condition, KubeObject } from "../../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "../define-builtin.ts";
import type { IntOrString } from "./pod-spec.ts";

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: IntOrString;
  readonly nodePort?: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
  readonly appProtocol?: string;
}

/** core/v1 Service. */
export interface Service extends KubeObject {
  readonly spec?: {
    readonly type?: "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort";
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePort[];
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalName?: string;
    readonly externalIPs?: readonly string[];
    readonly ipFamilies?: readonly ("IPv4" | "IPv6")[];
    readonly ipFamilyPolicy?: "PreferDualStack" | "RequireDualStack" | "SingleStack";
    readonly sessionAffinity?: "ClientIP" | "None";
    readonly externalTrafficPolicy?: "Cluster" | "Local";
    readonly internalTrafficPolicy?: "Cluster" | "Local";
    readonly publishNotReadyAddresses?: boolean;
    readonly loadBalancerClass?: string;
    readonly loadBalancerSourceRanges?: readonly string[];
  };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] };
    readonly conditions?: readonly Condition[];
  };
}

export const Service: BuiltinResource<Service> = defineBuiltin({
  version: "v1",
  kind: "Service",
  subresources: ["status", "proxy"],
});
