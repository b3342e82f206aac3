// A secret that is exchanged while webhooks come in, from the Secret to the answer on a socket.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestEnv } from "@farwatch/testing";
import { defineController, enqueueRequestsFromMapFunc, githubSignature, Secret, watch, webhookSource } from "farwatch";
import { sendAsGithub } from "./github-sender.ts";
import { Repository } from "./repository.ts";

const key = { namespace: "default", name: "github-webhook" };
const base64 = (text: string): string => Buffer.from(text).toString("base64");

test("webhook takes what is signed with the old or the new secret while it is exchanged, and no more what is signed with the old one", async () => {
  await using env = await createTestEnv({
    resources: [Repository],
    manager: { ingress: { host: "127.0.0.1", port: 0 } },
  });
  env.manager.add(
    defineController({
      for: Repository,
      watches: [
        watch(
          webhookSource({
            path: "/github",
            auth: githubSignature({ secret: { secretRef: { ...key, keys: ["current", "previous"] } } }),
          }),
          enqueueRequestsFromMapFunc(() => []),
        ),
      ],
      async reconcile() {},
    }),
  );
  await env.start();
  let deliveries = 0;
  const statusOf = async (secret: string): Promise<number> => {
    deliveries += 1;
    const body = JSON.stringify({ deliveries });
    return (await sendAsGithub(env.manager.ingressAddress, body, { secret })).status;
  };
  const give = async (data: Readonly<Record<string, string>>): Promise<void> => {
    const old = await env.client.find(Secret, key, { live: true });
    if (old !== undefined) await env.client.delete(Secret, key);
    await env.client.create(Secret, { metadata: key, data });
  };

  assert.equal(await statusOf("first"), 503, "there is no Secret yet: nobody can be refused");
  await give({ current: base64("first") });
  await env.advance("1s");
  assert.deepEqual([await statusOf("first"), await statusOf("second")], [202, 401]);

  await give({ current: base64("second"), previous: base64("first") });
  await env.advance("1s");
  assert.deepEqual([await statusOf("second"), await statusOf("first")], [202, 202]);

  await give({ current: base64("second") });
  await env.advance("30s");
  assert.deepEqual([await statusOf("first"), await statusOf("second")], [401, 202]);

  await env.client.delete(Secret, key);
  await env.advance("30s");
  assert.equal(await statusOf("second"), 503);
});
