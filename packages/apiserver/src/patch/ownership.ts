import type { JsonObject } from "farwatch";
import type { KindVersion } from "../registry/kind.ts";
import { apiVersionOf } from "../registry/registry.ts";
import type { FieldOwner } from "./field-owner.ts";
import {
  containsSet,
  differenceOf,
  emptySet,
  type FieldSet,
  intersectionOf,
  isEmptySet,
  unionOf,
} from "./field-set.ts";
import { type FieldType, fieldTypeOf, wholeSchema } from "./field-type.ts";
import { type Manager, type Managers, managerId, type Operation, setFields } from "./managers.ts";
import { type FieldFilter, ownableThrough } from "./reset-fields.ts";
import { type Comparison, compareTyped, filterComparison } from "./typed-compare.ts";
import { fitSetToType } from "./typed-set.ts";

/** Metadata that no one owns: the server's, and what names the object. */
const neverOwned: FieldSet = {
  "f:apiVersion": emptySet,
  "f:kind": emptySet,
  "f:metadata": {
    ".": emptySet,
    "f:name": emptySet,
    "f:namespace": emptySet,
    "f:creationTimestamp": emptySet,
    "f:selfLink": emptySet,
    "f:uid": emptySet,
    "f:clusterName": emptySet,
    "f:generation": emptySet,
    "f:managedFields": emptySet,
    "f:resourceVersion": emptySet,
  },
};

/** An object in one version. */
export interface TypedObject {
  readonly object: JsonObject;
  readonly version: TypedVersion;
}

export interface TypedVersion {
  readonly apiVersion: string;
  readonly version: KindVersion;
  readonly type: FieldType;
  /** What can be owned through the path of the request. */
  readonly ownable: FieldFilter;
}

/** The versions of a kind, as the owners of its fields name them, for one request. */
export class Versions {
  readonly own: TypedVersion;
  readonly #owner: FieldOwner;
  readonly #others = new Map<string, TypedVersion | undefined>();

  constructor(owner: FieldOwner) {
    this.#owner = owner;
    this.own = typedVersion(owner, owner.version);
  }

  /** Undefined for a version that the kind no longer has. */
  find(apiVersion: string): TypedVersion | undefined {
    if (apiVersion === this.own.apiVersion) return this.own;
    if (this.#others.has(apiVersion)) return this.#others.get(apiVersion);
    const { kind } = this.#owner;
    const version = kind.versions.find((one) => apiVersionOf(kind.group, one.version) === apiVersion);
    const found = version === undefined ? undefined : typedVersion(this.#owner, version);
    this.#others.set(apiVersion, found);
    return found;
  }

  async convert(from: TypedObject, to: TypedVersion): Promise<TypedObject> {
    const { convert } = this.#owner;
    if (from.version === to) return from;
    if (convert === undefined) return { object: { ...from.object, apiVersion: to.apiVersion }, version: to };
    return { object: await convert(from.object, to.version), version: to };
  }
}

function typedVersion({ kind, version, subresource }: FieldOwner, one: KindVersion): TypedVersion {
  return {
    apiVersion: apiVersionOf(kind.group, one.version),
    version: one,
    type: fieldTypeOf(wholeSchema(one.schema)),
    // A custom kind's strategy knows the fields of its own version alone.
    ownable: kind.custom && one !== version ? (fields) => fields : ownableThrough(kind, one, subresource),
  };
}

/** What takes a name in managedFields: the request's owner, by the operation. */
export function ownerAs(
  { manager, subresource = "", now }: FieldOwner,
  { apiVersion }: TypedVersion,
  operation: Operation,
): Manager {
  return { name: manager, operation, apiVersion, subresource, time: now, fields: emptySet };
}

/**
 * Where a type has become a whole since, its owners' parts become that whole. Versions that are gone are left for
 * later.
 */
export async function fitManagers(versions: Versions, managers: Managers): Promise<Managers> {
  const fitted: Managers = new Map();
  for (const [id, manager] of managers) {
    const version = versions.find(manager.apiVersion);
    if (version === undefined) continue;
    const fields = fitSetToType(manager.fields, version.type);
    fitted.set(id, fields === manager.fields ? manager : { ...manager, fields });
  }
  return fitted;
}

/** What each of other managers owned of the fields that a write has changed or added. */
export type Losses = ReadonlyMap<string, FieldSet>;

export interface Change {
  readonly versions: Versions;
  readonly before: TypedObject;
  readonly after: TypedObject;
  readonly managers: Managers;
  /** The id of whose the write is: it loses nothing. */
  readonly except: string | undefined;
}

/**
 * How a write changes the object, and what it takes from others. `settle` then takes it: not before, since an apply
 * asks first.
 */
export async function changeOf({ versions, before, after, managers, except }: Change): Promise<{
  readonly comparison: Comparison;
  readonly losses: Losses;
  settle(): void;
}> {
  const comparisons = new Map<string, Comparison>();
  const comparisonIn = async (version: TypedVersion): Promise<Comparison> => {
    const known = comparisons.get(version.apiVersion);
    if (known !== undefined) return known;
    const [old, next] = [await versions.convert(before, version), await versions.convert(after, version)];
    const comparison = filterComparison(compareTyped(old.object, next.object, version.type), version.ownable);
    comparisons.set(version.apiVersion, comparison);
    return comparison;
  };

  const comparison = await comparisonIn(before.version);
  const losses = new Map<string, FieldSet>();
  const removed = new Map<string, FieldSet>();
  const gone: string[] = [];
  for (const [id, manager] of managers) {
    if (id === except) continue;
    const version = versions.find(manager.apiVersion);
    if (version === undefined) {
      gone.push(id);
      continue;
    }
    const theirs = await comparisonIn(version);
    const lost = unionOf(intersectionOf(manager.fields, theirs.modified), intersectionOf(manager.fields, theirs.added));
    if (!isEmptySet(lost)) losses.set(id, lost);
    if (!isEmptySet(theirs.removed)) removed.set(id, theirs.removed);
  }

  const settle = (): void => {
    for (const id of gone) managers.delete(id);
    for (const taken of [losses, removed]) {
      for (const [id, fields] of taken) {
        const manager = managers.get(id);
        if (manager !== undefined) setFields(managers, id, differenceOf(manager.fields, fields));
      }
    }
    for (const [id, { fields }] of managers) if (isEmptySet(fields)) managers.delete(id);
  };
  return { comparison, losses, settle };
}

/** Without the fields that no one owns. */
export function withoutUnowned(fields: FieldSet): FieldSet {
  const metadata = fields["f:metadata"];
  if (metadata === undefined && fields["f:kind"] === undefined && fields["f:apiVersion"] === undefined) return fields;
  return differenceOf(fields, neverOwned);
}

/** The union; the set itself when it has them all, since much is known of one that was stored. */
function withMembers(set: FieldSet, added: FieldSet): FieldSet {
  return containsSet(set, added) ? set : unionOf(added, set);
}

/** Records what an update has changed as its owner's; nothing when it has changed nothing that can be owned. */
export function takeOwnership(managers: Managers, { added, modified }: Comparison, owner: Manager): void {
  const fields = withoutUnowned(unionOf(modified, added));
  if (isEmptySet(fields)) return;
  const id = managerId(owner);
  const known = managers.get(id);
  managers.set(id, { ...owner, fields: known === undefined ? fields : withMembers(known.fields, fields) });
}
