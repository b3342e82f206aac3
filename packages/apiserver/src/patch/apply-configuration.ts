import type { JsonObject } from "farwatch";
import { ApiError, badRequest } from "../failure/api-error.ts";
import type { DraftManagedFields, DraftObject, StoredObject } from "../registry/api-object.ts";
import { kindText } from "../registry/registry.ts";
import { copyJson, isObject, own, sameJson } from "../schema/plain-object.ts";
import { applyConflict, lossesWithout } from "./apply-conflict.ts";
import type { FieldOwner } from "./field-owner.ts";
import { isEmptySet } from "./field-set.ts";
import { jsonKindText } from "./go-text.ts";
import { fieldsOfLastApplied, updateLastApplied } from "./last-applied.ts";
import { type Managers, managerId, readManagers, writeManagers } from "./managers.ts";
import {
  changeOf,
  fitManagers,
  ownerAs,
  type TypedObject,
  type TypedVersion,
  takeOwnership,
  Versions,
  withoutUnowned,
} from "./ownership.ts";
import { pruneApplied } from "./prune-applied.ts";
import { withoutManagers } from "./record-update.ts";
import { mergeTyped } from "./typed-merge.ts";
import { typedProblems, typedProblemsText } from "./typed-problem.ts";
import { fieldsOfValue } from "./typed-set.ts";
import { objectBeforeCreate } from "./zero-object.ts";

export interface AppliedConfiguration extends FieldOwner {
  /** The stored object in the version of the request; undefined when the apply creates it. */
  readonly live: JsonObject | undefined;
  /** The body. */
  readonly applied: unknown;
  readonly force: boolean;
}

/** The manager that stands for kubectl, whose objects may come from client-side apply. */
const kubectl = "kubectl";
const beforeFirstApply = "before-first-apply";

/**
 * Server-side apply: what the object becomes, with its managedFields, before defaulting, strategies and validation.
 * When nothing changes, the result equals `live` field by field. It shares no mutable part with `live` or `applied`.
 *
 * @throws ApiError 409 with a cause `FieldManagerConflict` a field that others own, 400 for a body that cannot be
 * applied, 500 for a body that does not fit the schema (as the real server says it).
 */
export async function applyConfiguration(apply: AppliedConfiguration): Promise<DraftObject> {
  const { kind, version } = apply;
  const versions = new Versions(apply);
  const applied = appliedObject(apply, versions);
  const stored = apply.live ?? objectBeforeCreate(kind, version);
  const live: TypedObject = { object: withoutManagers(stored), version: versions.own };
  const managers = await ownersBeforeApply(apply, versions, live);
  checkApplied(applied, { kind, ...versions.own });
  const { object, changed, owners } = await merge({ ...apply, versions, live, managers, applied });
  const draft = (changed ? object : copyJson(live.object)) as DraftObject;
  if (!isObject(draft.metadata)) draft.metadata = {};
  if (apply.manager === kubectl) updateLastApplied(draft, applied);
  const entries = writeManagers(owners);
  if (entries !== undefined) draft.metadata.managedFields = entries;
  return draft;
}

/** The body, which says that it is an object of the request's version. */
function appliedObject({ applied: body, kind }: AppliedConfiguration, { own: { apiVersion } }: Versions): JsonObject {
  // As Go reads null into a map.
  const applied = body ?? {};
  if (!isObject(applied)) {
    throw badRequest(
      "error decoding YAML: error unmarshaling JSON: while decoding JSON: " +
        `json: cannot unmarshal ${jsonKindText(applied)} into Go value of type map[string]interface {}`,
    );
  }
  const [givenVersion, givenKind] = [text(applied.apiVersion), text(applied.kind)];
  if (givenVersion !== apiVersion || givenKind !== kind.kind) {
    const isMalformed = givenVersion.split("/").length > 2;
    throw badRequest(`invalid object type: ${isMalformed ? "/, Kind=" : kindText(givenVersion, givenKind)}`);
  }
  return applied;
}

function checkApplied(
  applied: JsonObject,
  { kind, apiVersion, type }: Pick<AppliedConfiguration, "kind"> & Pick<TypedVersion, "apiVersion" | "type">,
): void {
  const { metadata } = applied;
  if (isObject(metadata) && Array.isArray(metadata.managedFields)) {
    throw badRequest("metadata.managedFields must be nil");
  }
  const problems = typedProblems(applied, type, { duplicates: false });
  if (problems.length === 0) return;
  const what = objectText(applied, kindText(apiVersion, kind.kind));
  throw failed(`failed to create typed patch object (${what}): ${typedProblemsText(problems)}`);
}

function failed(message: string): ApiError {
  return new ApiError({ code: 500, reason: "", message });
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** `default/a; apps/v1, Kind=Deployment` */
function objectText({ metadata }: JsonObject, kind: string): string {
  const { name, namespace } = isObject(metadata) ? metadata : {};
  return `${text(namespace)}/${text(name)}; ${kind}`;
}

/**
 * The owners as they are stored; where there are none, what is there is owned by what came before the first apply. That
 * was read from an update which may not fit the schema of applies, though it is valid.
 */
async function ownersBeforeApply(
  apply: AppliedConfiguration,
  versions: Versions,
  live: TypedObject,
): Promise<Managers> {
  const metadata = apply.live?.metadata;
  const entries = isObject(metadata)
    ? (metadata.managedFields as readonly DraftManagedFields[] | undefined)
    : undefined;
  const managers = await fitManagers(versions, readManagers(entries));
  if (managers.size > 0 || apply.live === undefined) return managers;
  const problems = typedProblems(live.object, live.version.type, { duplicates: true });
  if (problems.length > 0) {
    const what = objectText(live.object, kindText(live.version.apiVersion, apply.kind.kind));
    throw failed(
      `failed to create manager for existing fields: failed to convert new object (${what}) to smd typed: ${typedProblemsText(problems)}`,
    );
  }
  const before: TypedObject = { object: objectBeforeCreate(apply.kind, apply.version), version: live.version };
  const { comparison } = await changeOf({ versions, before, after: live, managers, except: undefined });
  takeOwnership(managers, comparison, ownerAs({ ...apply, manager: beforeFirstApply }, live.version, "Update"));
  return managers;
}

interface Merge extends FieldOwner {
  readonly versions: Versions;
  readonly live: TypedObject;
  readonly managers: Managers;
  readonly applied: JsonObject;
  readonly force: boolean;
}

interface Merged {
  readonly object: JsonObject;
  readonly changed: boolean;
  readonly owners: Managers;
}

async function merge(request: Merge): Promise<Merged> {
  const { versions, live, managers, applied, force } = request;
  const { version } = live;
  const owner = ownerAs(request, version, "Apply");
  const id = managerId(owner);
  const last = managers.get(id);
  const owners: Managers = new Map(managers);
  const fields = version.ownable(fieldsOfValue(applied, version.type));
  owners.set(id, { ...owner, time: last?.time, fields });

  const merged: TypedObject = { object: mergeTyped(live.object, applied, version.type) as JsonObject, version };
  const after = await pruneApplied({ versions, merged, managers: owners, last, fields });
  const { losses, settle } = await changeOf({ versions, before: live, after, managers: owners, except: id });
  if (!force && losses.size > 0) {
    const allowed = request.manager === kubectl ? fieldsOfLastApplied(live.object, version) : undefined;
    const left = allowed === undefined ? losses : lossesWithout(losses, allowed);
    if (left.size > 0) throw applyConflict(left, owners);
  }
  settle();

  const changed = !sameJson(live.object, after.object);
  const owned = withoutUnowned(fields);
  if (isEmptySet(owned)) owners.delete(id);
  else {
    const time = changed ? owner.time : last?.time;
    // Much is known already of a set that was stored.
    owners.set(id, {
      ...owner,
      time,
      fields: last !== undefined && sameJson(owned, last.fields) ? last.fields : owned,
    });
  }
  return { object: after.object, changed, owners };
}

/**
 * Gives entries of `after.metadata.managedFields` their old times again when the write changes nothing but times: the
 * last step before a write is compared with what is stored, for updates, patches and applies alike.
 */
export function keepTimesOfNoChange(before: StoredObject, after: DraftObject): void {
  const old = before.metadata.managedFields;
  const entries = after.metadata.managedFields;
  if (old === undefined || entries === undefined || entries.length === 0 || old.length !== entries.length) return;
  if (entries.every(({ time }, index) => time === old[index]?.time)) return;
  const untimed = (list: readonly DraftManagedFields[]): unknown => list.map(({ time: _, ...entry }) => entry);
  if (!sameJson(untimed(old), untimed(entries))) return;
  if (!sameJson(withoutManagers(before), withoutManagers(after))) return;
  after.metadata.managedFields = entries.map((entry, index) => {
    const time = own(old as unknown as Record<string, DraftManagedFields>, String(index))?.time;
    const { time: _, ...rest } = entry;
    return time === undefined ? rest : { ...entry, time };
  });
}
