import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createTestEnv, locateBinaries, type TestEnv, type TestEnvOptions, transportFaults } from "@farwatch/testing";
import { type Controller, defineController, defineResource, Lease } from "farwatch";
import { z } from "zod";

const run = promisify(execFile);

const Lamp = defineResource({
  group: "testing.farwatch.dev",
  version: "v1",
  kind: "Lamp",
  spec: z.object({ level: z.int().max(100) }),
  status: z.object({ level: z.int().optional() }),
});
const desk = { namespace: "default", name: "desk" };

function lampController(): Controller {
  return defineController({
    for: Lamp,
    async reconcile(request, { client, signal }) {
      const lamp = await client.find(Lamp, request, { signal });
      if (lamp === undefined || lamp.status?.level === lamp.spec.level) return;
      await client.patchStatus(lamp, { level: lamp.spec.level }, { signal });
    },
  });
}

const user = "system:serviceaccount:lamps:lamps";
const manifests = [
  `
apiVersion: v1
kind: Namespace
metadata: { name: lamps }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: bulbs.testing.farwatch.dev }
spec:
  group: testing.farwatch.dev
  scope: Namespaced
  names: { kind: Bulb, plural: bulbs }
  versions:
    - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }
---
apiVersion: testing.farwatch.dev/v1
kind: Bulb
metadata: { name: spare, namespace: lamps }
---
apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: ServiceAccount, metadata: { name: lamps, namespace: lamps } }
  - apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRoleBinding
    metadata: { name: lamps }
    roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: lamps }
    subjects: [{ kind: ServiceAccount, name: lamps, namespace: lamps }, { kind: User, apiGroup: rbac.authorization.k8s.io, name: jane }]
`,
];

const role = (statusVerb: string): object => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "lamps" },
  rules: [
    { apiGroups: ["testing.farwatch.dev"], resources: ["lamps"], verbs: ["list", "watch"] },
    { apiGroups: ["testing.farwatch.dev"], resources: ["lamps/status"], verbs: [statusVerb] },
  ],
});

/** Lets time pass until it holds, a second at a time: the same on a real server, which takes its time. */
async function until(env: TestEnv, what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let seconds = 0; seconds < 40; seconds += 1) {
    if (await holds()) return;
    await env.advance("1s");
  }
  assert.fail(`in 40 s not: ${what}`);
}

async function levelOf({ client }: TestEnv): Promise<number | undefined> {
  return (await client.get(Lamp, desk)).status?.level;
}

async function litEnv(options: TestEnvOptions): Promise<TestEnv> {
  const env = await createTestEnv({ resources: [Lamp], ...options });
  env.manager.add(lampController());
  await env.client.create(Lamp, { metadata: desk, spec: { level: 1 } });
  return env;
}

for (const server of ["embedded", "kube-apiserver"] as const) {
  for (const as of [user, "jane"]) {
    test(`test environment on ${server} runs a manager as ${as} under its manifests`, async () => {
      await using env = await litEnv({ server, manifests: [...manifests, role("patch")], as });
      await env.start();
      await until(env, "the status", async () => (await levelOf(env)) === 1);
      assert.deepEqual(env.missingRules, []);
    });
  }

  test(`test environment on ${server} names the rule that a service account lacks`, async () => {
    await using env = await litEnv({ server, manifests: [...manifests, role("update")], as: user });
    await env.start();
    await until(env, "a refusal", () => env.missingRules.length > 0);
    assert.deepEqual(env.missingRules, [
      '{ apiGroups: ["testing.farwatch.dev"], resources: ["lamps/status"], verbs: ["patch"] } in namespace "default"',
    ]);
    assert.equal(await levelOf(env), undefined);
  });

  test(`test environment on ${server} fails over, under faults`, async () => {
    const timing = { leaseDuration: "6s", renewDeadline: "4s", retryPeriod: "1s" } as const;
    const manager = { leaderElection: { leaseName: "lamps", namespace: "default", ...timing } };
    await using env = await litEnv({ server, manager });
    const second = env.replica(manager);
    second.manager.add(lampController());
    await env.start();
    await second.start();
    await until(env, "the status", async () => (await levelOf(env)) === 1);
    await env.kill();
    const refused = second.transport.faults.add(transportFaults.conflict({ resource: "lamps", times: 2 }));
    await env.client.patch(await env.client.get(Lamp, desk), { spec: { level: 2 } });
    await until(env, "the status by the second replica", async () => (await levelOf(env)) === 2);
    assert.ok(refused.hits > 0);
    const { spec } = await env.client.get(Lease, { namespace: "default", name: "lamps" });
    assert.equal(spec?.holderIdentity, "replica-2");
  });

  test(`test environment on ${server} is reached by kubectl through its kubeconfig`, async () => {
    await using env = await litEnv({ server });
    const { kubectl } = await locateBinaries(["kubectl"]);
    const ask = (...args: readonly string[]) => run(kubectl, args, { env: { ...process.env, KUBECONFIG: kubeconfig } });
    const kubeconfig = await env.kubeconfig();
    assert.equal((await ask("get", "lamps", "-o", "name")).stdout, "lamp.testing.farwatch.dev/desk\n");
    await ask("patch", "lamp", "desk", "--type=merge", "--patch", '{"spec":{"level":7}}');
    assert.equal((await env.client.get(Lamp, desk)).spec.level, 7);
    await assert.rejects(
      ask("patch", "lamp", "desk", "--type=merge", "--patch", '{"spec":{"level":101}}'),
      /less than or equal to 100/,
    );
  });

  test(`test environment on ${server} tells of manifests that the server refuses`, async () => {
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    await using env = await createTestEnv({ server });
    const refusals = [
      [{ ...configMap, kind: "ConfigMop" }, "NotFound", /serves no ConfigMop in v1/],
      [
        { ...configMap, metadata: { name: "a", namespace: "none" } },
        "Invalid",
        /answers 404, namespaces "none" not found$/,
      ],
      [{ ...configMap, metadata: { name: "A" } }, "Invalid", /answers 422, ConfigMap "A" is invalid: metadata\.name: /],
      [{ ...configMap, dota: {} }, "Invalid", /answers \d+, .*\.dota: field not declared in schema/],
    ] as const;
    for (const [manifest, code, message] of refusals) await assert.rejects(env.apply(manifest), { code, message });
  });
}

test("test environment on kube-apiserver needs no kube-controller-manager, which setup-envtest does not bring", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "farwatch-envtest-"));
  const { PATH, KUBEBUILDER_ASSETS, XDG_CACHE_HOME } = process.env;
  t.after(async () => {
    for (const [name, value] of Object.entries({ PATH, KUBEBUILDER_ASSETS, XDG_CACHE_HOME })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(folder, { recursive: true, force: true });
  });
  for (const [name, path] of Object.entries(await locateBinaries(["etcd", "kube-apiserver"]))) {
    await symlink(path, join(folder, name));
  }
  Object.assign(process.env, { PATH: "", KUBEBUILDER_ASSETS: folder, XDG_CACHE_HOME: join(folder, "none") });
  await using env = await litEnv({ server: "kube-apiserver" });
  await env.start();
  await until(env, "the status", async () => (await levelOf(env)) === 1);
});

test("test environment on kube-apiserver has real time, which it neither skips nor sets", async () => {
  await using env = await createTestEnv({ server: "kube-apiserver" });
  await assert.rejects(env.advance("24h"), { code: "InvalidOption", message: /^Cannot advance by 24h in real time/ });
  assert.throws(() => env.jump(1), { code: "InvalidOption" });
  assert.throws(() => env.server, { code: "NotFound" });
});
