import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import { checkOneOf, checkPort } from "../field-check.ts";
import { dnsLabel, ianaServiceName } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { checkEnv, checkEnvFrom } from "./environment-check.ts";
import type { Container, ContainerPort } from "./pod-shape.ts";
import { checkHooksAndProbes } from "./probe-check.ts";
import { checkResources } from "./resource-check.ts";
import { checkSecurityContext } from "./security-check.ts";
import { pushDescendingPathErrors, type Volumes } from "./volume-check.ts";

/** What the checks of a container need to know of its pod. */
export interface PodFacts {
  readonly volumes: Volumes;
  readonly graceSeconds: number;
}

/** The containers of a pod that run side by side. */
export function checkContainers(
  errors: FieldError[],
  path: string,
  { containers, facts }: { readonly containers: readonly Container[]; readonly facts: PodFacts },
): void {
  if (containers.length === 0) {
    errors.push(required(path));
    return;
  }
  const names = new Set<string>();
  containers.forEach((container, index) => {
    const at = `${path}[${index}]`;
    checkContainer(errors, at, { container, facts });
    const { name = "" } = container;
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    checkHooksAndProbes(errors, at, { container, graceSeconds: facts.graceSeconds });
    if (container.restartPolicy !== undefined && !restartPolicies.includes(container.restartPolicy)) {
      errors.push(notSupported(`${at}.restartPolicy`, container.restartPolicy, restartPolicies));
    }
  });
  checkHostPorts(errors, path, containers);
}

const restartPolicies = ["Always", "Never", "OnFailure"];

/** The containers that run before the others, one after the other; those with restartPolicy Always stay. */
export function checkInitContainers(
  errors: FieldError[],
  path: string,
  {
    containers,
    regular,
    facts,
  }: { readonly containers: readonly Container[]; readonly regular: readonly Container[]; readonly facts: PodFacts },
): void {
  const names = new Set(regular.map(({ name = "" }) => name));
  containers.forEach((container, index) => {
    const at = `${path}[${index}]`;
    checkContainer(errors, at, { container, facts });
    const { name = "", restartPolicy } = container;
    if (restartPolicy !== undefined && !restartPolicies.includes(restartPolicy)) {
      errors.push(notSupported(`${at}.restartPolicy`, restartPolicy, restartPolicies));
    }
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else if (name !== "") names.add(name);
    checkHostPorts(errors, path, [container]);
    if (restartPolicy === "Always") checkHooksAndProbes(errors, at, { container, graceSeconds: facts.graceSeconds });
    else {
      for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
        if (container[field] === undefined) continue;
        errors.push(
          forbiddenField(`${at}.${field}`, "may not be set for init containers without restartPolicy=Always"),
        );
      }
    }
  });
}

interface InPod {
  readonly container: Container;
  readonly facts: PodFacts;
}

/** What all kinds of containers must keep to. */
export function checkContainer(errors: FieldError[], path: string, { container, facts }: InPod): void {
  const { name = "", image = "" } = container;
  if (name === "") errors.push(required(`${path}.name`));
  else pushFaults(errors, `${path}.name`, name, dnsLabel(name));
  if (image === "") errors.push(required(`${path}.image`));
  checkOneOf(errors, `${path}.terminationMessagePolicy`, {
    value: container.terminationMessagePolicy,
    of: ["File", "FallbackToLogsOnError"],
  });
  checkPorts(errors, `${path}.ports`, container.ports);
  checkEnv(errors, `${path}.env`, container.env);
  checkEnvFrom(errors, `${path}.envFrom`, container.envFrom);
  checkMounts(errors, `${path}.volumeMounts`, { container, facts });
  checkDevices(errors, `${path}.volumeDevices`, { container, facts });
  checkOneOf(errors, `${path}.imagePullPolicy`, {
    value: container.imagePullPolicy,
    of: ["Always", "IfNotPresent", "Never"],
  });
  checkResources(errors, `${path}.resources`, container.resources);
  checkSecurityContext(errors, `${path}.securityContext`, container.securityContext);
}

function checkPorts(errors: FieldError[], path: string, ports: readonly ContainerPort[] | undefined): void {
  const names = new Set<string>();
  ports?.forEach((port, index) => {
    const at = `${path}[${index}]`;
    const { name = "" } = port;
    if (name !== "") {
      const faults = ianaServiceName(name);
      pushFaults(errors, `${at}.name`, name, faults);
      if (faults.length === 0 && names.has(name)) errors.push(duplicate(`${at}.name`, name));
      if (faults.length === 0) names.add(name);
    }
    if ((port.containerPort ?? 0) === 0) errors.push(required(`${at}.containerPort`));
    else checkPort(errors, `${at}.containerPort`, port.containerPort);
    if ((port.hostPort ?? 0) !== 0) checkPort(errors, `${at}.hostPort`, port.hostPort);
    checkOneOf(errors, `${at}.protocol`, { value: port.protocol, of: ["SCTP", "TCP", "UDP"] });
  });
}

function checkHostPorts(errors: FieldError[], path: string, containers: readonly Container[]): void {
  const taken = new Set<string>();
  containers.forEach(({ ports = [] }, index) => {
    ports.forEach(({ hostPort = 0, hostIP = "", protocol = "" }, position) => {
      if (hostPort === 0) return;
      const id = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(id)) errors.push(duplicate(`${path}[${index}].ports[${position}].hostPort`, id));
      taken.add(id);
    });
  });
}

const propagations = ["Bidirectional", "HostToContainer", "None"];

function checkMounts(errors: FieldError[], path: string, { container, facts }: InPod): void {
  const devices = new Map((container.volumeDevices ?? []).map(({ name = "", devicePath = "" }) => [name, devicePath]));
  const devicePaths = new Set(devices.values());
  const taken = new Set<string>();
  container.volumeMounts?.forEach((mount, index) => {
    const at = `${path}[${index}]`;
    const { name = "", mountPath = "", subPath = "", subPathExpr = "", mountPropagation } = mount;
    if (name === "") errors.push(required(`${at}.name`));
    if (!facts.volumes.has(name)) errors.push({ type: "NotFound", field: `${at}.name`, value: name, detail: "" });
    if (mountPath === "") errors.push(required(`${at}.mountPath`));
    if (taken.has(mountPath)) errors.push(invalidValue(`${at}.mountPath`, mountPath, "must be unique"));
    taken.add(mountPath);
    if (devices.has(name)) errors.push(invalidValue(`${at}.name`, name, "must not already exist in volumeDevices"));
    if (devicePaths.has(mountPath)) {
      errors.push(invalidValue(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices"));
    }
    if (subPath !== "") pushDescendingPathErrors(errors, `${path}.subPath`, subPath);
    if (subPathExpr !== "") {
      if (subPath !== "") {
        errors.push(invalidValue(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive"));
      }
      pushDescendingPathErrors(errors, `${path}.subPathExpr`, subPathExpr);
    }
    if (mountPropagation === undefined) return;
    const field = `${path}.mountPropagation`;
    if (!propagations.includes(mountPropagation)) errors.push(notSupported(field, mountPropagation, propagations));
    if (mountPropagation === "Bidirectional" && container.securityContext?.privileged !== true) {
      errors.push(forbiddenField(field, "Bidirectional mount propagation is available only to privileged containers"));
    }
  });
}

function checkDevices(errors: FieldError[], path: string, { container, facts }: InPod): void {
  const mounts = new Map((container.volumeMounts ?? []).map(({ name = "", mountPath = "" }) => [name, mountPath]));
  const mountPaths = new Set(mounts.values());
  const names = new Set<string>();
  const paths = new Set<string>();
  container.volumeDevices?.forEach(({ name = "", devicePath = "" }, index) => {
    const at = `${path}[${index}]`;
    const volume = facts.volumes.get(name);
    if (name === "") errors.push(required(`${at}.name`));
    if (names.has(name)) errors.push(invalidValue(`${at}.name`, name, "must be unique"));
    if (volume === undefined) errors.push({ type: "NotFound", field: `${at}.name`, value: name, detail: "" });
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      errors.push(invalidValue(`${at}.name`, name, detail));
    }
    if (devicePath === "") errors.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalidValue(`${at}.devicePath`, devicePath, "must be unique"));
    if (devicePath.split("/").includes("..")) {
      errors.push(invalidValue(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    } else paths.add(devicePath);
    if (mounts.has(name)) errors.push(invalidValue(`${at}.name`, name, "must not already exist in volumeMounts"));
    if (mountPaths.has(devicePath)) {
      errors.push(invalidValue(`${at}.devicePath`, devicePath, "must not already exist as a path in volumeMounts"));
    }
    if (name !== "") names.add(name);
  });
}
