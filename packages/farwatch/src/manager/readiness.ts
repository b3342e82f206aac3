import type { Cache } from "../cache/cache.ts";
import { isInStep } from "../cache/sync-problem.ts";
import { groupResource } from "../resource/resource.ts";
import type { SourceHub } from "../source/source-hub.ts";
import type { HealthCheck } from "./manager.ts";

/** The readyz checks that follow from the caches and sources: one an informer and one a source, named for it. */
export function createReadiness({
  cache,
  hub,
}: {
  readonly cache: Cache;
  readonly hub: SourceHub;
}): () => readonly HealthCheck[] {
  return () => [
    ...cache.informers.map(
      ({ resource, state }): HealthCheck => ({
        name: `informer/${groupResource(resource)}`,
        check: () => (isInStep(state) ? undefined : (state.problem?.message ?? state.phase)),
      }),
    ),
    ...hub.states.map(
      (state): HealthCheck => ({
        name: `source/${state.name}`,
        critical: state.critical,
        check: () => (state.phase === "failing" ? (state.lastError ?? "failing") : undefined),
      }),
    ),
  ];
}
