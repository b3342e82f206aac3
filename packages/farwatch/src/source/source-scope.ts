/** On which replicas a source is open, or work is done. */
export type SourceScope = "everyone" | "leader";

/** For the leader alone, unless it says otherwise. */
export function scopeOf({
  needLeaderElection = true,
}: {
  readonly needLeaderElection?: boolean | undefined;
}): SourceScope {
  return needLeaderElection ? "leader" : "everyone";
}
