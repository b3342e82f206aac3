import type { CrdScale } from "farwatch";
import { type FieldError, invalidValue } from "../failure/field-error.ts";
import { goTypeText, goValueText } from "../patch/go-text.ts";
import type { DraftObject } from "../registry/api-object.ts";
import { namesOf } from "../registry/field-path.ts";
import { isObject, own } from "../schema/plain-object.ts";

const mostReplicas = 2_147_483_647;

/** What is wrong with the number of replicas that a scale subresource reads. */
export function validateScaleSpec(scale: CrdScale | undefined, object: DraftObject): readonly FieldError[] {
  return scale === undefined ? [] : replicaErrors(object, scale.specReplicasPath);
}

/** The same for what it reads of the status. */
export function validateScaleStatus(scale: CrdScale | undefined, object: DraftObject): readonly FieldError[] {
  if (scale === undefined) return [];
  const errors = [...replicaErrors(object, scale.statusReplicasPath)];
  const path = scale.labelSelectorPath;
  const selector = path === undefined ? undefined : find(object, path);
  if (path !== undefined && selector !== undefined && typeof selector !== "string") {
    const why = selector instanceof AccessorError ? selector.message : accessorText(path, selector, "string");
    errors.push(invalidValue(path, "", why));
  }
  return errors;
}

function replicaErrors(object: DraftObject, path: string): readonly FieldError[] {
  const replicas = find(object, path);
  if (replicas instanceof AccessorError) return [invalidValue(path, 0, replicas.message)];
  if (replicas === undefined) return [];
  if (typeof replicas !== "number" || goTypeText(replicas) !== "int64") {
    return [invalidValue(path, 0, accessorText(path, replicas, "int64"))];
  }
  if (replicas < 0) return [invalidValue(path, replicas, "should be a non-negative integer")];
  if (replicas <= mostReplicas) return [];
  return [invalidValue(path, replicas, `should be less than or equal to ${mostReplicas}`)];
}

/** On the way to a value stands something that has no fields. */
class AccessorError extends Error {
  override readonly name = "AccessorError";
}

/** The value at a path; undefined where there is none, an error where there can be none. */
function find(object: DraftObject, path: string): unknown {
  let at: unknown = object;
  const names = namesOf(path);
  for (const [index, name] of names.entries()) {
    if (at === undefined || at === null) return undefined;
    if (!isObject(at)) {
      const reached = `.${names.slice(0, index + 1).join(".")}`;
      return new AccessorError(accessorText(reached, at, "map[string]interface{}"));
    }
    at = own(at, name);
  }
  return at;
}

/** What unstructured.Nested… of k8s.io/apimachinery says of a value of another type. */
function accessorText(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${goValueText(value)} is of the type ${goTypeText(value)}, expected ${expected}`;
}
