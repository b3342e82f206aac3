import type { JsonObject } from "farwatch";
import type { DraftManagedFields, DraftMeta, DraftObject } from "../registry/api-object.ts";
import { isObject, sameJson } from "../schema/plain-object.ts";
import { capManagers } from "./cap-managers.ts";
import type { FieldOwner } from "./field-owner.ts";
import { type Managers, parseManagers, readManagers, writeManagers } from "./managers.ts";
import { changeOf, fitManagers, ownerAs, type TypedVersion, takeOwnership, Versions } from "./ownership.ts";
import { typedProblems } from "./typed-problem.ts";
import { objectBeforeCreate } from "./zero-object.ts";

export interface RecordedUpdate extends FieldOwner {
  /** The stored object in the version of the request; undefined at a creation. */
  readonly before: JsonObject | undefined;
  /**
   * What the request makes of it, decoded and defaulted, but before any strategy, webhook or validation has touched it.
   * Its `metadata.managedFields`, as the client sent them, are replaced in place.
   */
  readonly after: DraftObject;
}

/**
 * Sets `after.metadata.managedFields` for a create, an update or a patch other than apply. Nothing that a client sends
 * makes it throw: an object that does not fit its schema, which is refused later, has no owners.
 */
export async function recordUpdate(update: RecordedUpdate): Promise<void> {
  const { before, after } = update;
  const managers = sentManagers(update);
  const { managedFields: _, ...kept } = after.metadata;
  const metadata: DraftMeta = kept;
  after.metadata = metadata;
  // Of an object that nobody owns a part of, nobody will until someone applies.
  if (managers.size === 0 && before !== undefined) return;
  const entries = await entriesOf(update, managers);
  if (entries !== undefined) metadata.managedFields = entries;
}

/**
 * The owners that the write starts from: those that the client sends, so that it can give ownership up, or the stored
 * ones where it sends none or nonsense. `[]` and `[{}]` clear them.
 */
function sentManagers({ before, after, subresource }: RecordedUpdate): Managers {
  const sent: unknown = after.metadata.managedFields;
  const stored = storedEntries(before);
  // A subresource cannot change them, and what has not been changed need not be read.
  if (subresource !== undefined || sameJson(sent, stored)) return readManagers(stored);
  if (clearsManagers(sent)) return new Map();
  try {
    const managers = parseManagers(sent);
    if (managers.size > 0) return managers;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return readManagers(stored);
}

function storedEntries(object: JsonObject | undefined): readonly DraftManagedFields[] | undefined {
  const metadata = object?.metadata;
  return isObject(metadata) ? (metadata.managedFields as readonly DraftManagedFields[] | undefined) : undefined;
}

function clearsManagers(sent: unknown): boolean {
  if (!Array.isArray(sent)) return false;
  return sent.length === 0 || (sent.length === 1 && isObject(sent[0]) && Object.keys(sent[0]).length === 0);
}

async function entriesOf(update: RecordedUpdate, sent: Managers): Promise<DraftManagedFields[] | undefined> {
  const { kind, version, before = objectBeforeCreate(kind, version), after } = update;
  const versions = new Versions(update);
  const { own } = versions;
  if (!fits(before, own) || !fits(after, own)) return undefined;
  const managers = await fitManagers(versions, sent);
  const { comparison, settle } = await changeOf({
    versions,
    before: { object: withoutManagers(before), version: own },
    after: { object: after, version: own },
    managers,
    except: undefined,
  });
  settle();
  takeOwnership(managers, comparison, ownerAs(update, own, "Update"));
  capManagers(managers);
  return writeManagers(managers);
}

function fits(object: JsonObject, { type }: TypedVersion): boolean {
  return typedProblems(object, type, { duplicates: true }).length === 0;
}

/** managedFields are no fields that could be owned, and never compared. */
export function withoutManagers(object: JsonObject): JsonObject {
  const metadata = object.metadata;
  if (!isObject(metadata) || metadata.managedFields === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
