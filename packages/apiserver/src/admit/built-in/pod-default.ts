import { setDefault, setDefaultText } from "./object-kind.ts";
import type { ClaimSpec, Container, Handler, PodSpec, PodTemplate, Probe, Volume } from "./pod-shape.ts";

/** What the API gives to every pod spec, in templates too. */
export function applyPodSpecDefaults(spec: PodSpec): void {
  for (const volume of spec.volumes ?? []) applyVolumeDefaults(volume);
  for (const container of allContainers(spec)) applyContainerDefaults(container);
  setDefaultText(spec, "restartPolicy", "Always");
  setDefault(spec, "terminationGracePeriodSeconds", 30);
  setDefaultText(spec, "dnsPolicy", "ClusterFirst");
  setDefault(spec, "securityContext", {});
  setDefaultText(spec, "schedulerName", "default-scheduler");
  applyServiceAccount(spec);
}

/** `serviceAccount` is the old name of `serviceAccountName`; both are kept the same. */
function applyServiceAccount(spec: PodSpec): void {
  const name = (spec.serviceAccountName ?? "") === "" ? spec.serviceAccount : spec.serviceAccountName;
  if (name === undefined || name === "") return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

export function applyTemplateDefaults(template: PodTemplate | undefined): void {
  if (template === undefined) return;
  template.metadata ??= {};
  template.spec ??= {};
  applyPodSpecDefaults(template.spec);
}

/** What only pods get. */
export function applyPodDefaults(spec: PodSpec): void {
  for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    if (resources?.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests };
  }
  setDefault(spec, "enableServiceLinks", true);
  if (spec.hostNetwork !== true) return;
  for (const { ports = [] } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const port of ports) if (port.containerPort !== undefined) setDefault(port, "hostPort", port.containerPort);
  }
}

function allContainers(spec: PodSpec): readonly Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** Init containers first, each with where it stands below the spec's path. */
export function allContainersWithPath(spec: PodSpec, path: string): readonly (readonly [Container, string])[] {
  const fields = ["initContainers", "containers", "ephemeralContainers"] as const;
  return fields.flatMap((field) =>
    (spec[field] ?? []).map((container, index) => [container, `${path}.${field}[${index}]`] as const),
  );
}

function applyContainerDefaults(container: Container): void {
  setDefault(container, "resources", {});
  setDefaultText(container, "terminationMessagePath", "/dev/termination-log");
  setDefaultText(container, "terminationMessagePolicy", "File");
  setDefaultText(container, "imagePullPolicy", pullPolicyOf(container.image ?? ""));
  for (const port of container.ports ?? []) setDefaultText(port, "protocol", "TCP");
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef !== undefined) setDefaultText(valueFrom.fieldRef, "apiVersion", "v1");
    if (valueFrom?.resourceFieldRef !== undefined) setDefault(valueFrom.resourceFieldRef, "divisor", "0");
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe !== undefined) applyProbeDefaults(probe);
  }
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop]) {
    if (handler !== undefined) applyHandlerDefaults(handler);
  }
}

/** Of an image with a tag that moves: always; with another tag or a digest: unless it is there. */
function pullPolicyOf(image: string): string {
  const name = image.slice(image.lastIndexOf("/") + 1);
  if (name.includes("@")) return "IfNotPresent";
  const tag = name.includes(":") ? name.slice(name.indexOf(":") + 1) : "latest";
  return image !== "" && tag === "latest" ? "Always" : "IfNotPresent";
}

function applyProbeDefaults(probe: Probe): void {
  const set = (field: keyof Probe & `${string}${"Seconds" | "Threshold"}`, value: number): void => {
    if ((probe[field] ?? 0) === 0) probe[field] = value;
  };
  set("timeoutSeconds", 1);
  set("periodSeconds", 10);
  set("successThreshold", 1);
  set("failureThreshold", 3);
  applyHandlerDefaults(probe);
}

function applyHandlerDefaults({ httpGet }: Handler): void {
  if (httpGet === undefined) return;
  setDefaultText(httpGet, "path", "/");
  setDefaultText(httpGet, "scheme", "HTTP");
}

const mode = 0o644;

function applyVolumeDefaults(volume: Volume): void {
  if (Object.keys(volume).every((field) => field === "name")) volume.emptyDir = {};
  if (volume.secret !== undefined) setDefault(volume.secret, "defaultMode", mode);
  if (volume.configMap !== undefined) setDefault(volume.configMap, "defaultMode", mode);
  if (volume.hostPath !== undefined) setDefault(volume.hostPath, "type", "");
  if (volume.image !== undefined) {
    setDefaultText(volume.image, "pullPolicy", pullPolicyOf(volume.image.reference ?? ""));
  }
  const files = [...(volume.downwardAPI?.items ?? [])];
  if (volume.downwardAPI !== undefined) setDefault(volume.downwardAPI, "defaultMode", mode);
  if (volume.projected !== undefined) setDefault(volume.projected, "defaultMode", mode);
  for (const { serviceAccountToken, downwardAPI } of volume.projected?.sources ?? []) {
    if (serviceAccountToken !== undefined) setDefault(serviceAccountToken, "expirationSeconds", 3_600);
    files.push(...(downwardAPI?.items ?? []));
  }
  for (const { fieldRef, resourceFieldRef } of files) {
    if (fieldRef !== undefined) setDefaultText(fieldRef, "apiVersion", "v1");
    if (resourceFieldRef !== undefined) setDefault(resourceFieldRef, "divisor", "0");
  }
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim !== undefined) {
    claim.metadata ??= {};
    claim.spec ??= {};
    applyClaimDefaults(claim.spec);
  }
}

/** Of a claim for a volume, and of templates of such. */
export function applyClaimDefaults(spec: ClaimSpec): void {
  setDefault(spec, "volumeMode", "Filesystem");
  setDefault(spec, "resources", {});
  const { dataSource, dataSourceRef } = spec;
  if (dataSourceRef === undefined && dataSource !== undefined) spec.dataSourceRef = { ...dataSource };
  else if (dataSource === undefined && dataSourceRef !== undefined && (dataSourceRef.namespace ?? "") === "") {
    spec.dataSource = { ...dataSourceRef };
  }
}
