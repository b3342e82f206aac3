import type { DraftObject } from "../../registry/api-object.ts";
import { addressWarnings, rangeWarnings } from "./address-warning.ts";
import { specOf } from "./object-kind.ts";
import type { ServiceSpec } from "./service-shape.ts";

const oldHints = "service.kubernetes.io/topology-aware-hints";

/** GetWarningsForService of the real server: what is ignored of a service, or called otherwise today. */
export function serviceWarnings(object: DraftObject): readonly string[] {
  const { type, externalIPs = [], externalName = "", ...spec } = specOf<ServiceSpec>(object);
  const found: string[] = [];
  if (object.metadata.annotations?.[oldHints] !== undefined) {
    found.push(`annotation ${oldHints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  }
  if (spec.clusterIP !== "None") found.push(...addressesOf("clusterIPs", spec.clusterIPs));
  if (type === "ClusterIP" && spec.clusterIP === "None") {
    const ignore = (field: string): void => {
      found.push(`spec.${field} is ignored for headless services`);
    };
    if ((spec.loadBalancerIP ?? "") !== "") ignore("loadBalancerIP");
    if (externalIPs.length > 0) ignore("externalIPs");
    if (spec.sessionAffinity !== "None") ignore("SessionAffinity");
  }
  found.push(...addressesOf("externalIPs", externalIPs));
  if ((spec.loadBalancerIP ?? "") !== "") {
    found.push(...addressWarnings("spec.loadBalancerIP", spec.loadBalancerIP ?? ""));
  }
  for (const [index, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    found.push(...rangeWarnings(`spec.loadBalancerSourceRanges[${index}]`, range));
  }
  const isName = type === "ExternalName";
  if (isName && externalIPs.length > 0) found.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isName && externalName !== "") found.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === "PreferClose") {
    found.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return found;
}

function addressesOf(field: string, addresses: readonly string[] = []): readonly string[] {
  return addresses.flatMap((ip, index) => addressWarnings(`spec.${field}[${index}]`, ip));
}
