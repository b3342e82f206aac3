// The operator as its own service account, under the manifests that users install.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createCertificateAuthority, createS3Store, createTestEnv } from "@farwatch/testing";
import {
  type BucketChange,
  type BuiltinResource,
  bucketEventSource,
  ConfigMap,
  channelSource,
  createMetrics,
  defineBuiltin,
  type KubeObject,
  Secret,
} from "farwatch";
import { createEndpointPolicy, parseAllowedEndpoint } from "../endpoint/endpoint-policy.ts";
import { createS3Probe } from "../probe/s3-probe.ts";
import { credentialsSecretType, StorageBucket } from "../resource/storage-bucket.ts";
import { storageBucketController } from "./storage-bucket-controller.ts";

interface Role extends KubeObject {
  readonly rules: readonly { readonly apiGroups: readonly string[]; readonly resources: readonly string[] }[];
}
const rbac = { group: "rbac.authorization.k8s.io", version: "v1" } as const;
const Role: BuiltinResource<Role> = defineBuiltin({ ...rbac, kind: "Role", scope: "Namespaced" });
const ClusterRole: BuiltinResource<Role> = defineBuiltin({ ...rbac, kind: "ClusterRole", scope: "Cluster" });

interface Installation {
  readonly file: string;
  /** What it needs besides with events of buckets. */
  readonly eventsFile: string;
  /** Where the operator lives. */
  readonly home: string;
  /** The namespace that it is told to watch; undefined: all. */
  readonly watches: string | undefined;
  readonly roles: readonly (readonly [typeof Role, string])[];
}

const installations: readonly Installation[] = [
  {
    file: "namespaced.yaml",
    eventsFile: "bucket-events.yaml",
    home: "storage",
    watches: "storage",
    roles: [
      [Role, "storage-bucket"],
      [Role, "storage-bucket-leader"],
      [Role, "storage-bucket-events"],
    ],
  },
  {
    file: "cluster-wide.yaml",
    eventsFile: "bucket-events-cluster-wide.yaml",
    home: "storage-bucket",
    watches: undefined,
    roles: [
      [ClusterRole, "storage-bucket"],
      [Role, "storage-bucket-leader"],
      [ClusterRole, "storage-bucket-events"],
    ],
  },
];

const manifestOf = (file: string): string => readFileSync(new URL(`../../manifests/${file}`, import.meta.url), "utf8");
const namespaceOf = (name: string): object => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

/** A rule of a role that is taken out before the operator starts. */
interface TakenOut {
  readonly resource: typeof Role;
  readonly name: string;
  readonly index: number;
}

/** Runs the operator while it does all that it can do, half an hour if it may; gives what it was refused and what came of it. */
async function runUnder({ file, eventsFile, home, watches }: Installation, takenOut?: TakenOut) {
  await using env = await createTestEnv({
    manifests: [namespaceOf(home), manifestOf("crd.yaml"), manifestOf(file), manifestOf(eventsFile)],
    as: `system:serviceaccount:${home}:storage-bucket`,
    manager: {
      leaderElection: { leaseName: "storage-bucket", namespace: home },
      cache: [{ resource: StorageBucket, options: { namespace: watches } }],
    },
  });
  await using store = createS3Store({
    clock: env.clock,
    users: [{ accessKeyId: "owner", secretAccessKey: "owner-secret" }],
    buckets: { photos: { owner: "owner" } },
  });
  const told = channelSource<readonly BucketChange[]>();
  const events = { provider: "s3", endpoint: "https://s3.test", buckets: ["photos"], from: () => told } as const;
  env.manager.add(
    storageBucketController({
      probe: createS3Probe({ transport: store.transport, clock: env.clock, env: {} }),
      policy: createEndpointPolicy([parseAllowedEndpoint("*=s3.test") ?? assert.fail()]),
      clock: env.clock,
      metrics: createMetrics(),
      namespace: watches,
      bucketEvents: [bucketEventSource(events)],
    }),
  );
  if (takenOut !== undefined) {
    const { resource, name, index } = takenOut;
    const role = await env.client.get(resource, { ...(resource.scope === "Namespaced" && { namespace: home }), name });
    await env.client.patch(role, { rules: role.rules.toSpliced(index, 1) });
  }

  const namespace = watches ?? "default";
  const photos = { namespace, name: "photos" };
  const secret = { accessKeyId: "owner", secretAccessKey: "owner-secret", allowedEndpoints: "s3.test" };
  const { cert } = await env.clock.outside(createCertificateAuthority());
  await env.client.create(Secret, { metadata: photos, type: credentialsSecretType, stringData: secret });
  await env.client.create(ConfigMap, { metadata: photos, data: { "ca.crt": cert } });
  await env.client.create(StorageBucket, {
    metadata: photos,
    spec: {
      s3: { bucket: "photos", endpoint: "https://s3.test", addressing: "Path" },
      credentials: { secretRef: { name: "photos" } },
      caBundleRef: { kind: "ConfigMap", name: "photos", key: "ca.crt" },
      probe: { periodSeconds: 60, failureThreshold: 1 },
    },
  });
  await env.start();
  // An Event that comes again belongs to the first one, which is then patched.
  for (let times = 0; times < 3; times += 1) {
    await env.advance("2m");
    store.removeBucket("photos");
    await env.advance("2m");
    store.putBucket("photos", { owner: "owner" });
  }
  await told.send([{ bucket: "photos", key: "a", type: "created", occurredAt: env.clock.now() }]);
  // By then it has needed every rule once; without one of them there is nothing to see of the rest.
  await env.advance(takenOut === undefined ? "18m" : "1m");
  const { status } = await env.client.get(StorageBucket, photos);
  return {
    missingRules: env.missingRules,
    available: status?.available,
    answersEvents: status?.lastHandledRequest !== undefined,
    refusals: env.requests.filter((request) => request.status === 403).length,
  };
}

for (const installation of installations) {
  const { file, roles } = installation;

  test(`operator works as the service account of ${file}, and is refused nothing`, async () => {
    assert.deepEqual(await runUnder(installation), {
      missingRules: [],
      available: true,
      answersEvents: true,
      refusals: 0,
    });
  });

  test(`operator names each rule of ${file} that is taken out`, async () => {
    await using env = await createTestEnv({
      manifests: [namespaceOf(installation.home), manifestOf(file), manifestOf(installation.eventsFile)],
    });
    for (const [resource, name] of roles) {
      const namespace = resource.scope === "Namespaced" ? installation.home : undefined;
      const { rules } = await env.client.get(resource, { namespace, name });
      assert.ok(rules.length > 0);
      for (const [index, { apiGroups, resources }] of rules.entries()) {
        const { missingRules, refusals } = await runUnder(installation, { resource, name, index });
        const what = `rule ${index} of ${resource.kind} ${name}`;
        assert.ok(refusals > 0 && missingRules.length > 0, `${what} was not missed`);
        const named = `{ apiGroups: ["${apiGroups[0]}"], resources: ["${resources[0]}"], verbs: [`;
        for (const rule of missingRules) assert.ok(rule.startsWith(named), `without ${what} it asks for ${rule}`);
      }
    }
  });
}
