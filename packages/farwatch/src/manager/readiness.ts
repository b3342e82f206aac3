import type { Cache } from "../cache/cache.ts";
import { isInStep } from "../cache/sync-problem.ts";
import { groupResource } from "../resource/resource.ts";
import type { SourceHub } from "../source/source-hub.ts";
import type { SourceState } from "../source/source-state.ts";
import type { LeaderElector } from "./leader-elector.ts";
import type { HealthCheck } from "./manager.ts";

/**
 * The readyz checks that follow from the caches, the sources and the election: one an informer and one a source, named
 * for it. A replica that waits while another leads is ready; one that could never lead, since it may not touch the
 * Lease, is not.
 */
export function createReadiness({
  cache,
  hub,
  elector,
}: {
  readonly cache: Cache;
  readonly hub: SourceHub;
  /** Undefined before the election, and without one. */
  readonly elector: () => Pick<LeaderElector, "problem"> | undefined;
}): () => readonly HealthCheck[] {
  return () => [
    ...electionChecks(elector()),
    ...cache.informers.map(
      ({ resource, state }): HealthCheck => ({
        name: `informer/${groupResource(resource)}`,
        check: () => (isInStep(state) ? undefined : (state.problem?.message ?? state.phase)),
      }),
    ),
    ...hub.states.map(
      (state): HealthCheck => ({
        name: `source/${state.name}`,
        // What holds a source up is not mended by taking this replica out of service.
        critical: state.critical && state.phase === "failing",
        check: () => sourceProblem(state),
      }),
    ),
  ];
}

function sourceProblem({ phase, lastError, reason, unacknowledged }: SourceState): string | undefined {
  if (phase === "failing") return lastError ?? "failing";
  if (reason === undefined) return undefined;
  return `${reason.type}: ${unacknowledged} events wait, most of them for requests that fail, ${reason.request} among them`;
}

function electionChecks(elector: Pick<LeaderElector, "problem"> | undefined): readonly HealthCheck[] {
  return elector === undefined ? [] : [{ name: "leader-election", check: () => elector.problem }];
}
