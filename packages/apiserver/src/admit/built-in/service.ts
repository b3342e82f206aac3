import { isIPv6 } from "node:net";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { checkPort, checkPortNumberOrName, type IntOrString } from "../field-check.ts";
import { dnsLabel, dnsLabel1035, dnsSubdomain, qualifiedName } from "../name-rule.ts";
import { pushFaults, pushLabelErrors } from "../object-meta.ts";
import { semanticEqual } from "../semantic-equal.ts";
import type { Strategy } from "../strategy.ts";
import { pushEndpointIpErrors, pushIpErrors, pushRangeErrors } from "./ip-check.ts";
import {
  draftSpec,
  metaErrors,
  metaUpdateErrors,
  preparesStatus,
  setDefault,
  setDefaultText,
  specOf,
} from "./object-kind.ts";

export interface ServicePort {
  name?: string;
  protocol?: string;
  appProtocol?: string;
  port?: number;
  targetPort?: IntOrString;
  nodePort?: number;
}

export interface ServiceSpec {
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  type?: string;
  externalIPs?: string[];
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  loadBalancerClass?: string;
  externalName?: string;
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  trafficDistribution?: string;
}

export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === "None";
export const needsClusterIp = ({ type }: ServiceSpec): boolean => type !== "ExternalName";
/** Whether it answers from outside, by whatever way. */
const isExposed = ({ type, externalIPs = [] }: ServiceSpec): boolean =>
  type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
export const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";
export const needsNodePort = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);

const defaultAffinitySeconds = 10_800;

function applyDefaults(object: DraftObject): void {
  const spec = draftSpec<ServiceSpec>(object);
  setDefaultText(spec, "sessionAffinity", "None");
  if (spec.sessionAffinity === "None") Reflect.deleteProperty(spec, "sessionAffinityConfig");
  if (spec.sessionAffinity === "ClientIP" && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: defaultAffinitySeconds } };
  }
  setDefaultText(spec, "type", "ClusterIP");
  for (const port of spec.ports ?? []) {
    setDefaultText(port, "protocol", "TCP");
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "")
      port.targetPort = port.port ?? 0;
  }
  if (isExposed(spec)) setDefaultText(spec, "externalTrafficPolicy", "Cluster");
  if (needsClusterIp(spec)) setDefault(spec, "internalTrafficPolicy", "Cluster");
  if (spec.type === "LoadBalancer") setDefault(spec, "allocateLoadBalancerNodePorts", true);
}

function checkPorts(errors: FieldError[], ports: readonly ServicePort[]): void {
  const names = new Set<string>();
  ports.forEach((port, index) => {
    const at = `spec.ports[${index}]`;
    const { name = "", appProtocol } = port;
    if (name === "" && ports.length > 1) errors.push(required(`${at}.name`));
    else if (name !== "") {
      pushFaults(errors, `${at}.name`, name, dnsLabel(name));
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    checkPort(errors, `${at}.port`, port.port);
    const { protocol = "" } = port;
    if (protocol === "") errors.push(required(`${at}.protocol`));
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
    checkPortNumberOrName(errors, `${at}.targetPort`, port.targetPort);
    if (appProtocol !== undefined) pushFaults(errors, `${at}.appProtocol`, appProtocol, qualifiedName(appProtocol));
  });
}

const protocols = ["SCTP", "TCP", "UDP"];
const serviceTypes = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const families = ["IPv4", "IPv6"];
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** Port numbers that may be given once for each protocol. */
function checkUniquePorts(errors: FieldError[], { type, ports = [] }: ServiceSpec): void {
  if (type === "ClusterIP") {
    ports.forEach(({ nodePort = 0 }, index) => {
      if (nodePort === 0) return;
      errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    });
  }
  const nodePorts = new Set<string>();
  ports.forEach(({ nodePort = 0, protocol = "" }, index) => {
    if (nodePort === 0) return;
    if (nodePorts.has(`${protocol}/${nodePort}`)) errors.push(duplicate(`spec.ports[${index}].nodePort`, nodePort));
    nodePorts.add(`${protocol}/${nodePort}`);
  });
  const taken = new Set<string>();
  ports.forEach(({ port = 0, protocol = "" }, index) => {
    if (taken.has(`${protocol}/${port}`)) {
      const printed = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      errors.push(duplicate(`spec.ports[${index}]`, printed));
    }
    taken.add(`${protocol}/${port}`);
  });
}

/** clusterIP, clusterIPs and families, which say the same thing three times. */
export function checkClusterIps(errors: FieldError[], spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (!needsClusterIp(spec)) return;
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const path = "spec.clusterIPs";
  if (clusterIP === "") {
    if (clusterIPs.length > 0)
      errors.push(invalidValue(path, clusterIPs, "must be empty when `clusterIP` is not specified"));
  } else if (clusterIPs.length === 0) errors.push(required(path));
  else if (clusterIPs[0] !== clusterIP)
    errors.push(invalidValue(path, clusterIPs, "first value must match `clusterIP`"));
  const seen = new Set<string>();
  for (const [index, family] of ipFamilies.entries()) {
    if (!families.includes(family)) errors.push(notSupported(`spec.ipFamilies[${index}]`, family, families));
    if (seen.has(family)) errors.push(duplicate(`spec.ipFamilies[${index}]`, family));
    seen.add(family);
  }
  if (ipFamilyPolicy !== undefined && !familyPolicies.includes(ipFamilyPolicy)) {
    errors.push(notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, familyPolicies));
  }
  const before = errors.length;
  for (const [index, ip] of clusterIPs.entries()) {
    if (index === 0 && ip === "None") {
      if (clusterIPs.length > 1) errors.push(invalidValue(path, clusterIPs, "'None' must be the first and only value"));
    } else if (old?.clusterIPs?.includes(ip) !== true) pushIpErrors(errors, `${path}[${index}]`, ip);
  }
  const hasBadIp = errors.length > before;
  if (clusterIPs.length > 2) errors.push(invalidValue(path, clusterIPs, "may only hold up to 2 values"));
  if (hasBadIp) return;
  if (clusterIPs.length === 2 && isIPv6(clusterIPs[0] ?? "") === isIPv6(clusterIPs[1] ?? "")) {
    errors.push(invalidValue(path, clusterIPs, "may specify no more than one IP for each IP family"));
  }
  if (isHeadless(spec)) return;
  for (const [index, ip] of clusterIPs.entries()) {
    const family = ipFamilies[index];
    if (family === undefined || isIPv6(ip) === (family === "IPv6")) continue;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalidValue(`${path}[${index}]`, ip, detail));
  }
}

function checkByType(errors: FieldError[], spec: ServiceSpec): void {
  const { type = "", clusterIPs = [], externalName = "" } = spec;
  if ((spec.ports ?? []).length === 0 && !isHeadless(spec) && type !== "ExternalName")
    errors.push(required("spec.ports"));
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec)) {
    errors.push(invalidValue("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  }
  if (type !== "ExternalName") return;
  const refuse = (field: string): void => {
    errors.push(forbiddenField(`spec.${field}`, "may not be set for ExternalName services"));
  };
  if (clusterIPs.length > 0) refuse("clusterIPs");
  if ((spec.ipFamilies ?? []).length > 0) refuse("ipFamilies");
  if (spec.ipFamilyPolicy !== undefined) refuse("ipFamilyPolicy");
  const name = externalName.replace(/\.$/, "");
  if (name === "") errors.push(required("spec.externalName"));
  else pushFaults(errors, "spec.externalName", name, dnsSubdomain(name));
}

function checkAffinity(errors: FieldError[], { sessionAffinity = "", sessionAffinityConfig }: ServiceSpec): void {
  const at = "spec.sessionAffinityConfig";
  if (sessionAffinity === "") errors.push(required("spec.sessionAffinity"));
  else if (sessionAffinity !== "None" && sessionAffinity !== "ClientIP") {
    errors.push(notSupported("spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"]));
  }
  if (sessionAffinity === "ClientIP") {
    const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
    if (sessionAffinityConfig === undefined) errors.push(required(at, "when session affinity type is ClientIP"));
    else if (seconds <= 0 || seconds > 86_400) {
      const detail = "must be greater than 0 and less than 86400";
      errors.push(invalidValue(`${at}.clientIP.timeoutSeconds`, seconds, detail));
    }
  } else if (sessionAffinity === "None" && sessionAffinityConfig !== undefined) {
    errors.push(forbiddenField(at, "must not be set when session affinity is None"));
  }
}

function checkTraffic(errors: FieldError[], spec: ServiceSpec): void {
  const { externalTrafficPolicy = "", healthCheckNodePort = 0, internalTrafficPolicy, trafficDistribution } = spec;
  const path = "spec.externalTrafficPolicy";
  if (!isExposed(spec)) {
    if (externalTrafficPolicy !== "") {
      errors.push(invalidValue(path, externalTrafficPolicy, "may only be set for externally-accessible services"));
    }
  } else if (externalTrafficPolicy === "") errors.push(required(path));
  else if (!["Cluster", "Local"].includes(externalTrafficPolicy)) {
    errors.push(notSupported(path, externalTrafficPolicy, ["Cluster", "Local"]));
  }
  const at = "spec.healthCheckNodePort";
  if (needsHealthCheck(spec)) {
    if (healthCheckNodePort === 0) errors.push(required(at));
    else checkPort(errors, at, healthCheckNodePort);
  } else if (healthCheckNodePort !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(invalidValue(at, healthCheckNodePort, detail));
  }
  if (internalTrafficPolicy === undefined) {
    if (needsClusterIp(spec)) errors.push(required("spec.internalTrafficPolicy"));
  } else if (!["Cluster", "Local"].includes(internalTrafficPolicy)) {
    errors.push(notSupported("spec.internalTrafficPolicy", internalTrafficPolicy, ["Cluster", "Local"]));
  }
  const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
  if (trafficDistribution !== undefined && !distributions.includes(trafficDistribution)) {
    errors.push(notSupported("spec.trafficDistribution", trafficDistribution, distributions));
  }
}

const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

function checkLoadBalancer(errors: FieldError[], spec: ServiceSpec): void {
  const isLoadBalancer = spec.type === "LoadBalancer";
  const { loadBalancerSourceRanges: ranges = [], allocateLoadBalancerNodePorts } = spec;
  const at = "spec.LoadBalancerSourceRanges";
  if (ranges.length > 0 && !isLoadBalancer) errors.push(forbiddenField(at, onlyLoadBalancer));
  for (const [index, range] of ranges.entries()) pushRangeErrors(errors, `${at}[${index}]`, range.trim());
  if (allocateLoadBalancerNodePorts !== undefined && !isLoadBalancer) {
    errors.push(forbiddenField("spec.allocateLoadBalancerNodePorts", onlyLoadBalancer));
  }
  if (isLoadBalancer && allocateLoadBalancerNodePorts === undefined)
    errors.push(required("allocateLoadBalancerNodePorts"));
  checkClass(errors, spec);
}

function checkClass(errors: FieldError[], { type, loadBalancerClass }: ServiceSpec): void {
  if (loadBalancerClass === undefined) return;
  if (type !== "LoadBalancer") errors.push(forbiddenField("spec.loadBalancerClass", onlyLoadBalancer));
  else pushFaults(errors, "spec.loadBalancerClass", loadBalancerClass, qualifiedName(loadBalancerClass));
}

function checkSpec(errors: FieldError[], spec: ServiceSpec, old: ServiceSpec | undefined): void {
  checkByType(errors, spec);
  checkPorts(errors, spec.ports ?? []);
  pushLabelErrors(errors, spec.selector, "spec.selector");
  checkAffinity(errors, spec);
  checkClusterIps(errors, spec, old);
  for (const [index, ip] of (spec.externalIPs ?? []).entries()) {
    if (old?.externalIPs?.includes(ip) === true) continue;
    const before = errors.length;
    pushIpErrors(errors, `spec.externalIPs[${index}]`, ip);
    if (errors.length === before) pushEndpointIpErrors(errors, `spec.externalIPs[${index}]`, ip);
  }
  const { type = "" } = spec;
  if (type === "") errors.push(required("spec.type"));
  else if (!serviceTypes.includes(type)) errors.push(notSupported("spec.type", type, serviceTypes));
  checkUniquePorts(errors, spec);
  checkLoadBalancer(errors, spec);
  checkTraffic(errors, spec);
}

/** Addresses stay what they were, unless a service comes from or goes to ExternalName. */
function checkKeptAddresses(errors: FieldError[], spec: ServiceSpec, old: ServiceSpec): void {
  if (!needsClusterIp(spec) || !needsClusterIp(old)) return;
  if (isHeadless(spec) && isHeadless(old)) return;
  const [now, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []];
  if (now.length === before.length) {
    for (const [index, ip] of before.entries()) {
      if (ip !== now[index]) errors.push(invalidValue(`spec.clusterIPs[${index}]`, now, "may not change once set"));
    }
  } else if (before.length > 0 && now.length === 0) {
    errors.push(invalidValue("spec.clusterIPs[0]", null, "primary clusterIP can not be unset"));
  } else if (before.length > 0 && now[0] !== before[0]) {
    errors.push(invalidValue("spec.clusterIPs[0]", now, "may not change once set"));
  }
  if (before.length > 1 && now.length === 1 && spec.ipFamilyPolicy !== "SingleStack") {
    const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
    errors.push(invalidValue("spec.ipFamilyPolicy", spec.ipFamilyPolicy ?? null, detail));
  }
}

function validateUpdate(object: DraftObject, old: StoredObject): FieldError[] {
  const errors = metaUpdateErrors(object, old);
  const [spec, before] = [specOf<ServiceSpec>(object), specOf<ServiceSpec>(old)];
  checkKeptAddresses(errors, spec, before);
  const isKept = spec.type === "LoadBalancer" && before.type === "LoadBalancer";
  if (isKept && spec.loadBalancerClass !== before.loadBalancerClass) {
    errors.push(invalidValue("spec.loadBalancerClass", spec.loadBalancerClass ?? null, "may not change once set"));
  }
  checkClass(errors, spec);
  if (needsHealthCheck(spec) && needsHealthCheck(before) && spec.healthCheckNodePort !== before.healthCheckNodePort) {
    errors.push(forbiddenField("spec.healthCheckNodePort", "field is immutable"));
  }
  checkSpec(errors, spec, before);
  return errors;
}

/** A service of another type has no use for these; who did not change them wants them gone. */
function dropFieldsOfOtherTypes(object: DraftObject, old: StoredObject): void {
  const [spec, before] = [specOf<ServiceSpec>(object), specOf<ServiceSpec>(old)];
  const drop = (field: keyof ServiceSpec): void => {
    if (semanticEqual(spec[field], before[field])) Reflect.deleteProperty(spec, field);
  };
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    if (spec.clusterIP === before.clusterIP && semanticEqual(spec.clusterIPs, before.clusterIPs)) {
      drop("clusterIP");
      drop("clusterIPs");
    }
    drop("ipFamilies");
    drop("ipFamilyPolicy");
  }
  const nodePorts = ({ ports = [] }: ServiceSpec): readonly number[] => ports.map(({ nodePort = 0 }) => nodePort);
  if (needsNodePort(before) && !needsNodePort(spec) && semanticEqual(nodePorts(spec), nodePorts(before))) {
    for (const port of spec.ports ?? []) Reflect.deleteProperty(port, "nodePort");
  }
  if (needsHealthCheck(before) && !needsHealthCheck(spec)) drop("healthCheckNodePort");
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    drop("allocateLoadBalancerNodePorts");
    drop("loadBalancerClass");
  }
  if (isExposed(before) && !isExposed(spec)) drop("externalTrafficPolicy");
  if (spec.type !== "LoadBalancer") object.status = { ...(object.status as object | undefined), loadBalancer: {} };
}

const prepare = preparesStatus({ empty: { loadBalancer: {} } });

/** Service of core/v1; addresses and node ports are given to it before, see service-allocation.ts. */
export const serviceStrategy: Strategy = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  applyDefaults,
  prepareForCreate: prepare.prepareForCreate,
  prepareForUpdate(object, old, context): void {
    prepare.prepareForUpdate(object, old, context);
    if (context.subresource === undefined) dropFieldsOfOtherTypes(object, old);
    // As it is when the real server reads one.
    const spec = draftSpec<ServiceSpec>(object);
    if (spec.type === "ExternalName") Reflect.deleteProperty(spec, "internalTrafficPolicy");
  },
  validate(object): FieldError[] {
    const errors = metaErrors(object, { namespaced: true, nameRule: dnsLabel1035 });
    checkSpec(errors, specOf(object), undefined);
    return errors;
  },
  validateUpdate: (object, old, { subresource }) =>
    subresource === "status" ? metaUpdateErrors(object, old) : validateUpdate(object, old),
};
