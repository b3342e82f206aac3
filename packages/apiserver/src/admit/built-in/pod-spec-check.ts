import { isIP } from "node:net";
import { type FieldError, invalidValue, notSupported, required } from "../../failure/field-error.ts";
import { checkOneOf } from "../field-check.ts";
import { dnsLabel, dnsSubdomain, qualifiedName, rangeText } from "../name-rule.ts";
import { pushFaults, pushLabelErrors } from "../object-meta.ts";
import { checkAffinity, checkSpread, checkTolerations } from "./affinity-check.ts";
import { checkContainer, checkContainers, checkInitContainers } from "./container-check.ts";
import type { PodSecurityContext, PodSpec } from "./pod-shape.ts";
import { checkSeccomp, pushIdErrors } from "./security-check.ts";
import { checkVolumes } from "./volume-check.ts";

const maxInt32 = 2 ** 31 - 1;

/** A pod's spec, its own or that of a template, after defaults. */
export function checkPodSpec(
  errors: FieldError[],
  path: string,
  { spec, isPod }: { readonly spec: PodSpec; readonly isPod: boolean },
): void {
  if (spec.terminationGracePeriodSeconds === undefined) errors.push(required(`${path}.terminationGracePeriodSeconds`));
  const volumes = checkVolumes(errors, `${path}.volumes`, spec.volumes);
  const facts = { volumes, graceSeconds: spec.terminationGracePeriodSeconds ?? 0 };
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  checkContainers(errors, `${path}.containers`, { containers, facts });
  checkInitContainers(errors, `${path}.initContainers`, { containers: initContainers, regular: containers, facts });
  ephemeralContainers.forEach((container, index) => {
    checkContainer(errors, `${path}.ephemeralContainers[${index}]`, { container, facts });
  });
  checkHostPorts(errors, path, { spec, isPod });
  checkOneOf(errors, `${path}.restartPolicy`, { value: spec.restartPolicy, of: ["Always", "OnFailure", "Never"] });
  checkOneOf(errors, `${path}.dnsPolicy`, {
    value: spec.dnsPolicy,
    of: ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
  });
  pushLabelErrors(errors, spec.nodeSelector, `${path}.nodeSelector`);
  checkPodSecurity(errors, path, spec);
  checkAffinity(errors, `${path}.affinity`, spec.affinity);
  checkDns(errors, `${path}.dnsConfig`, spec);
  spec.readinessGates?.forEach(({ conditionType = "" }, index) => {
    pushFaults(errors, `${path}.readinessGates[${index}].conditionType`, conditionType, qualifiedName(conditionType));
  });
  checkGates(errors, `${path}.schedulingGates`, spec.schedulingGates);
  checkSpread(errors, `${path}.topologySpreadConstraints`, spec.topologySpreadConstraints);
  checkNames(errors, path, spec);
}

function checkNames(errors: FieldError[], path: string, spec: PodSpec): void {
  const { serviceAccountName = "", nodeName = "", hostname = "", subdomain = "", priorityClassName = "" } = spec;
  if (serviceAccountName !== "") {
    pushFaults(errors, `${path}.serviceAccountName`, serviceAccountName, dnsSubdomain(serviceAccountName));
  }
  if (nodeName !== "") pushFaults(errors, `${path}.nodeName`, nodeName, dnsSubdomain(nodeName));
  const { activeDeadlineSeconds: deadline } = spec;
  if (deadline !== undefined && (deadline < 1 || deadline > maxInt32)) {
    errors.push(invalidValue(`${path}.activeDeadlineSeconds`, deadline, rangeText(1, maxInt32)));
  }
  if (hostname !== "") pushFaults(errors, `${path}.hostname`, hostname, dnsLabel(hostname));
  if (subdomain !== "") pushFaults(errors, `${path}.subdomain`, subdomain, dnsLabel(subdomain));
  checkTolerations(errors, `${path}.tolerations`, spec.tolerations);
  checkHostAliases(errors, `${path}.hostAliases`, spec.hostAliases);
  if (priorityClassName !== "") {
    pushFaults(errors, `${path}.priorityClassName`, priorityClassName, dnsSubdomain(priorityClassName));
  }
  const { runtimeClassName, preemptionPolicy } = spec;
  if (runtimeClassName !== undefined) {
    pushFaults(errors, `${path}.runtimeClassName`, runtimeClassName, dnsSubdomain(runtimeClassName));
  }
  if (preemptionPolicy !== undefined) {
    checkOneOf(errors, `${path}.preemptionPolicy`, { value: preemptionPolicy, of: ["PreemptLowerPriority", "Never"] });
  }
  const os = spec.os?.name ?? "";
  if (spec.os !== undefined) checkOneOf(errors, `${path}.os.name`, { value: os, of: ["linux", "windows"] });
}

function checkHostAliases(errors: FieldError[], path: string, aliases: PodSpec["hostAliases"]): void {
  aliases?.forEach(({ ip = "", hostnames = [] }, index) => {
    if (isIP(ip) === 0) {
      errors.push(
        invalidValue(`${path}[${index}].ip`, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
      );
    }
    for (const [position, name] of hostnames.entries()) {
      pushFaults(errors, `${path}[${index}].hostnames[${position}]`, name, dnsSubdomain(name));
    }
  });
}

function checkHostPorts(
  errors: FieldError[],
  path: string,
  { spec, isPod }: { readonly spec: PodSpec; readonly isPod: boolean },
): void {
  if (spec.hostNetwork !== true) return;
  spec.containers?.forEach(({ ports = [] }, index) => {
    ports.forEach(({ hostPort = 0, containerPort = 0 }, position) => {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) return;
      const field = `${path}.containers[${index}].ports[${position}].hostPort`;
      errors.push(invalidValue(field, hostPort, "must match `containerPort` when `hostNetwork` is true"));
    });
  });
}

function checkPodSecurity(errors: FieldError[], path: string, spec: PodSpec): void {
  const at = `${path}.securityContext`;
  const context: PodSecurityContext = spec.securityContext ?? {};
  pushIdErrors(errors, `${at}.fsGroup`, context.fsGroup);
  pushIdErrors(errors, `${at}.runAsUser`, context.runAsUser);
  pushIdErrors(errors, `${at}.runAsGroup`, context.runAsGroup);
  for (const [index, group] of (context.supplementalGroups ?? []).entries()) {
    pushIdErrors(errors, `${at}.supplementalGroups[${index}]`, group);
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
    errors.push(invalidValue(`${at}.shareProcessNamespace`, true, detail));
  }
  const { fsGroupChangePolicy } = context;
  const policies = ["Always", "OnRootMismatch"];
  if (fsGroupChangePolicy !== undefined && !policies.includes(fsGroupChangePolicy)) {
    errors.push(notSupported(`${at}.fsGroupChangePolicy`, fsGroupChangePolicy, policies));
  }
  checkSeccomp(errors, `${at}.seccompProfile`, context.seccompProfile);
}

function checkDns(errors: FieldError[], path: string, { dnsPolicy, dnsConfig }: PodSpec): void {
  const { nameservers = [] } = dnsConfig ?? {};
  if (dnsPolicy === "None" && dnsConfig === undefined) {
    errors.push(required(path, "must provide `dnsConfig` when `dnsPolicy` is None"));
  } else if (dnsPolicy === "None" && nameservers.length === 0) {
    const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    errors.push(required(`${path}.nameservers`, detail));
  }
  if (nameservers.length > 3) {
    errors.push(invalidValue(`${path}.nameservers`, nameservers, "must not have more than 3 nameservers"));
  }
  for (const [index, server] of nameservers.entries()) {
    if (isIP(server) !== 0) continue;
    const detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    errors.push(invalidValue(`${path}.nameservers[${index}]`, server, detail));
  }
}

function checkGates(errors: FieldError[], path: string, gates: PodSpec["schedulingGates"]): void {
  const seen = new Set<string>();
  gates?.forEach(({ name = "" }, index) => {
    pushFaults(errors, `${path}[${index}]`, name, qualifiedName(name));
    if (seen.has(name)) errors.push({ type: "Duplicate", field: `${path}[${index}]`, value: name, detail: "" });
    seen.add(name);
  });
}

/** Images of a pod that runs, where spaces around them would not be seen. */
export function checkImages(errors: FieldError[], path: string, containers: PodSpec["containers"]): void {
  containers?.forEach(({ image = "" }, index) => {
    if (image.trim() === image) return;
    errors.push(invalidValue(`${path}[${index}].image`, image, "must not have leading or trailing whitespace"));
  });
}
