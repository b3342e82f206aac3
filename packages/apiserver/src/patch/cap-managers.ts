import { compareText } from "../schema/compare-text.ts";
import { unionOf } from "./field-set.ts";
import { type Managers, managerId } from "./managers.ts";

const maxUpdateManagers = 10;
const oldUpdates = "ancient-changes";

/**
 * Merges the oldest updaters of each version into one entry until there are no more than ten updaters; appliers are no
 * part of it.
 */
export function capManagers(managers: Managers): void {
  const updaters = [...managers]
    .filter(([, { operation }]) => operation === "Update")
    .sort(([a, one], [b, other]) => compareText(one.time ?? "", other.time ?? "") || compareText(a, b));
  let count = updaters.length;
  const firstOfVersion = new Map<string, string>();
  for (const [id, manager] of updaters) {
    if (count <= maxUpdateManagers) return;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    const identity = {
      name: oldUpdates,
      operation: "Update",
      apiVersion: manager.apiVersion,
      subresource: "",
    } as const;
    const bucket = managerId(identity);
    const known = managers.get(bucket) ?? managers.get(first);
    if (!managers.has(bucket)) managers.delete(first);
    managers.delete(id);
    managers.set(bucket, {
      ...identity,
      time: manager.time,
      fields: known === undefined ? manager.fields : unionOf(known.fields, manager.fields),
    });
    count -= 1;
  }
}
