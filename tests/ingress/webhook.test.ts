// Webhooks from a socket to a reconcile, with replicas of which one leads, on the embedded API server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestEnv, type Replica, type ReplicaOptions } from "@farwatch/testing";
import {
  ConfigMap,
  type Controller,
  defineController,
  enqueueAll,
  enqueueRequestsFromMapFunc,
  githubSignature,
  jsonBody,
  watch,
  webhookSource,
} from "farwatch";
import { z } from "zod";
import { counted } from "./counted.ts";
import { githubSecret, sendAsGithub } from "./github-sender.ts";
import { Repository } from "./repository.ts";

interface Options {
  readonly deliver?: "annotate" | "leader-only";
  /** Nothing but webhooks wakes it. */
  readonly webhooksAlone?: boolean;
  /** Names of what was reconciled, in order. */
  readonly runs: string[];
}

function repositoryController({ deliver = "annotate", webhooksAlone = false, runs }: Options): Controller {
  const pushes = webhookSource({
    path: "/github",
    auth: githubSignature({ secret: () => githubSecret }),
    body: jsonBody(z.object({ repository: z.string() })),
    deliver,
  });
  return defineController({
    for: Repository,
    predicates: webhooksAlone ? [() => false] : [],
    watches: [
      watch(
        pushes,
        enqueueRequestsFromMapFunc(({ body }) => [{ namespace: "default", name: body.repository }]),
      ),
    ],
    async reconcile({ name }) {
      runs.push(name);
    },
  });
}

const replicaOptions: ReplicaOptions = {
  ingress: { host: "127.0.0.1", port: 0 },
  leaderElection: { leaseName: "repositories", namespace: "default", releaseOnStop: true },
};

/** The answer comes once time stands: `settle` of the environment lets what it waits for happen. */
function send({ manager }: Pick<Replica, "manager">, body: string, path?: `/${string}`): Promise<Response> {
  return sendAsGithub(manager.ingressAddress, body, { path });
}

/** Tells of a push to a repository. */
function push(
  replica: Pick<Replica, "manager">,
  repository: string,
  delivery = 0,
  path?: `/${string}`,
): Promise<Response> {
  return send(replica, JSON.stringify({ repository, delivery }), path);
}

async function started(options: Omit<Options, "runs">, repositories: readonly string[]) {
  const env = await createTestEnv({ resources: [Repository], manager: replicaOptions });
  for (const name of repositories) {
    await env.client.create(Repository, { metadata: { namespace: "default", name }, spec: { url: `git@${name}` } });
  }
  const other = env.replica(replicaOptions);
  const runs = { leader: [] as string[], follower: [] as string[] };
  env.manager.add(repositoryController({ ...options, runs: runs.leader }));
  other.manager.add(repositoryController({ ...options, runs: runs.follower }));
  await env.start();
  await other.start();
  assert.deepEqual([env.manager.leadership.isLeader, other.manager.leadership.isLeader], [true, false]);
  runs.leader.length = 0;
  return { env, other, runs };
}

// B19
test("webhook that a follower takes is reconciled by the leader, once its object is annotated", async () => {
  const { env, other, runs } = await started({}, ["site", "blog"]);
  await using _env = env;
  const answers = ["site", "blog"].map((name) => push(other, name));
  assert.deepEqual(
    (await Promise.all(answers)).map(({ status }) => status),
    [202, 202],
  );
  await env.settle();
  assert.deepEqual([runs.leader.toSorted(), runs.follower], [["blog", "site"], []]);
  const { metadata } = await env.client.get(Repository, { namespace: "default", name: "site" });
  assert.match(
    metadata.annotations?.["farwatch.dev/requested-at"] ?? "",
    /^2030-01-01T\d{2}:\d{2}:\d{2}\.\d{3}Z\/[\w-]{8}$/,
  );
});

// B19
test("webhooks that a follower takes are handled once, by whoever leads by then", async () => {
  const names = Array.from({ length: 10 }, (_, n) => `r${n}`);
  const { env, other, runs } = await started({ webhooksAlone: true }, names);
  await using _env = env;
  // The leader dies before it can see any of them, and nobody leads when they come.
  await env.kill();
  const answers = await Promise.all(names.map((name) => push(other, name)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
  assert.deepEqual([runs.leader, runs.follower], [[], []]);
  await env.advance("30s");
  assert.equal(other.manager.leadership.isLeader, true);
  assert.deepEqual(runs.follower.toSorted(), names);
});

// B19
test("webhooks for the leader alone are answered with 503 by a follower, and handled once when they are sent again", async () => {
  const names = Array.from({ length: 10 }, (_, n) => `r${n}`);
  const { env, other, runs } = await started({ deliver: "leader-only" }, names);
  await using _env = env;
  const refused = await Promise.all(names.map((name) => push(other, name)));
  for (const { status, headers } of refused) {
    assert.deepEqual([status, Number(headers.get("retry-after")) >= 1], [503, true]);
  }
  await env.stop();
  await env.advance("30s");
  assert.equal(other.manager.leadership.isLeader, true);
  runs.follower.length = 0;
  const accepted = await Promise.all(names.map((name) => push(other, name)));
  assert.deepEqual(new Set(accepted.map(({ status }) => status)), new Set([202]));
  await env.settle();
  assert.deepEqual(runs.follower.toSorted(), names);
  assert.deepEqual(runs.leader, []);
});

// B09
test("webhooks that come before the caches have synced are held back and handled once, or answered with 503", async () => {
  const env = await createTestEnv({ resources: [Repository], manager: { ingress: { host: "127.0.0.1", port: 0 } } });
  await using _env = env;
  await env.client.create(Repository, { metadata: { namespace: "default", name: "site" }, spec: { url: "git@site" } });
  const runs: string[] = [];
  env.manager.add(repositoryController({ runs }));
  env.transport.faults.add({ kind: "slow", by: "2s", matcher: { method: "GET", path: /repositories/ } });
  await env.start();
  const answers = [push(env, "site", 1), push(env, "site", 2)];
  await counted(env, "source_events", 2);
  await env.advance("10s");
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  assert.deepEqual(statuses, [202, 202]);
  assert.ok(runs.length >= 2, `${runs.length} runs`);
});

test("webhook for all objects of a kind annotates one object of its own, and the leader reconciles them all", async () => {
  await using env = await createTestEnv({ resources: [Repository], manager: replicaOptions });
  const names = Array.from({ length: 500 }, (_, n) => `r${n}`);
  for (const name of names) {
    await env.client.create(Repository, { metadata: { namespace: "default", name }, spec: { url: `git@${name}` } });
  }
  const runs: Record<"leader" | "follower", string[]> = { leader: [], follower: [] };
  const controllerFor = (into: string[]): Controller => {
    const rescan = webhookSource({
      path: "/rescan",
      auth: githubSignature({ secret: () => githubSecret }),
      annotates: { resource: ConfigMap, namespace: "default", name: "rescan" },
    });
    return defineController({
      for: Repository,
      watches: [watch(rescan, enqueueAll(Repository))],
      async reconcile({ name }) {
        into.push(name);
      },
    });
  };
  const other = env.replica(replicaOptions);
  env.manager.add(controllerFor(runs.leader));
  other.manager.add(controllerFor(runs.follower));
  await env.start();
  await other.start();
  runs.leader.length = 0;

  assert.equal((await push(other, "x", 1, "/rescan")).status, 503, "the object is not there");
  await env.client.create(ConfigMap, { metadata: { namespace: "default", name: "rescan" } });
  await env.client.create(ConfigMap, { metadata: { namespace: "default", name: "another" } });
  await env.settle();
  assert.deepEqual(runs.leader, []);
  await env.advance("1s");

  const before = other.requests.length;
  assert.equal((await push(other, "x", 2, "/rescan")).status, 202);
  await env.settle();
  assert.deepEqual(runs.leader.toSorted(), names.toSorted());
  const writes = other.requests.slice(before).filter(({ method }) => method === "PATCH");
  assert.deepEqual(
    writes.map(({ path }) => path.split("?")[0]),
    ["/api/v1/namespaces/default/configmaps/rescan"],
  );

  runs.leader.length = 0;
  await env.client.delete(ConfigMap, { namespace: "default", name: "rescan" });
  await env.settle();
  assert.deepEqual([runs.leader, runs.follower], [[], []]);
});

test("webhook whose object cannot be annotated is answered with 503", async () => {
  const { env, other } = await started({}, ["site"]);
  await using _env = env;
  other.transport.faults.add({ kind: "refused" });
  const answer = push(other, "site");
  await counted(other, "source_events", 1);
  await env.advance("6s");
  assert.equal((await answer).status, 503);
});

test("webhook for an object that is not there is answered with 202: sending it again would change nothing", async () => {
  const { env, other } = await started({}, []);
  await using _env = env;
  assert.equal((await push(other, "gone")).status, 202);
});

test("webhook refuses hostile bodies of authenticated senders with 400 that quotes nothing, and goes on", async () => {
  const { env, other, runs } = await started({}, ["site"]);
  await using _env = env;
  for (const [body, reason] of [
    ["[".repeat(100_000), "the body is nested deeper than 64"],
    [`[${"0,".repeat(20_000)}0]`, "the body has more than 10000 members"],
    ['{"repository":"site","__proto__":{"admin":true}}', "a member is named __proto__"],
    ['{"constructor":{"prototype":{"admin":true}}}', "body.repository is missing"],
    ['{"repository":{"toString":1}}', "body.repository must be string"],
    ["\u0000", "the body is no JSON"],
    ["", "the body is no JSON"],
  ] as const) {
    const response = await send(other, body);
    assert.deepEqual([response.status, await response.text()], [400, reason]);
  }
  assert.equal("admin" in {}, false);
  assert.equal((await push(other, "site")).status, 202);
  await env.settle();
  assert.deepEqual(runs.leader, ["site"]);
});

test("webhook is served by no replica whose ingress is off, and by none that has stopped", async () => {
  const { env, other } = await started({}, ["site"]);
  await using _env = env;
  const { port = 0 } = other.manager.ingressAddress ?? {};
  await other.stop();
  await assert.rejects(fetch(`http://127.0.0.1:${port}/github`, { method: "POST" }));
  const off = env.replica({ leaderElection: false });
  off.manager.add({ name: "idle", needLeaderElection: false, async start() {} });
  await off.start();
  assert.equal(off.manager.ingressAddress, undefined);
});
