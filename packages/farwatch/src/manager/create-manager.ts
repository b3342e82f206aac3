import { hostname } from "node:os";
import { createCache } from "../cache/create-cache.ts";
import { createReadYourWrites } from "../cache/read-your-writes.ts";
import type { LeaderClient } from "../client/client.ts";
import type { ClusterConfig } from "../client/cluster-config.ts";
import type { ClientView } from "../client/connected-client.ts";
import { createClient } from "../client/create-client.ts";
import { toMs } from "../clock/duration.ts";
import { systemClock } from "../clock/system-clock.ts";
import { CodedError, isCodedError } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { joinSignals } from "../flow/join-signals.ts";
import { createTaskScope, type TaskScope } from "../flow/task-scope.ts";
import { createIngress, noIngress } from "../ingress/create-ingress.ts";
import { type IngressServer, startIngressServer } from "../ingress/ingress-server.ts";
import { createPinoLogger } from "../observe/pino-logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { createSourceHub } from "../source/source-hub.ts";
import { endsInTime } from "./grace.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";
import { createLeaderElector, type LeaderElector, type Term } from "./leader-elector.ts";
import { createLeadership } from "./leadership.ts";
import type { HealthCheck, LeaderElectionOptions, Manager, ManagerOptions } from "./manager.ts";
import { createReadiness } from "./readiness.ts";
import { createWorkRoster, isForLeader } from "./work-roster.ts";

/**
 * A manager that has not started. Nothing is opened before `start`, but for the client, which connects with its first
 * request.
 *
 * @throws CodedError `InvalidDuration`, and what `cache` may be refused with: `DuplicateName`, `InvalidOption`,
 * `InvalidSelector`.
 */
export function createManager(options: ManagerOptions = {}): Manager {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? createPinoLogger();
  const metrics = options.metrics ?? createMetrics({ processMetrics: true });
  const client = options.client ?? createClient({ clock, log, metrics });
  const cache = createCache({ client, clock, log, metrics, kinds: options.cache });
  const ingress = options.ingress ? createIngress() : undefined;
  const graceMs = toMs(options.gracefulShutdownTimeout ?? "30s");
  // The rest of the grace is for streams to close.
  const hub = createSourceHub({
    clock,
    log,
    metrics,
    cache,
    client,
    ingress: ingress ?? noIngress,
    acknowledgeGrace: graceMs * 0.9,
  });
  const leadership = createLeadership();
  const identity = options.leaderElection ? options.leaderElection.identity : undefined;
  const instance = identity ?? `${hostname()}_${crypto.randomUUID().slice(0, 8)}`;
  const checks: Record<"healthz" | "readyz", HealthCheck[]> = {
    healthz: [{ name: "ping", check: () => undefined }],
    readyz: [],
  };
  let elector: LeaderElector | undefined;
  const readiness = createReadiness({ cache, hub, elector: () => elector });
  let http: HttpServer | undefined;
  let ingressServer: IngressServer | undefined;
  let started = false;
  /** Aborts when what was started shall stop. */
  let stopping: AbortSignal | undefined;
  let stopped = false;
  /** Nobody asked for that: it must not become true of work that other replicas do too. */
  let leadsUnelected = false;
  const disposed = new AbortController();
  /** Resolves when what `start` began has ended, however it did. */
  let ended: Promise<void> = Promise.resolve();

  const viewFor = (name: string, options: Pick<ClientView, "fence" | "resources"> = {}): LeaderClient => {
    const ownWrites = createReadYourWrites(cache, { clock, live: client, metrics });
    return client.view({ ...ownWrites, ...options, fieldManager: name, notesRequests: true });
  };

  const roster = createWorkRoster({ clock, log, metrics, cache, hub, instance, view: viewFor, graceMs });

  /** Runs leader work until the signal aborts or the term ends; throws `LeadershipLost` for the latter. */
  const lead = async (term: Term | undefined, signal: AbortSignal): Promise<void> => {
    using ends = term === undefined ? undefined : joinSignals(signal, term.fence.signal);
    const scope = createTaskScope(ends ?? signal);
    let inTime = false;
    leadership.set(true);
    try {
      roster.open("leader", scope, term?.fence);
      scope.run("sources", (aborts) => hub.open("leader", aborts));
      inTime = await endsInTime(scope.join(), scope.signal, graceMs, clock);
    } catch (error) {
      if (term === undefined || !isCodedError(error, "NotLeader")) throw error;
      // Its own write has told a runnable that the Lease may be lost, before any timer did.
      log.warn("Leader work ended with the refusal of its write", { error });
      term.fence.close(
        new CodedError("LeadershipLost", "Cannot go on as leader: leader work has ended, since its write was refused", {
          cause: error,
        }),
      );
      inTime = true;
    } finally {
      leadership.set(false);
      // What did not end may still write: the Lease then runs out by itself, and the fence is closed.
      await term?.end({ release: inTime });
    }
    if (!signal.aborted && term?.fence.signal.aborted) {
      throw inTime
        ? term.fence.signal.reason
        : new CodedError(
            "LeadershipLost",
            `Cannot go on as leader: the Lease was lost, and ${roster.describeRunning(scope)} did not end in time`,
          );
    }
    if (!inTime) throw shutdownTimeout(scope);
  };

  const shutdownTimeout = (scope: TaskScope): CodedError =>
    new CodedError(
      "ShutdownTimeout",
      `Cannot stop within ${graceMs} ms: still running: ${roster.describeRunning(scope)}; let them honour ctx.signal, or raise gracefulShutdownTimeout`,
      { cause: scope.signal.reason },
    );

  const campaignAndLead = async (
    election: LeaderElectionOptions,
    config: ClusterConfig,
    signal: AbortSignal,
  ): Promise<void> => {
    const namespace = election.namespace ?? (config.inCluster ? config.namespace : undefined);
    if (namespace === undefined) {
      throw new CodedError(
        "InvalidOption",
        `Cannot elect a leader with Lease ${election.leaseName}: outside a cluster give leaderElection.namespace`,
      );
    }
    elector = createLeaderElector({ ...election, client, clock, log, metrics, namespace, identity: instance });
    for (;;) {
      const term = await elector.campaign(signal);
      try {
        await lead(term, signal);
        return;
      } catch (error) {
        const lost = error === term.fence.signal.reason && !signal.aborted;
        if (!lost || election.onLost !== "campaign") throw error;
        log.warn("Lost the Lease: standing for election again", { error });
      }
    }
  };

  const electionFor = (config: ClusterConfig): LeaderElectionOptions | undefined => {
    if (options.leaderElection !== undefined)
      return options.leaderElection === false ? undefined : options.leaderElection;
    const { first } = roster;
    return config.inCluster && first !== undefined ? { leaseName: first } : undefined;
  };

  /** Undefined when the signal aborts first: a file system may hang. */
  const configUnless = async (signal: AbortSignal): Promise<ClusterConfig | undefined> => {
    try {
      return await abortable(client.config(), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return undefined;
    }
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    const config = await configUnless(signal);
    if (config === undefined) return;
    const address = options.http ?? (config.inCluster && { host: "0.0.0.0", port: 8080 });
    if (address !== false) {
      http = await startHttpServer({
        host: address.host ?? "0.0.0.0",
        port: address.port,
        clock,
        log,
        metrics,
        checks: (kind) => (kind === "healthz" ? checks.healthz : [...checks.readyz, ...readiness()]),
        sources: () => hub.states,
        beforeScrape: () => {
          roster.sample();
          hub.sample();
        },
      });
      log.info("Serving health and metrics", { host: http.address.host, port: http.address.port });
    }
    await using _http = http;
    if (options.ingress && ingress !== undefined) {
      ingressServer = await startIngressServer({ ...options.ingress, router: ingress, clock, log, metrics });
      log.info("Serving the ingress", { host: ingressServer.address.host, port: ingressServer.address.port });
    }
    // Ends after the sources: until then whoever still sends is told to come again.
    await using _ingress = ingressServer;
    await using caches = createTaskScope();
    caches.run("cache", (aborts) => cache.start(aborts));
    const scope = createTaskScope(signal);
    caches.signal.addEventListener("abort", () => scope.abort(caches.signal.reason), { once: true });
    roster.open("everyone", scope);
    scope.run("sources", (aborts) => hub.open("everyone", aborts));
    const election = electionFor(config);
    leadsUnelected = config.inCluster && election === undefined && options.leaderElection === undefined;
    scope.run("leader work", (aborts) =>
      election === undefined ? lead(undefined, aborts) : campaignAndLead(election, config, aborts),
    );
    // Leader work has its own grace, and names what did not end: it goes first.
    if (!(await endsInTime(scope.join(), scope.signal, graceMs + 1_000, clock))) throw shutdownTimeout(scope);
  };

  return {
    client: viewFor("farwatch"),
    cache,
    metrics,
    leadership,
    get address() {
      return http?.address;
    },
    get ingressAddress() {
      return ingressServer?.address;
    },
    add(work): Manager {
      if (stopped || stopping?.aborted || disposed.signal.aborted)
        throw new CodedError("AlreadyStarted", `Cannot add ${work.name}: the manager has stopped, create a new one`);
      if (leadsUnelected && isForLeader(work)) {
        throw new CodedError(
          "InvalidOption",
          `Cannot add ${work.name}: it is for the leader alone, and this manager started without an election, since nothing was there to name its Lease; give leaderElection`,
        );
      }
      roster.add(work);
      return this;
    },
    remove: (work) => roster.remove(work),
    addHealthCheck(kind, check): Manager {
      checks[kind].push(check);
      return this;
    },
    async start({ signal }): Promise<void> {
      if (started)
        throw new CodedError("AlreadyStarted", "Cannot start the manager: it has started before, create a new one");
      started = true;
      using stop = joinSignals(signal, disposed.signal);
      stopping = stop;
      const running = run(stop).finally(() => {
        stopped = true;
      });
      ended = running.catch(() => {});
      await running;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      disposed.abort();
      await ended;
      if (options.client === undefined) await client[Symbol.asyncDispose]();
    },
  };
}
