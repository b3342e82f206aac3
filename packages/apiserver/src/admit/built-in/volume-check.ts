import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../failure/field-error.ts";
import { checkName } from "../field-check.ts";
import { dnsLabel, dnsSubdomain } from "../name-rule.ts";
import { pushFaults } from "../object-meta.ts";
import { checkClaimSpec } from "./claim-check.ts";
import { pushFieldRefErrors, pushResourceFieldErrors, volumeFieldPaths } from "./downward-check.ts";
import type { DownwardFile, KeyToPath, Volume } from "./pod-shape.ts";

export type Volumes = ReadonlyMap<string, Volume>;

/** In the order in which the real server looks at them. */
export const volumeSources = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
] as const;
const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** Checks volumes and answers the good ones by name, for the mounts to refer to. */
export function checkVolumes(errors: FieldError[], path: string, volumes: readonly Volume[] | undefined): Volumes {
  const good = new Map<string, Volume>();
  volumes?.forEach((volume, index) => {
    const at = `${path}[${index}]`;
    const before = errors.length;
    checkVolumeSource(errors, at, { source: volume });
    const { name = "" } = volume;
    checkName(errors, `${at}.name`, name, dnsLabel);
    if (good.has(name)) errors.push(duplicate(`${at}.name`, name));
    if (errors.length === before) good.set(name, volume);
  });
  return good;
}

/** Exactly one source, of a pod's volume or of a persistent one. */
export function checkVolumeSource(
  errors: FieldError[],
  path: string,
  { source: volume, ofPersistentVolume = false }: { readonly source: object; readonly ofPersistentVolume?: boolean },
): void {
  const fields = volume as Readonly<Record<string, unknown>>;
  const known: readonly string[] = ofPersistentVolume ? [...volumeSources, "local"] : volumeSources;
  const given = known.filter((source) => fields[source] !== undefined && fields[source] !== null);
  const [first, ...others] = given;
  if (first === undefined) errors.push(required(path, "must specify a volume type"));
  else checkGiven(errors, path, volume as Volume);
  for (const other of others)
    errors.push(forbiddenField(`${path}.${other}`, "may not specify more than 1 volume type"));
}

function checkGiven(errors: FieldError[], path: string, volume: Volume): void {
  const { hostPath, secret, configMap, persistentVolumeClaim, downwardAPI, projected, nfs, csi, ephemeral } = volume;
  if (hostPath !== undefined) {
    if ((hostPath.path ?? "") === "") errors.push(required(`${path}.hostPath.path`));
    else {
      pushBackstepErrors(errors, `${path}.hostPath.path`, hostPath.path ?? "");
      const { type = "" } = hostPath;
      if (!hostPathTypes.includes(type)) errors.push(notSupported(`${path}.hostPath.type`, type, hostPathTypes));
    }
  } else if (secret !== undefined) {
    if ((secret.secretName ?? "") === "") errors.push(required(`${path}.secret.secretName`));
    checkItems(errors, `${path}.secret`, secret);
  } else if (nfs !== undefined) {
    if ((nfs.server ?? "") === "") errors.push(required(`${path}.nfs.server`));
    if ((nfs.path ?? "") === "") errors.push(required(`${path}.nfs.path`));
    else if (!nfs.path?.startsWith("/"))
      errors.push(invalidValue(`${path}.nfs.path`, nfs.path, "must be an absolute path"));
  } else if (persistentVolumeClaim !== undefined) {
    if ((persistentVolumeClaim.claimName ?? "") === "")
      errors.push(required(`${path}.persistentVolumeClaim.claimName`));
  } else if (downwardAPI !== undefined) {
    pushModeErrors(errors, `${path}.downwardAPI.defaultMode`, downwardAPI.defaultMode);
    for (const file of downwardAPI.items ?? []) checkDownwardFile(errors, `${path}.downwardAPI`, file);
  } else if (configMap !== undefined) {
    if ((configMap.name ?? "") === "") errors.push(required(`${path}.configMap.name`));
    checkItems(errors, `${path}.configMap`, configMap);
  } else if (projected !== undefined) {
    pushModeErrors(errors, `${path}.projected.defaultMode`, projected.defaultMode);
    checkProjections(errors, `${path}.projected`, projected);
  } else if (csi !== undefined) {
    if ((csi.driver ?? "") === "") errors.push(required(`${path}.csi.driver`));
    else pushFaults(errors, `${path}.csi.driver`, csi.driver, dnsSubdomain((csi.driver ?? "").toLowerCase()));
  } else if (ephemeral !== undefined) {
    const { volumeClaimTemplate: template } = ephemeral;
    if (template === undefined) errors.push(required(`${path}.ephemeral.volumeClaimTemplate`));
    else checkClaimSpec(errors, `${path}.ephemeral.volumeClaimTemplate.spec`, template.spec ?? {});
  }
}

function checkProjections(
  errors: FieldError[],
  path: string,
  { sources: projections = [] }: NonNullable<Volume["projected"]>,
): void {
  const paths = new Set<string>();
  const claim = (at: string | undefined, value: unknown): void => {
    if (at === undefined || at === "") return;
    if (paths.has(at)) errors.push(invalidValue(path, value, "conflicting duplicate paths"));
    paths.add(at);
  };
  projections.forEach((projection, index) => {
    const at = `${path}.sources[${index}]`;
    const { secret, configMap, downwardAPI, serviceAccountToken } = projection;
    const count = Object.values(projection).filter((one) => one !== undefined).length;
    for (const [field, source] of [
      ["secret", secret],
      ["configMap", configMap],
    ] as const) {
      if (source === undefined) continue;
      if ((source.name ?? "") === "") errors.push(required(`${at}.${field}.name`));
      source.items?.forEach((item, position) => {
        checkItem(errors, `${at}.${field}.items[${position}]`, item);
        claim(item.path, source.name ?? "");
      });
    }
    for (const file of downwardAPI?.items ?? []) {
      checkDownwardFile(errors, `${at}.downwardAPI`, file);
      claim(file.path, file.path);
    }
    if (serviceAccountToken !== undefined) {
      const { expirationSeconds = 0, path: tokenPath = "" } = serviceAccountToken;
      const field = `${at}.serviceAccountToken.expirationSeconds`;
      if (expirationSeconds < 600) {
        errors.push(invalidValue(field, expirationSeconds, "may not specify a duration less than 10 minutes"));
      }
      if (expirationSeconds > 2 ** 32) {
        errors.push(invalidValue(field, expirationSeconds, "may not specify a duration larger than 2^32 seconds"));
      }
      if (tokenPath === "") errors.push(required(`${path}.path`));
      else pushLocalPathErrors(errors, `${path}.path`, tokenPath);
    }
    if (count > 1) errors.push(forbiddenField(at, "may not specify more than 1 volume type"));
  });
}

function checkItems(
  errors: FieldError[],
  path: string,
  { defaultMode, items = [] }: { readonly defaultMode?: number; readonly items?: readonly KeyToPath[] },
): void {
  pushModeErrors(errors, `${path}.defaultMode`, defaultMode);
  items.forEach((item, index) => {
    checkItem(errors, `${path}.items[${index}]`, item);
  });
}

function checkItem(errors: FieldError[], path: string, item: KeyToPath): void {
  if ((item.key ?? "") === "") errors.push(required(`${path}.key`));
  if ((item.path ?? "") === "") errors.push(required(`${path}.path`));
  pushLocalPathErrors(errors, `${path}.path`, item.path ?? "");
  pushModeErrors(errors, `${path}.mode`, item.mode);
}

function checkDownwardFile(errors: FieldError[], path: string, file: DownwardFile): void {
  if ((file.path ?? "") === "") errors.push(required(`${path}.path`));
  pushLocalPathErrors(errors, `${path}.path`, file.path ?? "");
  if (file.fieldRef !== undefined) {
    pushFieldRefErrors(errors, `${path}.fieldRef`, { selector: file.fieldRef, allowed: volumeFieldPaths });
    if (file.resourceFieldRef !== undefined) {
      errors.push(invalidValue(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
  } else if (file.resourceFieldRef !== undefined) {
    pushResourceFieldErrors(errors, `${path}.resourceFieldRef`, { selector: file.resourceFieldRef, inVolume: true });
  } else errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  pushModeErrors(errors, `${path}.mode`, file.mode);
}

function pushModeErrors(errors: FieldError[], path: string, mode: number | undefined): void {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return;
  errors.push(invalidValue(path, mode, "must be a number between 0 and 0777 (octal), both inclusive"));
}

function pushBackstepErrors(errors: FieldError[], path: string, text: string): void {
  if (text.split("/").includes("..")) errors.push(invalidValue(path, text, "must not contain '..'"));
}

/** A path that stays below the folder it is in. */
export function pushDescendingPathErrors(errors: FieldError[], path: string, text: string): void {
  if (text.startsWith("/")) errors.push(invalidValue(path, text, "must be a relative path"));
  pushBackstepErrors(errors, path, text);
}

function pushLocalPathErrors(errors: FieldError[], path: string, text: string): void {
  pushDescendingPathErrors(errors, path, text);
  if (text.startsWith("..") && !text.startsWith("../"))
    errors.push(invalidValue(path, text, "must not start with '..'"));
}
