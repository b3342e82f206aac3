import { type CircuitCall, type CircuitCaller, type Clock, createCircuitBreaker, type Metrics } from "farwatch";
import type { ProbeResult } from "../probe/probe-result.ts";
import { endpointName } from "../probe/s3-target.ts";
import { type ProbeReason, verdictOf } from "../resource/reason.ts";
import type { StorageBucket } from "../resource/storage-bucket.ts";
import type { Skipped } from "../status/bucket-status.ts";
import type { Counterpart } from "./counterpart.ts";

export interface ProbeCircuitsOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** A probe that is due. */
export interface DueProbe {
  readonly bucket: StorageBucket;
  readonly counterpart: Counterpart;
  readonly caller: Pick<CircuitCaller, "name" | "every" | "always">;
  /** The names of the callers whose counterpart is such, of those that probe by themselves. */
  readonly peers: (isSuch: (counterpart: Counterpart) => boolean) => Iterable<string>;
}

/** Disposed of without a finding, it says nothing. */
export interface Admission extends Disposable {
  /** Why no probe is to be made: another bucket stands for this one. */
  readonly skipped: Skipped | undefined;
  found(result: ProbeResult): void;
}

/**
 * What one bucket finds out for others. An endpoint's circuit opens when three of its buckets in two namespaces, or all of them, found
 * it in trouble and none was answered since; a Secret's at an endpoint, when three buckets, or all of them, were told that it is not accepted.
 */
export interface ProbeCircuits {
  enter(probe: DueProbe): Admission;
}

/** What is the endpoint's fault, whichever bucket is asked for; what answers with less than 500 is well. */
const troubles: ReadonlySet<ProbeReason> = new Set([
  "Timeout",
  "ConnectionRefused",
  "ConnectionFailed",
  "DNSFailure",
  "TLSFailure",
  "ServerError",
]);
/** Answers of a service that has accepted the credentials. */
const acceptances: ReadonlySet<ProbeReason> = new Set(["Available", "AccessDenied", "BucketNotFound"]);

const keepsResult = "another bucket is probed for it until it does, and the last result of this one is kept";

export function createProbeCircuits({ clock, metrics }: ProbeCircuitsOptions): ProbeCircuits {
  const breaker = (name: string, groups: number) => createCircuitBreaker({ name, failures: 3, groups, clock, metrics });
  const endpoints = breaker("endpoint probes", 2);
  const credentials = breaker("credential probes", 1);

  return {
    enter({ bucket: { spec }, counterpart, caller, peers }): Admission {
      const { namespace, endpoint, credential } = counterpart;
      const ofEndpoint = endpoints.enter(endpoint, {
        ...caller,
        group: namespace,
        all: () => peers((other) => other.endpoint === endpoint),
      });
      if (ofEndpoint === undefined) {
        const name = spec.s3 === undefined ? "the endpoint" : endpointName(spec.s3);
        return leftToAnother("EndpointUnavailable", `${name} does not answer as it should; ${keepsResult}`);
      }
      const secret = spec.credentials.secretRef?.name;
      if (secret === undefined) return admitted(ofEndpoint, undefined);
      const ofCredential = credentials.enter(credential, {
        ...caller,
        all: () => peers((other) => other.credential === credential),
      });
      if (ofCredential !== undefined) return admitted(ofEndpoint, ofCredential);
      ofEndpoint[Symbol.dispose]();
      return leftToAnother("CredentialsRefused", `the service does not accept Secret ${secret}; ${keepsResult}`);
    },
  };
}

function leftToAnother(reason: Skipped["reason"], message: string): Admission {
  return { skipped: { reason, message }, found() {}, [Symbol.dispose]() {} };
}

function admitted(ofEndpoint: CircuitCall, ofCredential: CircuitCall | undefined): Admission {
  return {
    skipped: undefined,
    found({ reason, message }): void {
      if (troubles.has(reason)) ofEndpoint.failed(message);
      else if (verdictOf(reason) !== "Unknown") ofEndpoint.answered();
      if (reason === "InvalidCredentials") ofCredential?.failed(message);
      else if (acceptances.has(reason)) ofCredential?.answered();
    },
    [Symbol.dispose](): void {
      ofEndpoint[Symbol.dispose]();
      ofCredential?.[Symbol.dispose]();
    },
  };
}
