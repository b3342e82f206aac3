import { differenceOf, type FieldSet, hasPath, isEmptySet, setOfPath } from "../patch/field-set.ts";
import { type Manager, type Managers, managerId, readManagers, writeManagers } from "../patch/managers.ts";
import { fieldElement, type PathElement } from "../patch/path-element.ts";
import type { DraftManagedFields, StoredObject } from "../registry/api-object.ts";
import { namesOf } from "../registry/field-path.ts";
import { apiVersionOf, type ServedKind } from "../registry/registry.ts";

const scaleVersion = "autoscaling/v1";
const replicasInScale = pathOf(".spec.replicas");

function pathOf(path: string): readonly PathElement[] {
  return namesOf(path).map(fieldElement);
}

/** Where the replicas are in a version; null for one without scale, undefined for no version of this kind. */
function replicasPath({ kind }: ServedKind, apiVersion: string): readonly PathElement[] | null | undefined {
  const version = kind.versions.find((one) => apiVersionOf(kind.group, one.version) === apiVersion);
  if (version === undefined) return undefined;
  if (version.scale !== undefined) return pathOf(version.scale.specReplicasPath);
  return kind.custom ? null : replicasInScale;
}

function owns({ apiVersion, fields }: Manager, served: ServedKind): readonly PathElement[] | undefined {
  const path = replicasPath(served, apiVersion) ?? undefined;
  return path !== undefined && hasPath(fields, path) ? path : undefined;
}

/** managedFields of a Scale: those entries of the object that own the number of replicas. */
export function ownersOfScale(object: StoredObject, served: ServedKind): DraftManagedFields[] | undefined {
  const owners: Managers = new Map();
  for (const [id, manager] of readManagers(object.metadata.managedFields)) {
    if (owns(manager, served) === undefined) continue;
    owners.set(id, { ...manager, apiVersion: scaleVersion, fields: setOfPath(replicasInScale) });
  }
  return writeManagers(owners);
}

/**
 * managedFields of an object after a write through its Scale, from those of the Scale: who owns the replicas there owns
 * them here, in an entry of its own, which has no time; everybody else has lost them.
 */
export function ownersOfScaled(
  object: StoredObject,
  served: ServedKind,
  ofScale: readonly DraftManagedFields[] | undefined,
): DraftManagedFields[] | undefined {
  const { kind, version } = served;
  const scalers = readManagers(ofScale);
  const owners: Managers = new Map();
  for (const [id, manager] of readManagers(object.metadata.managedFields)) {
    if (replicasPath(served, manager.apiVersion) === undefined) continue;
    const path = owns(manager, served);
    // Updaters through a Scale are told apart by its version, appliers by none.
    if (path === undefined || scalers.delete(id)) {
      owners.set(id, manager);
      continue;
    }
    const fields: FieldSet = differenceOf(manager.fields, setOfPath(path));
    if (!isEmptySet(fields)) owners.set(id, { ...manager, fields });
  }
  const fields = setOfPath(pathOf(version.scale?.specReplicasPath ?? ".spec.replicas"));
  for (const manager of scalers.values()) {
    if (!hasPath(manager.fields, replicasInScale)) continue;
    const owner = { ...manager, apiVersion: apiVersionOf(kind.group, version.version), time: undefined, fields };
    owners.set(managerId(manager), owner);
  }
  return writeManagers(owners);
}
