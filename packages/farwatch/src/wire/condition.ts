import { formatTime, type Instant } from "../clock/instant.ts";
import type { Condition } from "./object.ts";

/**
 * The conditions with `next` in place of the one of its type, or at the end. `lastTransitionTime` moves only when
 * `status` does (API conventions), whatever happens to reason, message and observedGeneration. When nothing changes at
 * all, the very list that was given comes back.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  next: Omit<Condition, "lastTransitionTime">,
  now: Instant,
): readonly Condition[] {
  const before = conditions ?? [];
  const index = before.findIndex(({ type }) => type === next.type);
  const old = before[index];
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : formatTime(now);
  const condition: Condition = { ...next, lastTransitionTime };
  if (old === undefined) return [...before, condition];
  const same =
    old.status === condition.status &&
    old.reason === condition.reason &&
    old.message === condition.message &&
    old.observedGeneration === condition.observedGeneration;
  return same ? before : before.with(index, condition);
}
