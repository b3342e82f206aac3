import { isObject } from "../schema/plain-object.ts";
import { objectKey } from "./collection.ts";
import type { StoreState } from "./store.ts";

/** Why a value is no state of a store; the message says what is wrong, and where. */
export class StateProblem extends Error {
  override readonly name = "StateProblem";
}

/**
 * Checks a state that comes from outside: a file, a copy in JSON, a test.
 *
 * @throws StateProblem for what no store gives.
 */
export function checkState(state: StoreState): void {
  const { version, objects } = readFields(state);
  if (!isVersion(version)) {
    throw new StateProblem(
      `its version is ${String(version)}, which must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
    );
  }
  if (!Array.isArray(objects)) throw new StateProblem("it has no list of objects");
  const seen = new Set<string>();
  for (const [index, entry] of objects.entries()) {
    if (!isEntry(entry)) throw new StateProblem(`objects[${index}] is no object with resource, key and object`);
    const place = `${entry.resource} ${entry.key}`;
    const where = `objects[${index}], ${place},`;
    checkObject(entry, where, version);
    if (seen.has(place)) throw new StateProblem(`${where} stands there twice`);
    seen.add(place);
  }
}

function readFields(state: unknown): { readonly version?: unknown; readonly objects?: unknown } {
  if (isObject(state)) return state;
  throw new StateProblem("it is no object with version and objects");
}

function isVersion(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

interface Entry {
  readonly resource: string;
  readonly key: string;
  readonly object: unknown;
}

function isEntry(value: unknown): value is Entry {
  return isObject(value) && typeof value.resource === "string" && typeof value.key === "string" && "object" in value;
}

function checkObject({ key, object }: Entry, where: string, newest: number): void {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {};
  const { name, namespace, uid, resourceVersion } = metadata;
  const isWhole = typeof name === "string" && typeof uid === "string" && typeof resourceVersion === "string";
  if (!isWhole || !(namespace === undefined || typeof namespace === "string")) {
    throw new StateProblem(`${where} holds no Kubernetes object`);
  }
  const itsKey = objectKey({ namespace, name });
  if (itsKey !== key) throw new StateProblem(`${where} holds an object of the key ${itsKey}`);
  if (/^\d+$/.test(resourceVersion) && Number(resourceVersion) <= newest) return;
  throw new StateProblem(`${where} has the version ${resourceVersion}, which must be a whole number up to ${newest}`);
}
