import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ConfigMap,
  CustomResourceDefinition,
  createClient,
  isCodedError,
  loadConfig,
  Namespace,
  toCrd,
  toYaml,
} from "farwatch";
import { createTestEnv } from "./create-test-env.ts";
import { createLamp, keyOf, Lamp, lampController, levelOf } from "./lamp.fixture.ts";
import type { TestEnv } from "./test-env.ts";

test("test environment serves the kinds that it is given, and runs a manager on them", async () => {
  await using env = await createTestEnv({ resources: [Lamp] });
  env.manager.add(lampController());
  await createLamp(env, "desk", 40);
  await env.start();
  assert.equal(await levelOf(env, "desk"), 40);
  await env.client.patch(await env.client.get(Lamp, keyOf("desk")), { spec: { level: 60 } });
  await env.settle();
  assert.equal(await levelOf(env, "desk"), 60);
  assert.equal(env.clock.elapsed(), 0);
});

test("test environment checks what it stores as a cluster does", async () => {
  await using env = await createTestEnv({ resources: [Lamp] });
  await assert.rejects(createLamp(env, "desk", 101), {
    code: "Invalid",
    message: /spec\.level in body should be less than or equal to 100/,
  });
});

const house = `
apiVersion: v1
kind: Namespace
metadata:
  name: house
---
# Nothing between two separators is no object.
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata: { name: rules, namespace: house }
    data: { quiet: "22:00" }
  - apiVersion: v1
    kind: ConfigMap
    metadata: { name: elsewhere }
`;

test("test environment applies manifests in their order: documents, lists, objects, definitions and what they define", async () => {
  await using env = await createTestEnv({
    manifests: [
      house,
      toYaml(toCrd(Lamp)),
      { apiVersion: Lamp.apiVersion, kind: "Lamp", metadata: { name: "hall", namespace: "house" }, spec: { level: 1 } },
    ],
  });
  const { client } = env;
  assert.equal((await client.get(Namespace, { name: "house" })).status?.phase, "Active");
  assert.equal((await client.get(ConfigMap, { namespace: "house", name: "rules" })).data?.quiet, "22:00");
  assert.ok(await client.find(ConfigMap, keyOf("elsewhere")), "an object without a namespace is in default");
  assert.equal((await client.get(Lamp, { namespace: "house", name: "hall" })).spec.level, 1);
  assert.ok(await client.find(CustomResourceDefinition, { name: "lamps.example.farwatch.dev" }));

  await env.apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "rules", namespace: "house" },
    data: { quiet: "21:00" },
  });
  assert.equal((await client.get(ConfigMap, { namespace: "house", name: "rules" })).data?.quiet, "21:00");
});

test("test environment says which manifest is wrong, and how", async () => {
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  const cases: readonly (readonly [manifests: readonly (string | object)[], code: string, message: string | RegExp])[] =
    [
      [
        [configMap, "kind: ConfigMap\n---\nkind: [\n"],
        "InvalidOption",
        /^Cannot read manifest 2: it is no YAML, .*\(\d+:\d+\)/s,
      ],
      [
        [configMap, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n---\nkind: ConfigMap\n"],
        "InvalidOption",
        'Cannot apply document 2 of manifest 2: an object needs apiVersion, kind and metadata.name, and this is {"kind":"ConfigMap"}',
      ],
      [
        ["photos"],
        "InvalidOption",
        'Cannot apply manifest 1: an object needs apiVersion, kind and metadata.name, and this is "photos"',
      ],
      [
        [{ ...configMap, kind: "ConfigMop" }],
        "NotFound",
        "Cannot apply ConfigMop a: the server serves no ConfigMop in v1, apply its definition first",
      ],
      [
        [{ ...configMap, metadata: { name: "a", namespace: "nowhere" } }],
        "Invalid",
        'Cannot apply ConfigMap a: the server answers 404, namespaces "nowhere" not found',
      ],
      [
        [{ ...configMap, metadata: { name: "A" } }],
        "Invalid",
        /^Cannot apply ConfigMap A: the server answers 422, ConfigMap "A" is invalid: metadata\.name: /,
      ],
      [
        [{ ...configMap, dota: {} }],
        "Invalid",
        /^Cannot apply ConfigMap a: the server answers \d+, .*\.dota: field not declared in schema/,
      ],
    ];
  for (const [manifests, code, message] of cases) await assert.rejects(createTestEnv({ manifests }), { code, message });
});

const guest = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: guest }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: guest }
rules:
  - { apiGroups: [example.farwatch.dev], resources: [lamps], verbs: [get, list, watch] }
  - { apiGroups: [example.farwatch.dev], resources: [lamps/status], verbs: [patch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: guest }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: guest }
subjects:
  - { kind: ServiceAccount, name: guest, namespace: default }
  - { kind: User, apiGroup: rbac.authorization.k8s.io, name: jane }
`;

for (const as of ["system:serviceaccount:default:guest", "jane"]) {
  const inDefault = [{ resource: Lamp, options: { namespace: "default" } }];

  test(`test environment lets ${as} do what its manifests allow`, async () => {
    await using env = await createTestEnv({ resources: [Lamp], manifests: [guest], as, manager: { cache: inDefault } });
    env.manager.add(lampController());
    await createLamp(env, "desk", 40);
    await env.start();
    assert.equal(await levelOf(env, "desk"), 40);
    assert.deepEqual(env.missingRules, []);
    await assert.rejects(env.client.get(Lamp, keyOf("none")), { code: "NotFound" });
    await assert.rejects(env.replica().client.get(ConfigMap, keyOf("none")), { code: "Forbidden" });
  });

  test(`test environment names the rule that the manifests of ${as} lack`, async () => {
    const poor = guest.replace("lamps/status", "lamps/scale");
    await using env = await createTestEnv({ resources: [Lamp], manifests: [poor], as, manager: { cache: inDefault } });
    env.manager.add(lampController());
    await createLamp(env, "desk", 40);
    await env.start();
    await env.advance("10s");
    assert.deepEqual(env.missingRules, [
      '{ apiGroups: ["example.farwatch.dev"], resources: ["lamps/status"], verbs: ["patch"] } in namespace "default"',
    ]);
    assert.equal(await levelOf(env, "desk"), undefined);
    const refused = env.requests.find(({ status }) => status === 403);
    assert.deepEqual([refused?.method, refused?.asked?.name], ["PATCH", "desk"]);
    assert.match(JSON.stringify(refused?.body), /"status":\{"level":40,"by":"nobody"\}/);
  });

  test(`test environment collects all rules that the manifests of ${as} lack in one run`, async () => {
    const none = guest.replace("[lamps]", "[no]").replace("lamps/status", "no/status");
    const election = { leaderElection: { leaseName: "lamps", namespace: "default" } };
    const manager = { cache: inDefault, ...election };
    const options = { resources: [Lamp], manifests: [none], as, manager };
    await using strict = await createTestEnv(options);
    strict.manager.add(lampController());
    await strict.start();
    await strict.advance("10s");
    const rule = (group: string, resource: string, verb: string): string =>
      `{ apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"] } in namespace "default"`;
    const first = [
      rule("coordination.k8s.io", "leases", "get"),
      rule("example.farwatch.dev", "lamps", "list"),
      rule("example.farwatch.dev", "lamps", "watch"),
    ];
    assert.deepEqual([...strict.missingRules].sort(), first, "it gets no further than these");

    await using env = await createTestEnv({ ...options, missingRules: "collect" });
    env.manager.add(lampController());
    await createLamp(env, "desk", 40);
    await env.start();
    const second = env.replica();
    await second.client.create(ConfigMap, { metadata: keyOf("mine") });
    await env.advance("10s");
    assert.equal(await levelOf(env, "desk"), 40);
    assert.deepEqual([...env.missingRules].sort(), [
      rule("", "configmaps", "create"),
      rule("coordination.k8s.io", "leases", "create"),
      rule("coordination.k8s.io", "leases", "get"),
      rule("coordination.k8s.io", "leases", "update"),
      rule("example.farwatch.dev", "lamps", "watch"),
      rule("example.farwatch.dev", "lamps/status", "patch"),
    ]);
    assert.deepEqual(second.missingRules, [rule("", "configmaps", "create")]);
    assert.ok(env.requests.every(({ status }) => status !== 403));
  });
}

test("test environment cannot be a service account that no manifest holds", async () => {
  await assert.rejects(createTestEnv({ manifests: [guest], as: "system:serviceaccount:default:gost" }), {
    code: "NotFound",
    message:
      "Cannot be system:serviceaccount:default:gost: the manifests hold no ServiceAccount gost in namespace default",
  });
});

test("test environment begins when it is told to, and its server has that time", async () => {
  await using env = await createTestEnv({ resources: [Lamp], now: "2031-02-03T04:05:06Z" });
  await env.advance("90m");
  const { metadata } = await createLamp(env, "desk", 1);
  assert.equal(metadata.creationTimestamp, "2031-02-03T05:35:06Z");
  assert.equal(env.clock.now().toISOString(), "2031-02-03T05:35:06.000Z");
  await assert.rejects(createTestEnv({ now: "soon" }), { code: "InvalidOption" });
});

/** What can be seen of ten minutes with two replicas and a failing network. */
async function minutes(seed: number): Promise<readonly string[]> {
  await using env = await createTestEnv({
    resources: [Lamp],
    seed,
    manager: { leaderElection: { leaseName: "lamps", namespace: "default" } },
  });
  const second = env.replica({ leaderElection: { leaseName: "lamps", namespace: "default" } });
  const seen: string[] = [];
  for (const replica of [env, second]) {
    replica.transport.faults.add({ kind: "reset", probability: 0.1 });
    replica.manager.add(lampController());
    await replica.start();
  }
  for (let level = 0; level < 20; level += 1) {
    seen.push((await createLamp(env, `lamp-${level}`, level)).metadata.uid);
    await env.advance("30s");
  }
  for (const { requests } of [env, second]) {
    for (const { atMs, method, path, body, status } of requests)
      seen.push(JSON.stringify([atMs, method, path, body, status]));
  }
  return seen;
}

test("test environment repeats itself to the byte with one seed, and not with another", async () => {
  const [once, again, other] = [await minutes(7), await minutes(7), await minutes(8)];
  assert.deepEqual(again, once);
  assert.ok(once.length > 300, `${once.length} things were seen`);
  assert.notDeepEqual(other, once);
});

test("test environment moves time on timer by timer, and lets each cause come to rest", async () => {
  await using env = await createTestEnv({ resources: [Lamp] });
  env.manager.add(lampController());
  await createLamp(env, "desk", 0);
  const levels: (number | undefined)[] = [];
  env.manager.add({
    name: "dimmer",
    async start({ client, clock, signal }) {
      for await (const _ of clock.ticks("1h", signal)) {
        const lamp = await client.get(Lamp, keyOf("desk"), { live: true, signal });
        levels.push(lamp.status?.level);
        await client.patch(lamp, { spec: { level: lamp.spec.level + 1 } }, { signal });
      }
    },
  });
  await env.start();
  await env.advance("24h");
  assert.deepEqual(
    levels,
    Array.from({ length: 24 }, (_, hour) => hour),
  );
  assert.equal(await levelOf(env, "desk"), 24);
  assert.equal(env.clock.elapsed(), 24 * 3_600_000);
});

test("test environment jumps on the wall clock alone", async () => {
  await using env = await createTestEnv({ resources: [Lamp] });
  env.jump(-3_600_000);
  assert.equal((await createLamp(env, "desk", 1)).metadata.creationTimestamp, "2029-12-31T23:00:00Z");
  assert.equal(env.clock.elapsed(), 0);
});

test("test environment refuses a jump and a seed that are none, and says what they may be", async () => {
  await using env = await createTestEnv();
  for (const byMs of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e15]) {
    assert.throws(() => env.jump(byMs), {
      code: "InvalidOption",
      message: `Cannot move the wall clock by ${byMs}: give milliseconds, below 0 to move it back, that leave it in the years 0 to 9999`,
    });
  }
  assert.equal(env.clock.now().toISOString(), "2030-01-01T00:00:00.000Z");
  for (const seed of [Number.NaN, -1, 0.5]) await assert.rejects(createTestEnv({ seed }), { code: "InvalidOption" });
});

const election = { leaderElection: { leaseName: "lamps", namespace: "default" } } as const;

/** Two replicas of the lamp program, started, the first one leading. */
async function pair(env: TestEnv) {
  const replicas = [env, env.replica(election)] as const;
  for (const [index, replica] of replicas.entries()) {
    replica.manager.add(lampController({ by: `replica ${index + 1}` }));
    await replica.start();
  }
  return replicas;
}

async function writerOf(env: TestEnv, name: string): Promise<string | undefined> {
  return (await env.client.get(Lamp, keyOf(name))).status?.by;
}

test("replicas elect one leader, and the next one when it is killed, after the lease", async () => {
  await using env = await createTestEnv({ resources: [Lamp], manager: election });
  const [first, second] = await pair(env);
  await createLamp(env, "one", 1);
  await env.settle();
  assert.deepEqual(
    [await writerOf(env, "one"), first.manager.leadership.isLeader, second.manager.leadership.isLeader],
    ["replica 1", true, false],
  );

  await first.kill();
  await createLamp(env, "two", 2);
  await env.advance("10s");
  assert.equal(await writerOf(env, "two"), undefined, "the lease is still held");
  await env.advance("10s");
  assert.equal(await writerOf(env, "two"), "replica 2");
  assert.equal(second.manager.leadership.isLeader, true);
});

test("replica that is stopped gives its lease up, and the next one leads at its next try", async () => {
  await using env = await createTestEnv({ resources: [Lamp], manager: election });
  const [first, second] = await pair(env);
  await first.stop();
  assert.deepEqual(first.ended, {});
  await env.advance("3s");
  assert.equal(second.manager.leadership.isLeader, true);
});

test("replica that is cut off from the server loses the lead in time, and its end says so", async () => {
  await using env = await createTestEnv({ resources: [Lamp], manager: election });
  const [first, second] = await pair(env);
  first.transport.faults.add({ kind: "refused" });
  first.transport.strike("cut");
  await env.advance("30s");
  assert.ok(isCodedError(first.ended?.error, "LeadershipLost"));
  assert.equal(second.manager.leadership.isLeader, true);
});

const failing = {
  name: "failing",
  async start({ clock }: { readonly clock: TestEnv["clock"] }): Promise<void> {
    await clock.sleep("1m");
    throw new Error("the lamp is broken");
  },
};

test("test environment's disposal rejects when a manager failed and nobody looked", async () => {
  const env = await createTestEnv();
  env.manager.add(failing);
  await env.start();
  assert.equal(env.ended, undefined);
  await env.advance("2m");
  await assert.rejects(async () => env[Symbol.asyncDispose](), { message: "the lamp is broken" });
});

test("test environment's disposal is quiet when somebody looked, and when all managers work or were killed", async () => {
  {
    await using env = await createTestEnv();
    env.manager.add(failing);
    await env.start();
    await env.advance("2m");
    assert.match(String(env.ended?.error), /the lamp is broken/);
  }
  {
    await using env = await createTestEnv();
    env.manager.add(failing);
    await env.start();
    await env.advance("2m");
    await assert.rejects(env.stop(), { message: "the lamp is broken" });
  }
  {
    await using env = await createTestEnv({ resources: [Lamp] });
    env.manager.add(failing);
    env.replica().manager.add(lampController());
    await env.start();
    await env.kill();
  }
});

test("test environment's start rejects with what the manager fails with at once", async () => {
  await using env = await createTestEnv();
  env.manager.add({ name: "broken", start: () => Promise.reject(new Error("no bulb")) });
  await assert.rejects(env.start(), { message: "no bulb" });
});

test("test environment's disposal ends a manager whose work honours no signal, and says so", async () => {
  const env = await createTestEnv({ manager: { gracefulShutdownTimeout: "10s" } });
  env.manager.add({ name: "stubborn", start: () => new Promise(() => {}) });
  await env.start();
  await assert.rejects(async () => env[Symbol.asyncDispose](), {
    code: "ShutdownTimeout",
    message: /still running: runnable stubborn/,
  });
});

test("test environment's server can be looked into, compacted, and restored", async () => {
  await using env = await createTestEnv({ resources: [Lamp] });
  env.manager.add(lampController());
  await env.start();
  const before = env.server.state();
  await createLamp(env, "desk", 1);
  await env.settle();
  env.server.restore(before);
  await env.advance("1m");
  assert.deepEqual(await env.client.list(Lamp), []);
  assert.deepEqual(await env.manager.cache.list(Lamp), []);
});

test("test environment's kubeconfig leads other programs to its server, in real time", async () => {
  await using env = await createTestEnv({ resources: [Lamp] });
  await createLamp(env, "desk", 1);
  const file = await env.kubeconfig();
  assert.equal(await env.kubeconfig(), file);
  await using client = createClient({ config: loadConfig({ kubeconfig: file }) });
  assert.deepEqual(
    (await client.list(Lamp)).map(({ metadata }) => metadata.name),
    ["desk"],
  );
});
