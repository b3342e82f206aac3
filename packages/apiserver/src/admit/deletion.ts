import { type Condition, formatTime, instantOf, parseTime } from "farwatch";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { Kind } from "../registry/kind.ts";
import { sameJson } from "../schema/plain-object.ts";

/** What a client asks of a deletion. */
export interface DeletionWish {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly orphanDependents?: boolean | undefined;
}

export interface Deletion {
  readonly kind: Kind;
  readonly options: DeletionWish;
  /** RFC 3339 with whole seconds. */
  readonly now: string;
}

const orphan = "orphan";
const foreground = "foregroundDeletion";

/**
 * The object as it stays while its deletion waits for finalizers or for its grace to pass: the very object when nothing
 * changes about it, undefined when nothing holds it.
 */
export function keptAfterDeletion(
  object: StoredObject,
  { kind, options, now }: Deletion,
): DraftObject | StoredObject | undefined {
  if (isDefinition(kind) && object.metadata.deletionTimestamp === undefined) return terminatingDefinition(object, now);
  const before = object.metadata.finalizers ?? [];
  const finalizers = finalizersFor(before, options);
  const graceSeconds = graceOf(object, kind, options);
  const isHeld = isHeldByContent(object, kind);
  const holds = finalizers.length > 0 || graceSeconds > 0 || isHeld;
  if (!holds) return undefined;
  const { metadata } = object;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  // An apply can make an object that is being deleted, which nobody has asked for yet.
  const isMarked = isDeleting && (isHeld || metadata.deletionGracePeriodSeconds !== undefined);
  const isEarly = graceSeconds === 0 && isAfter(metadata.deletionTimestamp, now);
  const shorter = isDeleting && graceSeconds < (metadata.deletionGracePeriodSeconds ?? 0);
  if (isMarked && !shorter && sameJson(finalizers, before)) return object;
  const { finalizers: _old, ...rest } = metadata;
  return {
    ...object,
    ...(isHeld ? { status: { ...(object.status as object | undefined), phase: "Terminating" } } : {}),
    metadata: {
      ...rest,
      ...(isDeleting && !isEarly ? {} : { deletionTimestamp: later(now, graceSeconds) }),
      ...(isHeld
        ? {}
        : {
            deletionGracePeriodSeconds:
              isMarked && !shorter ? (metadata.deletionGracePeriodSeconds ?? 0) : graceSeconds,
          }),
      ...(!isDeleting && metadata.generation !== undefined ? { generation: metadata.generation + 1 } : {}),
      ...(finalizers.length > 0 ? { finalizers } : {}),
    },
  };
}

/** Whether a deletion takes away or adds some of the collector's finalizers. */
export function changesFinalizers({ metadata: { finalizers = [] } }: StoredObject, options: DeletionWish): boolean {
  return !sameJson(finalizersFor(finalizers, options), finalizers);
}

/** The garbage collector's finalizers follow the propagation policy; those of others stay. */
function finalizersFor(before: readonly string[], { propagationPolicy, orphanDependents }: DeletionWish): string[] {
  const others = before.filter((one) => one !== orphan && one !== foreground);
  if (propagationPolicy === "Orphan" || orphanDependents === true) return [...others, orphan];
  if (propagationPolicy === "Foreground") return [...others, foreground];
  if (propagationPolicy === "Background" || orphanDependents === false) return others;
  return [...before];
}

const podGraceSeconds = 30;

/** Only a pod that a node runs is given time; the rest goes at once. */
function graceOf(object: StoredObject, { group, kind }: Kind, { gracePeriodSeconds }: DeletionWish): number {
  if (group !== "" || kind !== "Pod") return 0;
  const spec = object.spec as
    | { readonly nodeName?: string; readonly terminationGracePeriodSeconds?: number }
    | undefined;
  const status = object.status as { readonly phase?: string } | undefined;
  if ((spec?.nodeName ?? "") === "" || status?.phase === "Failed" || status?.phase === "Succeeded") return 0;
  return Math.max(0, gracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? podGraceSeconds);
}

/** A namespace lives until its content is gone. */
function isHeldByContent(object: DraftObject | StoredObject, { group, kind }: Kind): boolean {
  if (group !== "" || kind !== "Namespace") return false;
  const spec = object.spec as { readonly finalizers?: readonly string[] } | undefined;
  return (spec?.finalizers ?? []).length > 0;
}

/** Whether nothing holds an object any more whose deletion was asked for. */
export function isLetGo(object: DraftObject | StoredObject, kind: Kind): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  const isFree = finalizers.length === 0 && deletionGracePeriodSeconds === 0 && !isHeldByContent(object, kind);
  return deletionTimestamp !== undefined && isFree;
}

const cleanup = "customresourcecleanup.apiextensions.k8s.io";

function isDefinition({ group, kind }: Kind): boolean {
  return group === "apiextensions.k8s.io" && kind === "CustomResourceDefinition";
}

/** A definition waits, whatever its deletion asks for, until the objects that it defines are gone. */
function terminatingDefinition(object: StoredObject, now: string): DraftObject {
  const { finalizers = [] } = object.metadata;
  const { conditions, ...status } = (object.status ?? {}) as { readonly conditions?: readonly Condition[] | null };
  const terminating: Condition = {
    type: "Terminating",
    status: "True",
    lastTransitionTime: now,
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  return {
    ...object,
    metadata: {
      ...object.metadata,
      deletionTimestamp: now,
      finalizers: finalizers.includes(cleanup) ? [...finalizers] : [...finalizers, cleanup],
    },
    status: {
      ...status,
      conditions: [...(conditions ?? []).filter(({ type }) => type !== "Terminating"), terminating],
    },
  };
}

function isAfter(time: string | undefined, now: string): boolean {
  const [one, other] = [parseTime(time ?? "")?.getTime(), parseTime(now)?.getTime()];
  return one !== undefined && other !== undefined && one > other;
}

function later(now: string, seconds: number): string {
  const at = parseTime(now);
  return seconds === 0 || at === undefined ? now : formatTime(instantOf(at.getTime() + seconds * 1000));
}
