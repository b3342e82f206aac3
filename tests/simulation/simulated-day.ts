import type { StoreState } from "@farwatch/apiserver";
import { createS3Store, createTestEnv, type S3Store, type TestEnv, transportFaults } from "@farwatch/testing";
import { formatKey, isCodedError, Lease, parseTime, Secret } from "farwatch";
import { createEndpointPolicy, createS3Probe, parseAllowedEndpoint, StorageBucket } from "storage-bucket";
import { type Action, bucketCount, type DayPlan, type NetworkFault, periodMs, replicaNames } from "./day-plan.ts";
import { createHistory, type DayResult, type History, openCircuitMs } from "./history.ts";
import type { Mutant } from "./mutant.ts";
import { OperatorReplica } from "./operator-replica.ts";

/** How long after a disturbance nothing is expected to be as it should be. */
const recoveryMs = 240_000;
const startMs = 120_000;
/** A bucket that was asked to slow down three times in a row is probed after eight, four and two periods before each period again. */
const throttledMs = (8 + 4 + 2) * periodMs;

/** Plays a day, and says which promises did not hold. The same plan gives the same result, always. */
export async function simulateDay(plan: DayPlan, mutant: Mutant = {}): Promise<DayResult> {
  await using env = await createTestEnv({ resources: [StorageBucket], seed: plan.seed });
  const day = new SimulatedDay(env, plan, mutant);
  await using _ = day;
  await day.play();
  return day.result();
}

const bucketName = (index: number): string => `bucket-${index}`;
const base64 = (data: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
const keyIn = (name: string): { readonly namespace: string; readonly name: string } => ({ namespace: "default", name });

class SimulatedDay implements AsyncDisposable {
  readonly #env: TestEnv;
  readonly #plan: DayPlan;
  readonly #store: S3Store;
  readonly #history: History;
  readonly #replicas: ReadonlyMap<string, OperatorReplica>;
  readonly #later: { readonly atMs: number; readonly order: number; readonly run: () => Promise<void> | void }[] = [];
  readonly #states = new Map<number, StoreState>();
  #secret = 0;
  #specs = 0;
  #order = 0;

  constructor(env: TestEnv, plan: DayPlan, mutant: Mutant) {
    this.#env = env;
    this.#plan = plan;
    this.#history = createHistory(env.clock);
    const names = Array.from({ length: bucketCount }, (_, index) => bucketName(index));
    this.#store = createS3Store({
      clock: env.clock,
      seed: plan.seed,
      users: [{ accessKeyId: "operator", secretAccessKey: "secret-0" }],
      buckets: Object.fromEntries(names.map((name) => [name, { owner: "operator" }])),
    });
    const transport = this.#history.watchStore(this.#store.transport);
    this.#replicas = new Map(
      replicaNames.map((name) => [
        name,
        new OperatorReplica({
          name,
          env,
          history: this.#history,
          mutant,
          probe: createS3Probe({ transport, clock: env.clock, env: {} }),
          policy: createEndpointPolicy([parseAllowedEndpoint("*=s3.test") ?? []].flat()),
        }),
      ]),
    );
  }

  async play(): Promise<void> {
    await this.#furnish();
    for (const replica of this.#replicas.values()) await replica.start();
    for (const { atMs, action } of this.#plan.actions) {
      if (action.type === "restoreServer") {
        this.#at(Math.max(startMs, atMs - action.backMs), () => {
          this.#states.set(atMs, this.#env.server.state());
        });
      }
      this.#at(atMs, () => this.#do(action, atMs));
    }
    const { clock } = this.#env;
    for (;;) {
      // A minute at a time, since processes that end are started again.
      for (const replica of this.#replicas.values()) this.#supervise(replica);
      this.#later.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
      const nextMs = this.#later[0]?.atMs ?? this.#plan.lengthMs;
      const leftMs = Math.min(nextMs - clock.elapsed(), 60_000);
      if (leftMs > 0) {
        await this.#env.advance(leftMs);
        continue;
      }
      const next = this.#later.shift();
      if (next === undefined) break;
      await next.run();
      await this.#env.settle();
    }
    await this.#checkEnd();
  }

  result(): DayResult {
    return this.#history.result();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.#replicas.values()) await replica[Symbol.asyncDispose]();
    await this.#store[Symbol.asyncDispose]();
  }

  #at(atMs: number, run: () => Promise<void> | void): void {
    this.#order += 1;
    this.#later.push({ atMs, order: this.#order, run });
  }

  #after(ms: number, run: () => Promise<void> | void): void {
    this.#at(this.#env.clock.elapsed() + ms, run);
  }

  async #furnish(): Promise<void> {
    await this.#env.client.create(Secret, this.#secretObject());
    for (let index = 0; index < bucketCount; index += 1) await this.#createBucket(index);
  }

  #secretObject() {
    const data = {
      accessKeyId: "operator",
      secretAccessKey: `secret-${this.#secret}`,
      allowedEndpoints: "s3.test",
    };
    return { metadata: keyIn("keys"), type: "storage.farwatch.dev/credentials", data: base64(data) };
  }

  async #createBucket(index: number): Promise<void> {
    this.#history.caused(index);
    await this.#env.client.create(StorageBucket, {
      metadata: keyIn(bucketName(index)),
      spec: {
        s3: { bucket: bucketName(index), endpoint: "https://s3.test", addressing: "Path" },
        credentials: { secretRef: { name: "keys" } },
        probe: { periodSeconds: periodMs / 1_000, timeoutSeconds: 5 },
      },
    });
  }

  /** Restarts what has ended by itself, as a kubelet does. */
  #supervise(replica: OperatorReplica): void {
    const end = replica.takeEnd();
    if (end === undefined) return;
    this.#history.disturb(`${replica.process} ended: ${end}`, this.#env.clock.elapsed(), 10_000 + recoveryMs);
    this.#after(10_000, () => replica.restart());
  }

  async #do(action: Action, atMs: number): Promise<void> {
    const history = this.#history;
    const now = this.#env.clock.elapsed();
    switch (action.type) {
      case "changeSpec":
        return await this.#changeSpec(action.bucket);
      case "recreate":
        return await this.#recreate(action.bucket);
      case "rotateSecret":
        return await this.#rotateSecret();
      case "flipBucket": {
        const name = bucketName(action.bucket);
        if (history.flip(action.bucket)) this.#store.putBucket(name, { owner: "operator" });
        else this.#store.removeBucket(name);
        return;
      }
      case "storeFault": {
        const afterMs = action.fault === "throttled" ? throttledMs : 0;
        history.disturb(`store ${action.fault}`, now, action.forMs + 60_000 + afterMs);
        const handle = this.#store.faults.add(
          action.fault === "slow" ? { kind: "slow", by: "2s" } : { kind: action.fault },
        );
        return this.#after(action.forMs, () => {
          handle[Symbol.dispose]();
          if (action.fault !== "throttled") this.#expectAllProbed({ sinceMs: now });
        });
      }
      case "network": {
        history.disturb(`${action.replica} ${action.fault}`, now, action.forMs + recoveryMs);
        const handle = this.#replicas.get(action.replica)?.addFault(faultOf(action.fault));
        return this.#after(action.forMs, () => handle?.[Symbol.dispose]());
      }
      case "stop":
      case "kill": {
        history.disturb(`${action.type} ${action.replica}`, now, action.forMs + recoveryMs);
        const replica = this.#replicas.get(action.replica);
        if (action.type === "stop") await replica?.stop();
        else await replica?.kill();
        return this.#after(action.forMs, () => replica?.restart());
      }
      case "closeWatches":
        history.disturb("watches closed", now, recoveryMs);
        return this.#env.server.closeWatches();
      case "compact":
        return this.#env.server.compact();
      case "stealLease":
        history.disturb("lease stolen", now, recoveryMs);
        return await this.#stealLease();
      case "jump":
        history.disturb(`clock jumps by ${action.byMs} ms`, now, recoveryMs + periodMs);
        this.#after(1_000, () => this.#changeSpec(action.bucket));
        return this.#env.jump(action.byMs);
      case "restoreServer": {
        const state = this.#states.get(atMs);
        if (state === undefined) return;
        history.disturb("server restored", now, recoveryMs + periodMs);
        this.#env.server.restore(state);
        return await this.#syncSecret();
      }
    }
  }

  async #changeSpec(index: number): Promise<void> {
    const bucket = await this.#env.client.find(StorageBucket, keyIn(bucketName(index)), { live: true });
    if (bucket === undefined) return;
    this.#specs += 1;
    const changed = await this.#env.client.patch(bucket, {
      spec: { probe: { timeoutSeconds: 5 + (this.#specs % 5) } },
    });
    this.#history.caused(index);
    this.#expectSoon(`generation ${changed.metadata.generation} of ${bucketName(index)} is observed`, async () => {
      const now = await this.#env.client.find(StorageBucket, keyIn(bucketName(index)), { live: true });
      if (now === undefined || now.metadata.uid !== changed.metadata.uid) return undefined;
      return (now.status?.observedGeneration ?? 0) >= (changed.metadata.generation ?? 0)
        ? undefined
        : `status says generation ${now.status?.observedGeneration}`;
    });
  }

  async #recreate(index: number): Promise<void> {
    const key = keyIn(bucketName(index));
    try {
      await this.#env.client.delete(StorageBucket, key);
    } catch (error) {
      if (!isCodedError(error, "NotFound")) throw error;
    }
    await this.#createBucket(index);
    this.#expectSoon(`the new ${key.name} has a status`, async () => {
      const now = await this.#env.client.find(StorageBucket, key, { live: true });
      return now === undefined || now.status?.observedGeneration !== undefined ? undefined : "it has none";
    });
  }

  async #rotateSecret(): Promise<void> {
    this.#secret += 1;
    for (let index = 0; index < bucketCount; index += 1) this.#history.caused(index);
    await this.#syncSecret();
    const changedAtMs = this.#env.clock.elapsed();
    this.#expectSoon("every bucket is probed with the new secret", () => {
      const late = this.#history.bucketsNotProbedSince(changedAtMs);
      return late.length === 0 ? undefined : `${late.map(bucketName).join(", ")} not yet`;
    });
  }

  /** The store and the Secret agree on the newest secret, also after the server went back. */
  async #syncSecret(): Promise<void> {
    this.#store.putUser({ accessKeyId: "operator", secretAccessKey: `secret-${this.#secret}` });
    await this.#env.apply({ apiVersion: "v1", kind: "Secret", ...this.#secretObject() });
  }

  async #stealLease(): Promise<void> {
    const lease = await this.#env.client.find(Lease, keyIn("storage-bucket"), { live: true });
    if (lease === undefined) return;
    await this.#env.client.patch(
      lease,
      { spec: { holderIdentity: "thief", leaseDurationSeconds: 30 } },
      { unconditional: true },
    );
  }

  /** A minute later this must hold, unless something is disturbed around then. */
  #expectSoon(what: string, check: () => Promise<string | undefined> | string | undefined): void {
    const fromMs = this.#env.clock.elapsed();
    this.#after(60_000, async () => {
      const toMs = this.#env.clock.elapsed();
      if (this.#history.isDisturbed(fromMs - recoveryMs, toMs)) return;
      const problem = await check();
      if (problem !== undefined)
        this.#history.violated("nothing is lost (1, 4)", `a minute after its cause, ${what}: ${problem}`);
    });
  }

  /** Buckets that were left to another one while the store was in trouble are probed a period after that one was answered. */
  #expectAllProbed({ sinceMs }: { readonly sinceMs: number }): void {
    const endedMs = this.#env.clock.elapsed();
    this.#after(openCircuitMs + periodMs + 10_000, () => {
      const history = this.#history;
      const nowMs = this.#env.clock.elapsed();
      if (history.isDisturbed(sinceMs - recoveryMs, nowMs, { but: /^store / })) return;
      if (history.isDisturbed(endedMs + 61_000, nowMs)) return;
      const late = history.bucketsNotProbedSince(endedMs);
      if (late.length > 0)
        history.violated("closing a circuit spreads over a period", `${late.map(bucketName).join(", ")} not yet`);
    });
  }

  async #checkEnd(): Promise<void> {
    const { client, clock } = this.#env;
    const buckets = await client.list(StorageBucket, { live: true });
    for (const bucket of buckets) {
      const { name, generation } = bucket.metadata;
      const { observedGeneration, available, lastProbeTime } = bucket.status ?? {};
      const index = Number(name.replace("bucket-", ""));
      const truth = this.#history.exists(index);
      if (observedGeneration !== generation || available !== truth) {
        const says = `status says generation ${observedGeneration}, available ${available}`;
        this.#history.violated(
          "nothing is lost (1, 4)",
          `${name} is of generation ${generation}, available ${truth}: ${says}`,
        );
      }
      const probedMs = parseTime(lastProbeTime ?? "")?.getTime() ?? 0;
      if (clock.now().getTime() - probedMs > 2 * periodMs)
        this.#history.violated("probe cadence", `${name} was last probed ${lastProbeTime}`);
    }
    for (const replica of this.#replicas.values()) {
      const cached = await replica.cachedBuckets();
      const versions = (all: readonly StorageBucket[]): readonly string[] =>
        all.map(({ metadata }) => `${formatKey(metadata)} ${metadata.uid} ${metadata.resourceVersion}`).sort();
      const [has, should] = [versions(cached), versions(buckets)];
      if (has.join() === should.join()) continue;
      const wrong = [...has.filter((one) => !should.includes(one)), ...should.filter((one) => !has.includes(one))];
      this.#history.violated("the cache equals the server (8)", `${replica.process} differs in ${wrong.join(", ")}`);
    }
    this.#history.checkCadence();
  }
}

function faultOf(fault: NetworkFault): Parameters<OperatorReplica["addFault"]>[0] {
  const probability = 0.5;
  switch (fault) {
    case "slow":
      return transportFaults.slow({ by: "3s", probability });
    case "silent":
      return transportFaults.silent({});
    case "refused":
      return transportFaults.refused({});
    default:
      return transportFaults[fault]({ probability });
  }
}
