import type { DraftManagedFields } from "../registry/api-object.ts";
import { compareText } from "../schema/compare-text.ts";
import { type FieldSet, isEmptySet, parseFieldSet, sortedSet } from "./field-set.ts";
import { quoted } from "./plain-text.ts";

export type Operation = "Apply" | "Update";

/** An entry of managedFields and what it owns. */
export interface Manager {
  readonly name: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Entries by `managerId`. */
export type Managers = Map<string, Manager>;

type Identity = Pick<Manager, "apiVersion" | "name" | "operation" | "subresource">;

/**
 * What makes an entry: an applier is one in all its versions, an updater one in each. The text is the one by which the
 * real server sorts and finds them.
 */
export function managerId({ name, operation, apiVersion, subresource }: Identity): string {
  const version = operation === "Apply" || apiVersion === "" ? "" : `,"apiVersion":${quoted(apiVersion)}`;
  const path = subresource === "" ? "" : `,"subresource":${quoted(subresource)}`;
  const manager = name === "" ? "" : `"manager":${quoted(name)},`;
  return `{${manager}"operation":"${operation}"${version}${path}}`;
}

/** The entries of a stored object, which the server has written. */
export function readManagers(entries: readonly DraftManagedFields[] | undefined): Managers {
  const managers: Managers = new Map();
  for (const entry of entries ?? []) {
    const manager = managerOf(entry, (entry.fieldsV1 ?? {}) as FieldSet);
    managers.set(managerId(manager), manager);
  }
  return managers;
}

/**
 * The entries that a client sends.
 *
 * @throws SyntaxError for what the real server cannot decode.
 */
export function parseManagers(entries: unknown): Managers {
  const managers: Managers = new Map();
  if (entries === undefined || entries === null) return managers;
  if (!Array.isArray(entries)) throw new SyntaxError("no list of entries");
  for (const entry of entries as readonly DraftManagedFields[]) {
    if (entry?.operation !== "Apply" && entry?.operation !== "Update") {
      throw new SyntaxError("operation must be `Apply` or `Update`");
    }
    if (typeof entry.apiVersion !== "string" || entry.apiVersion === "") {
      throw new SyntaxError("apiVersion must not be empty");
    }
    if (entry.fieldsType !== "FieldsV1") throw new SyntaxError(`invalid fieldsType ${String(entry.fieldsType)}`);
    const manager = managerOf(entry, parseFieldSet(entry.fieldsV1 ?? {}));
    managers.set(managerId(manager), manager);
  }
  return managers;
}

function managerOf(entry: DraftManagedFields, fields: FieldSet): Manager {
  const { manager = "", operation = "Update", apiVersion = "", subresource = "", time } = entry;
  return { name: manager, operation, apiVersion, subresource, time, fields };
}

/** The entries as they are stored, in the order of the real server; undefined for none. */
export function writeManagers(managers: Managers): DraftManagedFields[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()]
    .sort(compareManagers)
    .map(({ name, operation, apiVersion, subresource, time, fields }) => ({
      ...(name === "" ? {} : { manager: name }),
      operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: "FieldsV1",
      fieldsV1: sortedSet(fields),
      ...(subresource === "" ? {} : { subresource }),
    }));
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    // RFC 3339 of one form sorts as text.
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** Replaces what a manager owns; one that owns nothing is dropped. */
export function setFields(managers: Managers, id: string, fields: FieldSet): void {
  const manager = managers.get(id);
  if (manager === undefined || manager.fields === fields) return;
  if (isEmptySet(fields)) managers.delete(id);
  else managers.set(id, { ...manager, fields });
}
