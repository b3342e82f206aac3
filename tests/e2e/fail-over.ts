import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  kubeconfigFor,
  type RecordedRequest,
  type RecordingProxy,
  type SharedKubeApiserver,
  startRecordingProxy,
  writeKubeconfig,
} from "@farwatch/testing";
import { type ConnectedClient, type LeaderElectionOptions, Namespace, systemClock, toMs } from "farwatch";
import { eventually } from "../eventually.ts";
import { type ChildProgram, startProgram } from "./child-program.ts";
import type { LampOperatorOptions } from "./programs/lamp-operator.ts";

const durations = { leaseDuration: "3s", renewDeadline: "2s", retryPeriod: "500ms" } as const;
export const leaseDurationMs = toMs(durations.leaseDuration);
export const renewDeadlineMs = toMs(durations.renewDeadline);
/** The longest time between two tries: the retry period and its jitter. */
export const retryMs = toMs(durations.retryPeriod) * 1.2;

/** One process of the operator, and everything that it ever sent. */
export interface Candidate {
  readonly name: string;
  readonly program: ChildProgram;
  readonly proxy: RecordingProxy;
}

export interface JoinOptions
  extends Pick<LeaderElectionOptions, "onLost">,
    Pick<LampOperatorOptions, "every" | "webhooks"> {}

/** A namespace, in which candidates for one Lease run. Disposal kills them. */
export interface Election extends AsyncDisposable {
  readonly namespace: string;
  /** Starts a process behind a proxy of its own; resolves once it leads, or has seen who does. */
  join(name: string, options?: JoinOptions): Promise<Candidate>;
}

export async function startElection(options: {
  readonly server: SharedKubeApiserver;
  readonly client: ConnectedClient;
  readonly suite: string;
  readonly namespace: string;
}): Promise<Election> {
  const { server, client, suite, namespace } = options;
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "farwatch-election-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  await client.create(Namespace, { metadata: { name: namespace } });
  const owned = undo.move();
  return {
    namespace,
    async join(name, { every, webhooks, ...election } = {}): Promise<Candidate> {
      const proxy = owned.use(await startRecordingProxy({ target: server }));
      const kubeconfig = join(folder, `${name}.kubeconfig`);
      await writeKubeconfig(kubeconfig, kubeconfigFor({ url: proxy.url, ca: proxy.ca, user: { token: server.token } }));
      const program = owned.use(
        await startProgram("lamp-operator", {
          suite,
          kubeconfig,
          namespace,
          identity: name,
          every,
          webhooks,
          election: { leaseName: "lamps", ...durations, ...election },
        } satisfies LampOperatorOptions),
      );
      await program.said(["Became leader", "Leader seen"], ({ holder }) => holder !== "");
      return { name, program, proxy };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Everything that changes something, the Lease included. */
export function isMutation({ method }: RecordedRequest): boolean {
  return !["GET", "HEAD", "OPTIONS"].includes(method);
}

export function isLeaseWrite(request: RecordedRequest): boolean {
  return isMutation(request) && /\/leases(\/|$)/.test(request.path);
}

export function isStatusWrite(request: RecordedRequest): boolean {
  return isMutation(request) && /\/lamps\/[^/]+\/status$/.test(request.path);
}

/**
 * Resolves when a candidate that ticks every second has nothing to do for a while: it has written the status of each Lamp after a
 * pause, everything is answered, and the last renewal is fresh. A process that is stopped between the check of its fence and the
 * write to its socket writes when it goes on; now it cannot be there.
 */
export async function quiet(candidate: Candidate, lamps: number): Promise<void> {
  const { requests } = candidate.proxy;
  await eventually(`a quiet moment of ${candidate.name}`, () => {
    const [before, ...tick] = requests.filter(isStatusWrite).slice(-lamps - 1);
    const isWhole = new Set(tick.map(({ path }) => path)).size === lamps;
    const pauseMs = (tick[0]?.at ?? 0) - (before?.at ?? 0);
    const isAnswered = requests.filter(isMutation).every(({ outcome }) => outcome !== "open");
    const sinceRenewalMs = systemClock.elapsed() - lastRenewal(candidate).at;
    return isWhole && pauseMs > 300 && isAnswered && sinceRenewalMs < toMs(durations.retryPeriod) / 2;
  });
}

/** A write after which this candidate holds the Lease; "" for nobody. */
export function leaseWriteOf(holder: string): (request: RecordedRequest) => boolean {
  const text = `"holderIdentity":${JSON.stringify(holder)}`;
  return (request) => isLeaseWrite(request) && request.body.includes(text);
}

/** The last renewal that the server accepted; it reached the candidate's proxy just after it was sent. */
export function lastRenewal({ name, proxy }: Candidate): RecordedRequest {
  const isOwn = leaseWriteOf(name);
  const renewal = proxy.requests.findLast(
    (request) => isOwn(request) && (request.status === 200 || request.status === 201),
  );
  if (renewal === undefined) throw new Error(`${name} never held the Lease`);
  return renewal;
}
