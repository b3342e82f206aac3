import { invalid } from "../failure/api-error.ts";
import type { FieldError } from "../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { pathSegment } from "./name-rule.ts";
import { validateMeta, validateMetaUpdate } from "./object-meta.ts";
import type { Strategy, StrategyContext } from "./strategy.ts";

/** Of what kind an object that is written is, and by which rules. */
export interface WrittenKind {
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly strategy: Strategy;
}

/** Removes what only the server says of an object: uid, times of creation and deletion. For the body of a create. */
export function wipeSystemMeta({ metadata }: DraftObject): void {
  for (const field of ["creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    Reflect.deleteProperty(metadata, field);
  }
  Reflect.deleteProperty(metadata, "selfLink");
}

/**
 * BeforeCreate of k8s.io/apiserver: prepares and checks an object whose name, namespace, uid and creation time are set
 * and whose mutating admission is done. Answers the warnings.
 *
 * @throws ApiError 422 with everything that is wrong.
 */
export function beforeCreate(object: DraftObject, written: WrittenKind, context: StrategyContext): readonly string[] {
  const { strategy, namespaced } = written;
  strategy.prepareForCreate?.(object, context);
  refuse(object, written, strategy.validate?.(object, context) ?? []);
  refuse(object, written, validateMeta(object.metadata, { namespaced, nameRule: pathSegment }));
  return strategy.warnings?.(object) ?? [];
}

/**
 * BeforeUpdate of k8s.io/apiserver: takes from the old object what an update may not change, and checks the new one.
 * Answers the warnings.
 *
 * @throws ApiError 422 with everything that is wrong.
 */
export function beforeUpdate(
  object: DraftObject,
  old: StoredObject,
  { written, context }: { readonly written: WrittenKind; readonly context: StrategyContext },
): readonly string[] {
  const { strategy, namespaced } = written;
  takeGeneration(object, old);
  strategy.prepareForUpdate?.(object, old, context);
  const { metadata } = object;
  const before = old.metadata;
  if ((metadata.uid ?? "") === "") metadata.uid = before.uid;
  if (before.creationTimestamp) metadata.creationTimestamp = before.creationTimestamp;
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds;
  }
  refuse(object, written, [
    ...validateMeta(metadata, { namespaced, nameRule: pathSegment }),
    ...validateMetaUpdate(metadata, before),
    ...(strategy.validateUpdate?.(object, old, context) ?? []),
  ]);
  return strategy.warnings?.(object, old) ?? [];
}

function takeGeneration({ metadata }: DraftObject, old: StoredObject): void {
  if (old.metadata.generation === undefined) Reflect.deleteProperty(metadata, "generation");
  else metadata.generation = old.metadata.generation;
}

function refuse({ metadata }: DraftObject, { group, kind }: WrittenKind, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group, kind, name: metadata.name ?? "" }, errors);
}
