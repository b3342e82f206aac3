import { type Clock, createRateLimiter, type Metrics } from "farwatch";
import type { Counterpart } from "./counterpart.ts";

export interface ProbeTurnsOptions {
  /** Probes a second of all buckets of a namespace, in the long run; above 0, parts allowed; default 200. */
  readonly namespaceProbesPerSecond?: number | undefined;
  /** Probes a second of an endpoint with one Secret, or anonymously for one namespace; the same. */
  readonly endpointProbesPerSecond?: number | undefined;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Paces probes: a rotated Secret of thousands of buckets becomes no flood, and no tenant takes the operator for itself. */
export interface ProbeTurns {
  /** Takes the next turn, and gives the milliseconds until it comes; whoever holds one asks for no other. */
  reserve(counterpart: Counterpart): number;
}

const defaultPerSecond = 200;

/** @throws CodedError `InvalidOption`. */
export function createProbeTurns(options: ProbeTurnsOptions): ProbeTurns {
  const { clock, metrics } = options;
  const limiter = (name: string, perSecond = defaultPerSecond) =>
    createRateLimiter({ name, perSecond, clock, metrics });
  const ofNamespaces = limiter("namespace probes", options.namespaceProbesPerSecond);
  const ofEndpoints = limiter("endpoint probes", options.endpointProbesPerSecond);
  return {
    reserve: ({ namespace, credential }) => Math.max(ofNamespaces.reserve(namespace), ofEndpoints.reserve(credential)),
  };
}
