import type { Clock, Transport, TransportRequest, TransportResponse } from "farwatch";
import { type FaultMatcher, matchesFault } from "./fault-matcher.ts";
import { FaultRelay } from "./fault-relay.ts";
import { createFaultSchedule, type Faults } from "./fault-schedule.ts";
import type { BodyEnd, TransportFault } from "./transport-fault.ts";

export interface WithFaultsOptions {
  /** What faults wait on: virtual in virtual time. */
  readonly clock: Clock;
  /** Of the draws of faults with a probability; default 1. */
  readonly seed?: number | undefined;
}

/** A Transport whose requests faults may strike. */
export interface FaultyTransport extends Transport {
  readonly faults: Faults<TransportFault, FaultMatcher>;
  /**
   * Ends the bodies of answers that are under way, such as watches, at once; gives how many. Faults that are added
   * strike later requests only.
   */
  strike(kind: BodyEnd["kind"], matcher?: FaultMatcher): number;
}

/**
 * Puts faults between a client and any Transport: the in-process one of a server, or the one on real sockets. A request
 * that no fault strikes passes unchanged. `beforeWrite` is called when the request would be on its way: never for one
 * whose connection fails, and before the wait for one that reaches its server late.
 *
 * Disposal disposes of the transport.
 */
export function withFaults(transport: Transport, { clock, seed }: WithFaultsOptions): FaultyTransport {
  const schedule = createFaultSchedule<TransportFault, FaultMatcher, TransportRequest>({
    seed,
    matches: matchesFault,
  });
  const relay = new FaultRelay(clock);
  return {
    faults: schedule,
    get inFlight() {
      return relay.inFlight;
    },
    // Async, so that a matcher that throws is a rejection.
    async request(request): Promise<TransportResponse> {
      return await relay.request(request, schedule.draw(request), (passed) => transport.request(passed));
    },
    strike: (kind, matcher = {}) => relay.strike(kind, (request) => matchesFault(matcher, request)),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
