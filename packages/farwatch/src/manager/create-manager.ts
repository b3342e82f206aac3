import { hostname } from "node:os";
import type { Informer } from "../cache/cache.ts";
import { createCache } from "../cache/create-cache.ts";
import { createReadYourWrites } from "../cache/read-your-writes.ts";
import type { LeaderClient } from "../client/client.ts";
import type { ClusterConfig } from "../client/cluster-config.ts";
import type { Fence } from "../client/connected-client.ts";
import { createClient } from "../client/create-client.ts";
import { toMs } from "../clock/duration.ts";
import { systemClock } from "../clock/system-clock.ts";
import type { Controller } from "../controller/controller.ts";
import { type ControllerRunner, createControllerRunner, resourcesOf } from "../controller/controller-runner.ts";
import { CodedError, isCodedError } from "../error/coded-error.ts";
import { abortable } from "../flow/abortable.ts";
import { joinSignals } from "../flow/join-signals.ts";
import { createTaskScope, type TaskScope } from "../flow/task-scope.ts";
import { createIngress } from "../ingress/create-ingress.ts";
import { type IngressServer, startIngressServer } from "../ingress/ingress-server.ts";
import { createPinoLogger } from "../observe/pino-logger.ts";
import { createMetrics } from "../observe/prom-metrics.ts";
import { createEventRecorder } from "../reconcile/create-event-recorder.ts";
import { createSourceHub } from "../source/source-hub.ts";
import { endsInTime } from "./grace.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";
import { createLeaderElector, type LeaderElector, type Term } from "./leader-elector.ts";
import { createLeadership } from "./leadership.ts";
import type { HealthCheck, LeaderElectionOptions, Manager, ManagerOptions } from "./manager.ts";
import { createReadiness } from "./readiness.ts";
import type { Runnable } from "./runnable.ts";

interface ControllerWork {
  readonly name: string;
  readonly controller: Controller;
  readonly runner: ControllerRunner;
  /** Of the kinds that it reads; held as long as the manager lives. */
  readonly informers: readonly Informer[];
}

/** Work that the manager starts: a controller with its runner, or a runnable. */
type Work = ControllerWork | { readonly name: string; readonly runnable: Runnable };

/**
 * A manager that has not started. Nothing is opened before `start`, but for the client, which connects with its first request.
 *
 * @throws CodedError `InvalidDuration`, and what `cache` may be refused with: `DuplicateName`, `InvalidOption`, `InvalidSelector`.
 */
export function createManager(options: ManagerOptions = {}): Manager {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? createPinoLogger();
  const metrics = options.metrics ?? createMetrics({ processMetrics: true });
  const client = options.client ?? createClient({ clock, log, metrics });
  const cache = createCache({ client, clock, log, metrics, kinds: options.cache });
  const ingress = createIngress();
  const graceMs = toMs(options.gracefulShutdownTimeout ?? "30s");
  // The rest of the grace is for streams to close.
  const hub = createSourceHub({ clock, log, metrics, cache, client, ingress, acknowledgeGrace: graceMs * 0.9 });
  const leadership = createLeadership();
  const identity = options.leaderElection ? options.leaderElection.identity : undefined;
  const instance = identity ?? `${hostname()}_${crypto.randomUUID().slice(0, 8)}`;
  const works: Work[] = [];
  const checks: Record<"healthz" | "readyz", HealthCheck[]> = {
    healthz: [{ name: "ping", check: () => undefined }],
    readyz: [],
  };
  let elector: LeaderElector | undefined;
  const readiness = createReadiness({ cache, hub, elector: () => elector });
  let http: HttpServer | undefined;
  let ingressServer: IngressServer | undefined;
  let started = false;
  const disposed = new AbortController();
  /** Resolves when what `start` began has ended, however it did. */
  let ended: Promise<void> = Promise.resolve();

  const viewFor = (name: string, fence: Fence | undefined): LeaderClient => {
    const ownWrites = createReadYourWrites(cache, { clock, live: client, metrics });
    return client.view({ ...ownWrites, fence, fieldManager: name, notesRequests: true });
  };

  const isLeaderWork = (work: Work): boolean =>
    "runner" in work ? work.runner.needLeaderElection : (work.runnable.needLeaderElection ?? true);

  const startController = async (
    { controller, runner, informers }: ControllerWork,
    view: LeaderClient,
    signal: AbortSignal,
  ): Promise<void> => {
    const events = createEventRecorder({
      client: view,
      clock,
      log,
      metrics,
      controller: `farwatch.dev/${controller.name}`,
      instance,
    });
    const done = new AbortController();
    const writing = events.run(done.signal);
    try {
      // Each controller waits for its own kinds alone: a missing CRD holds up whom it concerns.
      await Promise.all(informers.map((informer) => informer.synced(signal)));
      log.info("Starting controller", { controller: controller.name });
      await runner.start(signal, { client: view, events });
    } finally {
      done.abort();
      await writing;
    }
  };

  const startWorks = (scope: TaskScope, chosen: readonly Work[], fence: Fence | undefined): void => {
    for (const work of chosen) {
      const view = viewFor(work.name, fence);
      if ("runner" in work) {
        scope.run(`controller ${work.name}`, (signal) => startController(work, view, signal));
      } else {
        const ctx = { client: view, clock, cache, log: log.child({ runnable: work.name }) };
        scope.run(`runnable ${work.name}`, (signal) => work.runnable.start({ ...ctx, signal }));
      }
    }
  };

  /** Names what still runs, down to the requests of a controller. */
  const stillRunning = (scope: TaskScope): string =>
    scope.running
      .map((task) => {
        const work = works.find(({ name }) => task === `controller ${name}`);
        const requests = work !== undefined && "runner" in work ? work.runner.running : [];
        return requests.length === 0 ? task : `${task} (${requests.join(", ")})`;
      })
      .join(", ");

  /** Runs leader work until the signal aborts or the term ends; throws `LeadershipLost` for the latter. */
  const lead = async (term: Term | undefined, signal: AbortSignal): Promise<void> => {
    using ends = term === undefined ? undefined : joinSignals(signal, term.fence.signal);
    const scope = createTaskScope(ends ?? signal);
    let inTime = false;
    leadership.set(true);
    try {
      startWorks(scope, works.filter(isLeaderWork), term?.fence);
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
            `Cannot go on as leader: the Lease was lost, and ${stillRunning(scope)} did not end in time`,
          );
    }
    if (!inTime) throw shutdownTimeout(scope);
  };

  const shutdownTimeout = (scope: TaskScope): CodedError =>
    new CodedError(
      "ShutdownTimeout",
      `Cannot stop within ${graceMs} ms: still running: ${stillRunning(scope)}; let them honour ctx.signal, or raise gracefulShutdownTimeout`,
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
    const first = works.find((work) => "runner" in work) ?? works.find(isLeaderWork);
    return config.inCluster && first !== undefined ? { leaseName: first.name } : undefined;
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
        beforeScrape: () => {
          for (const work of works) if ("runner" in work) work.runner.sample();
        },
      });
      log.info("Serving health and metrics", { host: http.address.host, port: http.address.port });
    }
    await using _http = http;
    if (options.ingress) {
      ingressServer = await startIngressServer({ ...options.ingress, router: ingress, clock, log, metrics });
      log.info("Serving the ingress", { host: ingressServer.address.host, port: ingressServer.address.port });
    }
    // Ends after the sources: until then whoever still sends is told to come again.
    await using _ingress = ingressServer;
    await using caches = createTaskScope();
    caches.run("cache", (aborts) => cache.start(aborts));
    const scope = createTaskScope(signal);
    caches.signal.addEventListener("abort", () => scope.abort(caches.signal.reason), { once: true });
    startWorks(
      scope,
      works.filter((work) => !isLeaderWork(work)),
      undefined,
    );
    for (const work of works) {
      if (!("runner" in work) || !work.runner.annotates) continue;
      const { name, runner, informers } = work;
      scope.run(`annotations of ${name}`, async (aborts) => {
        // What its handlers read must be there.
        await Promise.all(informers.map((informer) => informer.synced(aborts)));
        await runner.annotate(aborts, { client: viewFor(name, undefined) });
      });
    }
    scope.run("sources", (aborts) => hub.open("everyone", aborts));
    const election = electionFor(config);
    scope.run("leader work", (aborts) =>
      election === undefined ? lead(undefined, aborts) : campaignAndLead(election, config, aborts),
    );
    // Leader work has its own grace, and names what did not end: it goes first.
    if (!(await endsInTime(scope.join(), scope.signal, graceMs + 1_000, clock))) throw shutdownTimeout(scope);
  };

  return {
    client: viewFor("farwatch", undefined),
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
      if (started) throw new CodedError("AlreadyStarted", `Cannot add ${work.name}: the manager has started`);
      if (works.some(({ name }) => name === work.name)) {
        throw new CodedError(
          "DuplicateName",
          `Cannot add ${work.name}: a controller or runnable of that name was added before, give one of them another name`,
        );
      }
      if ("start" in work) {
        works.push({ name: work.name, runnable: work });
        return this;
      }
      if (work.options?.for === undefined) {
        throw new CodedError(
          "InvalidOption",
          `Cannot add ${work.name}: it is neither a controller nor a runnable, give what defineController gives or an object with \`start\``,
        );
      }
      works.push({
        informers: resourcesOf(work).map((resource) => cache.informer(resource)),
        name: work.name,
        controller: work,
        runner: createControllerRunner({ controller: work, cache, hub, clock, log, metrics }),
      });
      return this;
    },
    addHealthCheck(kind, check): Manager {
      checks[kind].push(check);
      return this;
    },
    async start({ signal }): Promise<void> {
      if (started)
        throw new CodedError("AlreadyStarted", "Cannot start the manager: it has started before, create a new one");
      started = true;
      using stop = joinSignals(signal, disposed.signal);
      const running = run(stop);
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
