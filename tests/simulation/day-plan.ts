import { type Random, seededRandom } from "farwatch";

/** The replicas of the operator. */
export const replicaNames = ["a", "b"] as const;
export type ReplicaName = (typeof replicaNames)[number];

export const bucketCount = 10;
export const periodMs = 300_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What happens between a replica and the API server for a while. */
export type NetworkFault =
  | "conflict"
  | "expired"
  | "internalError"
  | "lostResponse"
  | "refused"
  | "silent"
  | "slow"
  | "tooManyRequests"
  | "truncatedLine"
  | "versionTooLarge"
  | "watchClosed"
  | "watchCut"
  | "watchExpired"
  | "watchSilent";

export type StoreFaultName = "refused" | "serverError" | "silent" | "slow" | "throttled";

/** One thing that somebody, or something, does. */
export type Action =
  | { readonly type: "changeSpec"; readonly bucket: number }
  | { readonly type: "recreate"; readonly bucket: number }
  | { readonly type: "rotateSecret" }
  | { readonly type: "flipBucket"; readonly bucket: number }
  | { readonly type: "storeFault"; readonly fault: StoreFaultName; readonly forMs: number }
  | { readonly type: "network"; readonly replica: ReplicaName; readonly fault: NetworkFault; readonly forMs: number }
  | { readonly type: "stop" | "kill"; readonly replica: ReplicaName; readonly forMs: number }
  | { readonly type: "closeWatches" | "compact" | "stealLease" }
  /** The clock is set, and a second later somebody changes a spec: whoever leads has reason to write before it has renewed its lease. */
  | { readonly type: "jump"; readonly byMs: number; readonly bucket: number }
  | { readonly type: "restoreServer"; readonly backMs: number };

export interface PlannedAction {
  /** Milliseconds from the start of the day. */
  readonly atMs: number;
  readonly action: Action;
}

/** A day: what happens, in order, and then two quiet hours. */
export interface DayPlan {
  readonly seed: number;
  readonly actions: readonly PlannedAction[];
  readonly lengthMs: number;
}

const networkFaults: readonly NetworkFault[] = [
  "conflict",
  "expired",
  "internalError",
  "lostResponse",
  "refused",
  "silent",
  "slow",
  "tooManyRequests",
  "truncatedLine",
  "versionTooLarge",
  "watchClosed",
  "watchCut",
  "watchExpired",
  "watchSilent",
];
const storeFaults: readonly StoreFaultName[] = ["refused", "serverError", "silent", "slow", "throttled"];

/** The day of a seed: always the same one. */
export function planDay(seed: number): DayPlan {
  const random = seededRandom(seed);
  const quietMs = 2 * hourMs;
  const count = 20 + Math.floor(random() * 20);
  const actions = Array.from({ length: count }, (): PlannedAction => {
    const atMs = Math.floor(10 * minuteMs + random() * (dayMs - quietMs - 20 * minuteMs));
    return { atMs, action: chooseAction(random) };
  });
  return { seed, actions: actions.sort((a, b) => a.atMs - b.atMs), lengthMs: dayMs };
}

function chooseAction(random: Random): Action {
  const bucket = Math.floor(random() * bucketCount);
  const replica = pick(random, replicaNames);
  const forMs = Math.floor(random() ** 2 * 15 * minuteMs) + 5_000;
  const dice = random();
  if (dice < 0.2) return { type: "changeSpec", bucket };
  if (dice < 0.25) return { type: "recreate", bucket };
  if (dice < 0.3) return { type: "rotateSecret" };
  if (dice < 0.38) return { type: "flipBucket", bucket };
  if (dice < 0.44) return { type: "storeFault", fault: pick(random, storeFaults), forMs };
  if (dice < 0.76) return { type: "network", replica, fault: pick(random, networkFaults), forMs };
  if (dice < 0.81) return { type: "stop", replica, forMs };
  if (dice < 0.86) return { type: "kill", replica, forMs };
  if (dice < 0.88) return { type: "closeWatches" };
  if (dice < 0.9) return { type: "compact" };
  if (dice < 0.93) return { type: "stealLease" };
  if (dice < 0.98) return { type: "jump", byMs: Math.floor((random() - 0.5) * 10 * minuteMs), bucket };
  return { type: "restoreServer", backMs: Math.floor(random() * 10 * minuteMs) };
}

function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}
