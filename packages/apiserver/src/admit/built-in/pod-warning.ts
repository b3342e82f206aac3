import { dnsLabel } from "../name-rule.ts";
import { allContainersWithPath } from "./pod-default.ts";
import type { Container, ContainerPort, PodSpec, PodTemplate } from "./pod-shape.ts";

/** What users of a pod spec are warned of: `path` is that of the spec. */
export function podSpecWarnings(spec: PodSpec, path: string): readonly string[] {
  const warnings: string[] = [];
  spec.topologySpreadConstraints?.forEach(({ labelSelector }, index) => {
    if (labelSelector !== undefined) return;
    const field = `${path}.topologySpreadConstraints[${index}].labelSelector`;
    warnings.push(`${field}: a null labelSelector results in matching no pod`);
  });
  pushSecretWarnings(warnings, spec, path);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const advice = "must be >= 0; negative values are invalid and will be treated as 1";
    warnings.push(`${path}.terminationGracePeriodSeconds: ${advice}`);
  }
  const containers = allContainersWithPath(spec, path);
  for (const [container, at] of containers) pushEnvWarnings(warnings, container, at);
  pushPortWarnings(warnings, containers);
  return warnings;
}

/** Warnings of a name that becomes part of pods' host names. */
export function hostNameWarnings(name: string | undefined, use: string): readonly string[] {
  const faults = dnsLabel(name ?? "");
  if (faults.length === 0) return [];
  const advice = "which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: this is used in ${use}, ${advice}: [${faults.join(" ")}]`];
}

export function templateWarnings(template: PodTemplate | undefined, path: string): readonly string[] {
  return template?.spec === undefined ? [] : podSpecWarnings(template.spec, `${path}.spec`);
}

function pushSecretWarnings(warnings: string[], { imagePullSecrets = [] }: PodSpec, path: string): void {
  const seen = new Set<string>();
  imagePullSecrets.forEach(({ name = "" }, index) => {
    const field = `${path}.imagePullSecrets[${index}].name`;
    if (seen.has(name)) warnings.push(`${field}: duplicate name ${JSON.stringify(name)}`);
    seen.add(name);
  });
  imagePullSecrets.forEach(({ name = "" }, index) => {
    if (name === "") warnings.push(`${path}.imagePullSecrets[${index}].name: invalid empty name ""`);
  });
}

function pushEnvWarnings(warnings: string[], { env = [] }: Container, path: string): void {
  const seen = new Set<string>();
  env.forEach(({ name = "", value = "", valueFrom }, index) => {
    const reference = `$(${name})`;
    if (seen.has(name) && (valueFrom !== undefined || value === reference || !value.includes(reference))) {
      const text = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
      warnings.push(`${path}.env[${index}]: ${text}`);
    }
    seen.add(name);
  });
}

type Placed = readonly [port: ContainerPort, path: string];

function pushPortWarnings(warnings: string[], containers: readonly (readonly [Container, string])[]): void {
  const seen = new Map<string, Placed[]>();
  const names = new Map<string, string>();
  for (const [{ ports = [] }, path] of containers) {
    ports.forEach((port, index) => {
      const at = `${path}.ports[${index}]`;
      const { containerPort = 0, protocol = "", hostPort = 0, hostIP = "" } = port;
      const key = `${containerPort}/${protocol}`;
      const others = seen.get(key) ?? [];
      for (const [other, where] of others) {
        const [otherPort, otherIp] = [other.hostPort ?? 0, other.hostIP ?? ""];
        if (hostIP === otherIp && hostPort === otherPort) {
          warnings.push(`${at}: duplicate port definition with ${where}`);
        } else if (hostPort === 0 || otherPort === 0) {
          warnings.push(`${at}: overlapping port definition with ${where}`);
        } else if (hostPort === otherPort && (hostIP === "") !== (otherIp === "")) {
          warnings.push(`${at}: dangerously ambiguous port definition with ${where}`);
        }
      }
      seen.set(key, [...others, [port, at]]);
    });
  }
  for (const [{ ports = [] }, path] of containers) {
    ports.forEach(({ name = "" }, index) => {
      if (name === "") return;
      const at = `${path}.ports[${index}]`;
      const other = names.get(name);
      if (other === undefined) names.set(name, at);
      else {
        const which = `services and probes that select ports by name will use ${other}`;
        warnings.push(`${at}: duplicate port name ${JSON.stringify(name)} with ${other}, ${which}`);
      }
    });
  }
}
