// Webhooks from a socket to a reconcile, with replicas of which one leads, on the embedded API server.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createTestEnv, type Replica, type ReplicaOptions } from "@farwatch/testing";
import {
  type Controller,
  defineController,
  defineResource,
  enqueueRequestsFromMapFunc,
  githubSignature,
  jsonBody,
  watch,
  webhookSource,
} from "farwatch";
import { z } from "zod";

const Repository = defineResource({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Repository",
  spec: z.object({ url: z.string() }),
  status: z.object({ fetched: z.int().optional() }),
});

const secret = "It's a Secret to Everybody";

interface Options {
  readonly deliver?: "annotate" | "leader-only";
  /** Names of what was reconciled, in order. */
  readonly runs: string[];
}

function repositoryController({ deliver = "annotate", runs }: Options): Controller {
  const pushes = webhookSource({
    path: "/github",
    auth: githubSignature({ secret: () => secret }),
    body: jsonBody(z.object({ repository: z.string() })),
    deliver,
  });
  return defineController({
    for: Repository,
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

/** Sends as GitHub does. The answer comes once time stands: `settle` of the environment lets what it waits for happen. */
function push(replica: Pick<Replica, "manager">, repository: string, delivery = 0): Promise<Response> {
  const body = JSON.stringify({ repository, delivery });
  const { host = "", port = 0 } = replica.manager.ingressAddress ?? {};
  return fetch(`http://${host}:${port}/github`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
  });
}

async function started(options: Pick<Options, "deliver">, repositories: readonly string[]) {
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
