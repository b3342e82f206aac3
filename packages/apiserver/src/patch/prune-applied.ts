import type { JsonObject } from "farwatch";
import {
  containsSet,
  differenceOf,
  emptySet,
  type FieldSet,
  intersectionOf,
  isEmptySet,
  unionOf,
} from "./field-set.ts";
import type { Manager, Managers } from "./managers.ts";
import type { TypedObject, TypedVersion, Versions } from "./ownership.ts";
import { removeFields } from "./typed-merge.ts";
import { fieldsOfValue, withNamedFields } from "./typed-set.ts";

/** Like `removeFields` for a whole object, of which something is always left. */
function remove({ object, version }: TypedObject, fields: FieldSet): TypedObject {
  return { object: removeFields(object, fields, version.type) as JsonObject, version };
}

/** The fields of an object, and the structures on the way to them. */
function namedFields({ object, version }: TypedObject): FieldSet {
  return withNamedFields(fieldsOfValue(object, version.type), version.type);
}

export interface Prune {
  readonly versions: Versions;
  /** Live object and configuration, merged. */
  readonly merged: TypedObject;
  /** With what the applier owns now. */
  readonly managers: Managers;
  /** What it owned after it applied last. */
  readonly last: Manager | undefined;
  /** What it applies now. */
  readonly fields: FieldSet;
}

/** Takes from a merged object what its applier applied last time and does not now, unless somebody else owns it. */
export async function pruneApplied({ versions, merged, managers, last, fields }: Prune): Promise<TypedObject> {
  if (last === undefined || isEmptySet(last.fields)) return merged;
  // All of it is applied again: nothing could go.
  if (last.apiVersion === merged.version.apiVersion && containsSet(fields, last.fields)) return merged;
  const version = versions.find(last.apiVersion);
  if (version === undefined) return merged;
  const before = await versions.convert(merged, version);
  const lastFields = withNamedFields(last.fields, version.type);
  const cut = remove(before, lastFields);
  const owned = await addBackOwned({ versions, merged: before, pruned: cut, managers });
  return versions.convert(
    await addBackDangling(versions, { merged: before, pruned: owned, lastFields }),
    merged.version,
  );
}

interface AddBack {
  readonly versions: Versions;
  readonly merged: TypedObject;
  readonly pruned: TypedObject;
  readonly managers: Managers;
}

/** Gives back what is owned by someone, the applier included, in each version in which someone owns. */
async function addBackOwned({ versions, merged, pruned, managers }: AddBack): Promise<TypedObject> {
  const ownedIn = new Map<TypedVersion, FieldSet>();
  for (const { apiVersion, fields } of managers.values()) {
    const version = versions.find(apiVersion);
    if (version !== undefined) ownedIn.set(version, unionOf(ownedIn.get(version) ?? emptySet, fields));
  }
  // The version of the pruned object first: others may need its fields to be converted.
  const order = [...ownedIn.keys()].sort((a, b) => Number(b === pruned.version) - Number(a === pruned.version));
  let [whole, kept] = [merged, pruned];
  for (const version of order) {
    whole = await versions.convert(whole, version);
    kept = await versions.convert(kept, version);
    const owned = withNamedFields(ownedIn.get(version) ?? emptySet, version.type);
    kept = remove(whole, differenceOf(namedFields(whole), unionOf(namedFields(kept), owned)));
  }
  return kept;
}

/**
 * Gives back what was taken but had not been the applier's: below what it owned, others may have put things that nobody
 * owns.
 */
async function addBackDangling(
  versions: Versions,
  {
    merged,
    pruned,
    lastFields,
  }: { readonly merged: TypedObject; readonly pruned: TypedObject; readonly lastFields: FieldSet },
): Promise<TypedObject> {
  const kept = await versions.convert(pruned, merged.version);
  return remove(merged, intersectionOf(differenceOf(namedFields(merged), namedFields(kept)), lastFields));
}
