import { type Clock, type Transport, toMs } from "farwatch";
import { bucketCount, periodMs } from "./day-plan.ts";
import { overTransport } from "./over-transport.ts";
import type { SentRequest } from "./recorder.ts";

/**
 * How leadership is timed in the simulation. With the operator's own 15/10/2 s a day would be 86,400 tries and little else; with these it has
 * two a minute, while most of a plan's faults still outlast the deadline and a follower takes over well within `recoveryMs` of the day.
 */
export const election = { leaseDuration: "120s", renewDeadline: "80s", retryPeriod: "30s" } as const;
const renewDeadlineMs = toMs(election.renewDeadline);
/** Probes come this much after their time at the most, when nothing is wrong. */
const slackMs = 6_000;
/** While a circuit is open somebody is probed this often: after one and a half periods without, whoever comes next within one. */
export const openCircuitMs = 2.5 * periodMs;
/** A failed write is tried again within this, as long as it failed a few times only. */
const retryWithinMs = 90_000;

/** A promise that did not hold. */
export interface Violation {
  readonly promise: string;
  readonly atMs: number;
  readonly text: string;
}

export interface DayResult {
  readonly violations: readonly Violation[];
  /** Probes of buckets, as the store has seen them. */
  readonly probes: number;
  /** Writes of the operator to the API server, Leases aside. */
  readonly writes: number;
}

interface Disturbance {
  readonly what: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What happened in a day, seen from outside of the operator, and which promises it breaks. */
export interface History {
  violated(promise: string, text: string): void;
  /** From now on, for so long, something is wrong that the operator is not to blame for. */
  disturb(what: string, fromMs: number, forMs: number): void;
  /** `but`: what does not count. */
  isDisturbed(fromMs: number, toMs: number, options?: { readonly but: RegExp }): boolean;
  /** Somebody gave a reason to probe this bucket now. */
  caused(bucket: number): void;
  /** The bucket vanishes from the store, or comes back; gives whether it exists now. */
  flip(bucket: number): boolean;
  exists(bucket: number): boolean;
  bucketsNotProbedSince(ms: number): readonly number[];
  watchStore(transport: Transport): Transport;
  sent(request: SentRequest): void;
  ended(request: SentRequest): void;
  /** The process takes no more requests: nothing that it has not finished is expected of it. */
  processEnded(process: string): void;
  /** No bucket is late; and while the store is in trouble, when most are left to one, that one is not. */
  checkCadence(): void;
  result(): DayResult;
}

interface PendingRetry {
  readonly process: string;
  readonly path: string;
  readonly atMs: number;
}

/** A request about a bucket, as the store saw it. */
interface Probe {
  readonly atMs: number;
  /** It found the bucket unavailable, so that the next one comes half a period later. */
  failed: boolean;
}

const isLease = (path: string): boolean => path.includes("/leases");
const bucketOf = (path: string): number | undefined => {
  const [, index] = /bucket-(\d+)/.exec(path) ?? [];
  return index === undefined ? undefined : Number(index);
};

export function createHistory(clock: Clock): History {
  const violations: Violation[] = [];
  const disturbances: Disturbance[] = [];
  const missing = new Set<number>();
  const probes: Probe[][] = Array.from({ length: bucketCount }, () => []);
  const causes: number[][] = Array.from({ length: bucketCount }, () => []);
  const renewals = new Map<string, { readonly atMs: number; readonly wallMs: number }>();
  const retries = new Map<string, PendingRetry>();
  const failures = new Map<string, number>();
  let writes = 0;

  const violated = (promise: string, text: string): void => {
    violations.push({ promise, atMs: clock.elapsed(), text });
  };
  const isDisturbed: History["isDisturbed"] = (fromMs, toMs, options) =>
    disturbances.some((each) => each.fromMs <= toMs && each.toMs >= fromMs && options?.but.test(each.what) !== true);

  const checkFence = ({ process, method, path, atMs, wallMs }: SentRequest): void => {
    const renewal = renewals.get(process);
    const ageMs = renewal === undefined ? Number.POSITIVE_INFINITY : atMs - renewal.atMs;
    const wallAgeMs = renewal === undefined ? Number.POSITIVE_INFINITY : wallMs - renewal.wallMs;
    if (ageMs <= renewDeadlineMs && wallAgeMs <= renewDeadlineMs) return;
    violated(
      "no write after the renew deadline (12)",
      `${process} began ${method} ${path} ${ageMs} ms (by the wall clock ${wallAgeMs} ms) after it sent its last renewal`,
    );
  };

  /** What most buckets are not probed for is no reason to probe none. */
  const checkOpenCircuits = (): void => {
    const times = probes
      .flat()
      .map(({ atMs }) => atMs)
      .sort((a, b) => a - b);
    for (const [index, at] of times.entries()) {
      const before = times[index - 1] ?? at;
      if (at - before <= openCircuitMs + slackMs || isDisturbed(before, at, { but: /^store (?!throttled)/ })) continue;
      violated("an open circuit is tried", `no bucket was probed from ${before} ms to ${at} ms`);
    }
  };
  const checkRetries = (): void => {
    const now = clock.elapsed();
    for (const [key, { process, path, atMs }] of retries) {
      if (now - atMs <= retryWithinMs) continue;
      retries.delete(key);
      if (isLongDisturbed(atMs + 1, now)) continue;
      violated(
        "what failed is tried again (4, 6)",
        `${process} failed to write ${path} at ${atMs} ms, and did not try again`,
      );
    }
  };
  /** A fault that makes single requests fail is no reason not to try again; one that takes the process out is. */
  const isLongDisturbed = (fromMs: number, toMs: number): boolean =>
    isDisturbed(fromMs, toMs, { but: / (?:conflict|internalError|tooManyRequests|lostResponse)$/ });

  return {
    violated,
    isDisturbed,
    disturb(what, fromMs, forMs): void {
      disturbances.push({ what, fromMs, toMs: fromMs + forMs });
    },
    caused(bucket): void {
      causes[bucket]?.push(clock.elapsed());
    },
    flip(bucket): boolean {
      if (!missing.delete(bucket)) missing.add(bucket);
      return !missing.has(bucket);
    },
    exists: (bucket) => !missing.has(bucket),
    bucketsNotProbedSince: (ms) =>
      probes.flatMap((times, index) => ((times.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) >= ms ? [] : [index])),
    watchStore: (transport) =>
      overTransport(transport, async (request) => {
        const bucket = bucketOf(request.url);
        const probe: Probe = { atMs: clock.elapsed(), failed: true };
        if (bucket !== undefined) probes[bucket]?.push(probe);
        const response = await transport.request(request);
        probe.failed = response.status !== 200;
        return response;
      }),
    sent(request): void {
      const { method, path, process } = request;
      if (isLease(path) || method === "GET") return;
      writes += 1;
      checkRetries();
      if (bucketOf(path) !== undefined) retries.delete(`${process} ${path}`);
      checkFence(request);
    },
    ended({ process, method, path, atMs, wallMs, status }): void {
      const hasWorked = status !== undefined && status < 300;
      if (isLease(path)) {
        if (hasWorked && method !== "GET") renewals.set(process, { atMs, wallMs });
        return;
      }
      if (method === "GET" || !path.endsWith("/status")) return;
      const key = `${process} ${path}`;
      // Without an answer the write may have been done, and then there is nothing to try again.
      const failed = hasWorked || status === undefined || status === 404 ? 0 : (failures.get(key) ?? 0) + 1;
      failures.set(key, failed);
      if (failed > 0 && failed < 6) retries.set(key, { process, path, atMs: clock.elapsed() });
      else retries.delete(key);
    },
    processEnded(process): void {
      for (const [key, retry] of retries) if (retry.process === process) retries.delete(key);
    },
    checkCadence(): void {
      checkRetries();
      checkOpenCircuits();
      for (const [bucket, times] of probes.entries()) {
        for (let index = 1; index < times.length; index += 1) {
          const [last, next] = [times[index - 1], times[index]];
          if (last === undefined || next === undefined) continue;
          const [before, at] = [last.atMs, next.atMs];
          if (isDisturbed(before - slackMs, at + slackMs)) continue;
          const gapMs = at - before;
          const hasCause = (causes[bucket] ?? []).some((ms) => ms >= before - 60_000 && ms <= at);
          const probed = `bucket-${bucket} was probed at ${before} ms and then at ${at} ms`;
          const mostMs = last.failed ? periodMs / 2 : periodMs;
          // A bucket that was well again at a point halfway has its next one on the grid.
          const leastMs = last.failed || times[index - 2]?.failed ? periodMs / 2 : periodMs;
          if (gapMs > mostMs + slackMs && !hasCause) violated("probe cadence", `${probed}: a period is ${mostMs} ms`);
          if (gapMs < leastMs - slackMs && !hasCause)
            violated("no write wakes its writer (10)", `${probed}, for no reason`);
        }
      }
    },
    result: () => ({ violations, writes, probes: probes.reduce((sum, times) => sum + times.length, 0) }),
  };
}
