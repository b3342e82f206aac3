import type { ConnectedClient } from "../client/connected-client.ts";
import type { Clock } from "../clock/clock.ts";
import { type Duration, toMs } from "../clock/duration.ts";
import { CodedError, isCodedError, messageOf } from "../error/coded-error.ts";
import { checkText } from "../error/given-text.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { Lease } from "../resource/kind/lease.ts";
import { type LeaseSpec, released, renewed, takenBy } from "./lease-record.ts";
import { createWriteFence, type SentAt, sentNow, type WriteFence } from "./write-fence.ts";

export interface LeaderElectorOptions {
  readonly client: ConnectedClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly leaseName: string;
  readonly namespace: string;
  readonly identity: string;
  readonly leaseDuration?: Duration | undefined;
  readonly renewDeadline?: Duration | undefined;
  readonly retryPeriod?: Duration | undefined;
  readonly releaseOnStop?: boolean | undefined;
}

/** One time of being the leader. */
export interface Term {
  /**
   * Fences every write of leader work; its signal aborts, with `LeadershipLost`, when the term has ended or may have.
   */
  readonly fence: WriteFence;
  /**
   * Ends the term. `release` gives the Lease up, so that the next leader need not wait: only when all leader work has
   * ended, and unless `releaseOnStop` is false. Never rejects.
   */
  end(options: { readonly release: boolean }): Promise<void>;
}

export interface LeaderElector {
  /** What kept the last try to stand for election from being one; undefined when it was, whoever won. */
  readonly problem: string | undefined;
  /**
   * Stands for election until it is won; rejects with the signal's reason. Failures of the API server are waited out.
   */
  campaign(signal: AbortSignal): Promise<Term>;
}

/**
 * A Lease as this candidate saw it, and when, on its own clock: other machines' clocks are never compared
 * (client-go#448).
 */
interface Observed {
  readonly lease: Lease;
  readonly atMs: number;
}

const jitterFactor = 1.2;
/** A problem that lasts is logged this often. */
const sayAgainMs = 60_000;

/**
 * @throws CodedError `InvalidOption` without a name of the Lease, and unless leaseDuration > renewDeadline > retryPeriod
 * · 1.2, as in client-go.
 */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  const { client, clock, log, identity, namespace, leaseName: name } = options;
  checkText(name, { doing: "elect a leader", what: "leaderElection.leaseName", give: "the name of a Lease" });
  const leaseDurationMs = toMs(options.leaseDuration ?? "15s");
  const renewDeadlineMs = toMs(options.renewDeadline ?? "10s");
  const retryPeriodMs = toMs(options.retryPeriod ?? "2s");
  const text = `${namespace}/${name}`;
  if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * jitterFactor && retryPeriodMs > 0)) {
    throw new CodedError(
      "InvalidOption",
      `Cannot elect a leader with Lease ${text}: leaseDuration (${leaseDurationMs} ms) must be above renewDeadline (${renewDeadlineMs} ms), and that above 1.2 times retryPeriod (${retryPeriodMs} ms)`,
    );
  }
  const status = options.metrics.gauge({
    name: "leader_election_master_status",
    help: "1 while this process is the leader, 0 while it is not.",
    labelNames: ["name"],
  });
  status.set(0, { name });
  let observed: Observed | undefined;
  let problem: string | undefined;
  /** When the problem was logged last. */
  let saidMs = 0;

  const observe = (lease: Lease): void => {
    const seen = observed?.lease;
    const changed =
      seen === undefined || seen.metadata.uid !== lease.metadata.uid || !sameRecord(seen.spec, lease.spec);
    const holder = lease.spec?.holderIdentity ?? "";
    if (changed && holder !== "" && holder !== seen?.spec?.holderIdentity)
      log.info("Leader seen", { lease: text, holder });
    observed = { lease, atMs: changed || observed === undefined ? clock.elapsed() : observed.atMs };
  };

  /** How long the holder that was seen may still be at work: the durations that it wrote itself count. */
  const heldForMs = (): number => {
    const spec = observed?.lease.spec;
    if (observed === undefined || spec?.holderIdentity === undefined || spec.holderIdentity === "") return 0;
    const durationMs = (spec.leaseDurationSeconds ?? leaseDurationMs / 1_000) * 1_000;
    return observed.atMs + durationMs - clock.elapsed();
  };

  /**
   * Writes the record over the Lease that was seen; gives the time at which the request was handed to the socket.
   * Within a term its fence is asked in that tick.
   */
  const write = async (spec: LeaseSpec, signal: AbortSignal, fence?: WriteFence): Promise<SentAt> => {
    let sent = sentNow(clock);
    const stamped = client.view({
      fence: {
        signal,
        check: () => {
          fence?.checkRenewal();
          sent = sentNow(clock);
        },
      },
    });
    const metadata = observed?.lease.metadata;
    const lease =
      metadata === undefined
        ? await stamped.create(Lease, { metadata: { namespace, name }, spec }, { signal })
        : await stamped.update({ ...observed?.lease, metadata, spec } as Lease, { signal });
    observed = { lease, atMs: sent.elapsedMs };
    return sent;
  };

  const read = async (signal: AbortSignal): Promise<void> => {
    const lease = await client.find(Lease, { namespace, name }, { live: true, signal });
    if (lease === undefined) observed = undefined;
    else observe(lease);
  };

  /** One try: undefined when somebody else has the Lease. */
  const tryAcquire = async (signal: AbortSignal): Promise<SentAt | undefined> => {
    await read(signal);
    const spec = observed?.lease.spec;
    // A Lease in our own name after a restart within its duration is ours: an identity is unique to a process, so this
    // is a retry whose answer was lost.
    if (spec?.holderIdentity === identity) return write(renewed(spec, leaseDurationMs, clock), signal);
    if (heldForMs() > 0) return undefined;
    return write(takenBy(identity, leaseDurationMs, clock, spec), signal);
  };

  const renew = async (fence: WriteFence, signal: AbortSignal): Promise<void> => {
    const spec = observed?.lease.spec;
    try {
      if (spec === undefined) throw new CodedError("NotFound", `Cannot renew Lease ${text}: it has not been read`);
      fence.renewedAt(await write(renewed(spec, leaseDurationMs, clock), signal, fence));
      return;
    } catch (error) {
      if (!isCodedError(error, "Conflict") && !isCodedError(error, "NotFound")) throw error;
    }
    // Somebody wrote the Lease: an edit of its labels does no harm, another holder ends the term at once.
    await read(signal);
    const holder = observed?.lease.spec?.holderIdentity;
    if (holder !== undefined && holder !== "" && holder !== identity) {
      fence.close(new CodedError("LeadershipLost", `Cannot go on as leader: Lease ${text} is held by ${holder} now`));
      return;
    }
    const fresh = observed?.lease.spec;
    fence.renewedAt(
      await write(
        fresh?.holderIdentity === identity
          ? renewed(fresh, leaseDurationMs, clock)
          : takenBy(identity, leaseDurationMs, clock, fresh),
        signal,
        fence,
      ),
    );
  };

  /**
   * A renewal that the stop cut off may have reached the server: then the Lease has a version that was not seen yet.
   */
  const giveUp = async (spec: LeaseSpec, fence: WriteFence, signal: AbortSignal): Promise<void> => {
    try {
      await write(released(spec, clock), signal, fence);
    } catch (error) {
      if (!isCodedError(error, "Conflict")) throw error;
      await read(signal);
      const fresh = observed?.lease.spec;
      if (fresh?.holderIdentity !== identity) throw error;
      await write(released(fresh, clock), signal, fence);
    }
  };

  const startTerm = (acquired: SentAt): Term => {
    let lastFailure: unknown;
    const fence = createWriteFence({
      clock,
      renewDeadlineMs,
      lease: text,
      acquired,
      lastFailure: () => lastFailure,
    });
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, fence.signal]);
    status.set(1, { name });
    log.info("Became leader", { lease: text, identity });

    const renewing = (async (): Promise<void> => {
      // After an attempt that took longer than the period the next one comes at once: the deadline leaves no time to
      // wait.
      for await (const _ of clock.ticks(retryPeriodMs, signal)) {
        try {
          using attempt = clock.timeout(Math.max(1, renewDeadlineMs / 2), signal, { waitsFor: "the API server" });
          await renew(fence, attempt);
          lastFailure = undefined;
        } catch (error) {
          if (!signal.aborted) lastFailure = error;
          if (!signal.aborted)
            log.warn("Cannot renew Lease", { lease: text, leftMs: Math.round(fence.leftMs()), error });
        }
      }
    })();

    return {
      fence,
      async end({ release }): Promise<void> {
        stop.abort();
        await renewing;
        status.set(0, { name });
        const spec = observed?.lease.spec;
        const held = !fence.signal.aborted && fence.leftMs() > 0 && spec?.holderIdentity === identity;
        const ended = new CodedError("LeadershipLost", `Cannot go on as leader: Lease ${text} was given up`);
        if (release && held && spec !== undefined && options.releaseOnStop !== false) {
          try {
            using attempt = clock.timeout(Math.min(renewDeadlineMs, fence.leftMs()), undefined, {
              waitsFor: "the API server",
            });
            await giveUp(spec, fence, attempt);
            log.info("Gave up Lease", { lease: text });
          } catch (error) {
            log.warn("Cannot give up Lease: the next leader waits until it has expired", { lease: text, error });
          }
        }
        fence.close(ended);
      },
    };
  };

  return {
    get problem() {
      return problem;
    },
    async campaign(signal): Promise<Term> {
      for (;;) {
        try {
          using attempt = clock.timeout(renewDeadlineMs, signal, { waitsFor: "the API server" });
          const acquired = await tryAcquire(attempt);
          problem = undefined;
          if (acquired !== undefined) return startTerm(acquired);
        } catch (error) {
          signal.throwIfAborted();
          // A conflict is another candidate who was faster: no fault.
          const outrun = isCodedError(error, "Conflict") || isCodedError(error, "AlreadyExists");
          const before = problem;
          problem = outrun ? undefined : messageOf(error);
          // Tried every two seconds, perhaps for hours: said when it changes, and once in a while.
          const nowMs = clock.elapsed();
          if (problem !== undefined && (problem !== before || nowMs - saidMs >= sayAgainMs)) {
            saidMs = nowMs;
            log.warn("Cannot stand for election", { lease: text, error });
          }
        }
        await clock.sleep(retryPeriodMs * (1 + clock.random() * (jitterFactor - 1)), signal);
      }
    },
  };
}

function sameRecord(a: LeaseSpec | undefined, b: LeaseSpec | undefined): boolean {
  return (
    a?.holderIdentity === b?.holderIdentity &&
    a?.renewTime === b?.renewTime &&
    a?.acquireTime === b?.acquireTime &&
    a?.leaseTransitions === b?.leaseTransitions &&
    a?.leaseDurationSeconds === b?.leaseDurationSeconds
  );
}
