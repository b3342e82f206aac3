// The handshakes of Azure Event Grid and an event behind them, from a socket to a reconcile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestEnv } from "@farwatch/testing";
import {
  type BucketEvent,
  bucketEventSource,
  type Controller,
  defineController,
  defineResource,
  enqueueRequestsFromMapFunc,
  unguessablePath,
  watch,
  webhookSource,
} from "farwatch";
import { z } from "zod";

const Container = defineResource({
  group: "example.farwatch.dev",
  version: "v1",
  kind: "Container",
  spec: z.object({}),
});

const topic = "/subscriptions/0/resourceGroups/storage/providers/Microsoft.Storage/storageAccounts/photos";
const path = "/azure/x7Hq2LmVb9TzKc4RwN8sYd";

function containerController(runs: string[]): Controller {
  const events = bucketEventSource({
    provider: "azure",
    topic,
    buckets: ["uploads"],
    from: ({ body }) => webhookSource({ path, auth: unguessablePath(), body }),
  });
  return defineController({
    for: Container,
    watches: [
      watch(
        events,
        enqueueRequestsFromMapFunc(({ bucket }: BucketEvent) => [{ namespace: "default", name: bucket }]),
      ),
    ],
    async reconcile({ name }) {
      runs.push(name);
    },
  });
}

test("webhook of Event Grid shakes hands in both schemas, and an event behind it reaches its object", async () => {
  await using env = await createTestEnv({
    resources: [Container],
    manager: { ingress: { host: "127.0.0.1", port: 0 } },
  });
  await env.client.create(Container, { metadata: { namespace: "default", name: "uploads" }, spec: {} });
  const runs: string[] = [];
  env.manager.add(containerController(runs));
  await env.start();
  runs.length = 0;
  const send = (method: string, headers: Readonly<Record<string, string>>, body?: unknown): Promise<Response> =>
    fetch(`http://127.0.0.1:${env.manager.ingressAddress?.port}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  const asked = await send("OPTIONS", {
    "WebHook-Request-Origin": "eventgrid.azure.net",
    "WebHook-Request-Callback": "https://attacker.test/validate",
    "WebHook-Request-Rate": "120",
  });
  assert.deepEqual(
    [asked.status, asked.headers.get("webhook-allowed-origin"), asked.headers.get("webhook-allowed-rate")],
    [200, "eventgrid.azure.net", "*"],
  );
  assert.equal((await send("OPTIONS", { "WebHook-Request-Origin": "attacker.test" })).status, 403);

  const json = { "content-type": "application/json; charset=utf-8", "aeg-event-type": "SubscriptionValidation" };
  const validation = {
    id: "2d1781af",
    topic,
    subject: "",
    eventType: "Microsoft.EventGrid.SubscriptionValidationEvent",
    eventTime: "2030-01-01T00:00:00.4518186Z",
    data: { validationCode: "512d38b6", validationUrl: "https://attacker.test/validate?id=512d38b6" },
  };
  const validated = await send("POST", json, [validation]);
  assert.equal(validated.headers.get("content-type"), "application/json");
  assert.deepEqual([validated.status, await validated.json()], [200, { validationResponse: "512d38b6" }]);
  assert.equal((await send("POST", json, [{ ...validation, topic: `${topic}2` }])).status, 403);
  assert.deepEqual(runs, []);

  const event = {
    specversion: "1.0",
    id: "831e1650",
    source: topic,
    type: "Microsoft.Storage.BlobCreated",
    subject: "/blobServices/default/containers/uploads/blobs/a.jpg",
    time: "2030-01-01T00:00:01Z",
    data: { contentLength: 1 },
  };
  assert.equal((await send("POST", { "content-type": "application/cloudevents+json" }, event)).status, 202);
  await env.settle();
  assert.deepEqual(runs, ["uploads"]);
});
