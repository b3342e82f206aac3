import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import { checkPort, checkPortNumberOrName } from "../field-check.ts";
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
import { checkClusterIps, checkKeptAddresses } from "./service-address.ts";
import {
  isExposed,
  isHeadless,
  needsClusterIp,
  needsHealthCheck,
  needsNodePort,
  type ServicePort,
  type ServiceSpec,
} from "./service-shape.ts";
import { serviceWarnings } from "./service-warning.ts";

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
    if (needsClusterIp(spec) && serviceTypes.includes(spec.type ?? "")) {
      errors.push(required("spec.internalTrafficPolicy"));
    }
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

/** Old servers gave this to names outside the cluster too; it stays in store, and is not shown. */
function withoutUselessPolicy(object: StoredObject): StoredObject {
  const spec = specOf<ServiceSpec>(object);
  if (spec.type !== "ExternalName" || spec.internalTrafficPolicy === undefined) return object;
  const { internalTrafficPolicy: _useless, ...rest } = spec;
  return { ...object, spec: rest };
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
  },
  validate(object): FieldError[] {
    const errors = metaErrors(object, { namespaced: true, nameRule: dnsLabel1035 });
    checkSpec(errors, specOf(object), undefined);
    return errors;
  },
  validateUpdate: (object, old, { subresource }) =>
    subresource === "status" ? metaUpdateErrors(object, old) : validateUpdate(object, old),
  warnings: serviceWarnings,
  shown: withoutUselessPolicy,
};
