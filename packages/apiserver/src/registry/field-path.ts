import { isObject, own } from "../schema/plain-object.ts";

/** The names in a simple JSON path, as scale subresources have it: `.spec.replicas`. */
export function namesOf(path: string): readonly string[] {
  return path.replace(/^\./, "").split(".");
}

/** The value below fields in each other; undefined where there is none. */
export function valueAt(object: unknown, names: readonly string[]): unknown {
  let value = object;
  for (const name of names) value = isObject(value) ? own(value, name) : undefined;
  return value;
}
