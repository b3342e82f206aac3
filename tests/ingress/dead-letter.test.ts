// Webhooks for which nothing can be done, from a socket to the answer and back to the handler.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestEnv, type TestEnv } from "@farwatch/testing";
import {
  defineController,
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

/** A manager whose handler fails while it is told to. */
async function started() {
  const env = await createTestEnv({ resources: [Repository], manager: { ingress: { host: "127.0.0.1", port: 0 } } });
  await env.client.create(Repository, { metadata: { namespace: "default", name: "site" }, spec: { url: "git@site" } });
  const seen = { isBroken: true, tries: 0, runs: 0 };
  env.manager.add(
    defineController({
      for: Repository,
      watches: [
        watch(
          webhookSource({
            path: "/github",
            auth: githubSignature({ secret: () => githubSecret }),
            body: jsonBody(z.object({ repository: z.string() })),
          }),
          enqueueRequestsFromMapFunc(({ body }) => {
            seen.tries += 1;
            if (seen.isBroken) throw new Error(`no repository is called ${body.repository}`);
            return [{ namespace: "default", name: body.repository }];
          }),
        ),
      ],
      async reconcile() {
        seen.runs += 1;
      },
    }),
  );
  await env.start();
  seen.runs = 0;
  return { env, seen };
}

const push = ({ manager }: TestEnv, body: string) => sendAsGithub(manager.ingressAddress, body);
const site = JSON.stringify({ repository: "site" });
const noWayThrough = "nothing can be done for this event: it would be the same if it came again";

async function assertRefused(answer: Response): Promise<void> {
  assert.deepEqual([answer.status, answer.headers.get("retry-after")], [422, null]);
  assert.equal(await answer.text(), noWayThrough);
}

test("webhook whose handler fails for good is answered with 422 each time that it comes, until the handler is mended", async () => {
  const { env, seen } = await started();
  await using _env = env;
  for (const round of [1, 2]) {
    const answer = push(env, site);
    await counted(env, "source_events", round);
    await env.advance("30s");
    await assertRefused(await answer);
    assert.equal(seen.tries, 5 * round);
  }

  // Who brings it a second time meanwhile is told what becomes of the first.
  const [first, second] = [push(env, site), push(env, site)];
  await counted(env, "webhook_duplicates", 1);
  await counted(env, "source_events", 3);
  await env.advance("30s");
  await assertRefused(await first);
  await assertRefused(await second);
  assert.deepEqual([seen.tries, seen.runs], [15, 0]);

  seen.isBroken = false;
  for (const _ of ["taken", "held already"]) {
    assert.equal((await push(env, site)).status, 202);
    await env.settle();
    assert.deepEqual([seen.tries, seen.runs], [16, 1]);
  }
});

test("webhook about an object that cannot be is answered with 422 at once, and again when it is repeated", async () => {
  const { env, seen } = await started();
  await using _env = env;
  seen.isBroken = false;
  for (const repository of ["../site", "../site", "\ud800", "x".repeat(100_000)]) {
    await assertRefused(await push(env, JSON.stringify({ repository })));
    // An object is asked about once a second.
    await env.advance("1s");
  }
  assert.deepEqual([seen.tries, seen.runs], [4, 0]);
});

test("webhook whose body its schema refuses is answered with 400 each time that it comes, and reaches no handler", async () => {
  const { env, seen } = await started();
  await using _env = env;
  for (const _ of ["first", "again"]) {
    const answer = await push(env, JSON.stringify({ repository: 1 }));
    assert.deepEqual([answer.status, await answer.text()], [400, "body.repository must be string"]);
  }
  assert.equal(seen.tries, 0);
});
