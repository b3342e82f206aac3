/**
 * An operator as users write one, for suites that need a process: `lamp-operator.ts OPTIONS`, where OPTIONS are LampOperatorOptions as JSON.
 *
 * At each tick every Lamp is reconciled. A Lamp of mode `blink` gets a status write each time. `hold` works until its signal
 * aborts, takes 300 ms to end, and then writes what it leaves behind. `linger` never ends. A Lamp of mode `beacon` is left to a
 * Runnable, which writes its status at each tick.
 *
 * With `webhooks` nothing wakes it but these, and the requests that they become.
 */
import {
  createClient,
  createManager,
  createPinoLogger,
  type Duration,
  defineController,
  enqueueAll,
  enqueueRequestsFromMapFunc,
  generationChanged,
  githubSignature,
  isCodedError,
  jsonBody,
  keyOf,
  kindSource,
  type LeaderElectionOptions,
  type LeaderRunnable,
  loadConfig,
  shutdownSignal,
  tickerSource,
  type Watch,
  watch,
  webhookSource,
} from "farwatch";
import { z } from "zod";
import { githubSecret } from "../../ingress/github-sender.ts";
import { type LampObject, lampKind } from "../lamp.ts";

export interface LampOperatorOptions {
  readonly suite: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly identity: string;
  /** Between ticks; default 250 ms. */
  readonly every?: Duration | undefined;
  /** Default: no election. */
  readonly election?: Omit<LeaderElectionOptions, "identity" | "namespace">;
  /** Takes webhooks that name a Lamp, `{"lamp": NAME}`, at `/github` on this port of 127.0.0.1. Default: none. */
  readonly webhooks?: { readonly port: number; readonly maxRequests: number } | undefined;
}

const options = JSON.parse(process.argv[2] ?? "{}") as LampOperatorOptions;
const { suite, kubeconfig, namespace, identity, every = "250ms", election, webhooks } = options;
const log = createPinoLogger();
const signal = shutdownSignal();
signal.addEventListener("abort", () => log.info("Stopping", { pid: process.pid }));

const Lamp = lampKind(suite);

const timed: readonly Watch[] = [
  watch(tickerSource({ every }), enqueueAll(Lamp, { namespace })),
  watch(
    kindSource(Lamp),
    enqueueRequestsFromMapFunc((lamp: LampObject) => {
      log.info("Mapped", { lamp: lamp.metadata.name });
      return [keyOf(lamp)];
    }),
    generationChanged,
  ),
];

const sent: Watch = watch(
  webhookSource({
    path: "/github",
    auth: githubSignature({ secret: () => githubSecret }),
    body: jsonBody(z.object({ lamp: z.string() })),
    rateLimit: { perSecond: 10_000 },
  }),
  enqueueRequestsFromMapFunc(({ body }) => [{ namespace, name: body.lamp }]),
);

const controller = defineController({
  name: "lamp",
  for: Lamp,
  concurrency: 4,
  predicates: webhooks === undefined ? [] : [() => false],
  watches: webhooks === undefined ? timed : [sent],
  async reconcile(request, { client, clock, signal: aborts }) {
    log.info("Reconcile", { lamp: request.name });
    const lamp = await client.find(Lamp, request, { signal: aborts });
    switch (lamp?.spec.mode) {
      case "blink":
        await client.patchStatus(lamp, { writer: identity, count: (lamp.status?.count ?? 0) + 1 }, { signal: aborts });
        break;
      case "hold":
        log.info("Holding");
        await new Promise((resolve) => aborts.addEventListener("abort", resolve));
        log.info("Reconcile aborted", { code: isCodedError(aborts.reason) ? aborts.reason.code : "stop" });
        await clock.sleep("300ms");
        try {
          await client.patchStatus(lamp, { lastWords: identity });
          log.info("Last words written");
        } catch (error) {
          log.info("Last words refused", { code: isCodedError(error) ? error.code : String(error) });
        }
        break;
      case "linger":
        log.info("Lingering");
        await new Promise(() => {});
    }
  },
});

const beacon: LeaderRunnable = {
  name: "beacon",
  async start({ client: fenced, clock, signal: stops }) {
    for await (const _ of clock.ticks(every, stops)) {
      for (const lamp of await fenced.list(Lamp, { namespace })) {
        if (lamp.spec.mode !== "beacon") continue;
        await fenced.patchStatus(lamp, { writer: identity, count: (lamp.status?.count ?? 0) + 1 }, { signal: stops });
      }
    }
  },
};

await using client = createClient({ config: loadConfig({ kubeconfig, log }), log, fieldManager: identity });
await using manager = createManager({
  client,
  log,
  cache: [{ resource: Lamp, options: { namespace } }],
  leaderElection: election === undefined ? false : { ...election, identity, namespace },
  http: { host: "127.0.0.1", port: 0 },
  ingress: webhooks && { ...webhooks, host: "127.0.0.1", maxConnections: webhooks.maxRequests },
});
try {
  await manager.add(controller).add(beacon).start({ signal });
  log.info("Stopped");
} catch (error) {
  log.error("Failed", { error });
  process.exitCode = 1;
}
