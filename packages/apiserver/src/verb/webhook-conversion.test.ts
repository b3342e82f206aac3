import assert from "node:assert/strict";
import { test } from "node:test";
import type { WebhookCall, WebhookPost } from "../admit/webhook/webhook-post.ts";
import { WebhookFailure } from "../admit/webhook/webhook-post.ts";
import type { StoredObject } from "../registry/api-object.ts";
import { kindFromCrd } from "../registry/crd-kind.ts";
import type { ObjectReader } from "../registry/object-reader.ts";
import { createCodec } from "./codec.ts";
import { createWebhookConversion, type WebhookConversion } from "./webhook-conversion.ts";

const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const stored = { uid: "u", resourceVersion: "1" };

function definition(conversion: object): StoredObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com", ...stored },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", singular: "widget", listKind: "WidgetList" },
      versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
      conversion,
    },
  };
}

const byWebhook = {
  strategy: "Webhook",
  webhook: { clientConfig: { url: "https://127.0.0.1:1/convert" }, conversionReviewVersions: ["v1"] },
};

function conversionBy(post: WebhookPost, crd = definition(byWebhook)): WebhookConversion {
  const reader: ObjectReader = {
    find: (_resource, { name }) => (name === crd.metadata.name ? crd : undefined),
    list: () => [],
  };
  return createWebhookConversion({ reader, post, uuid: () => "of the review", signal: new AbortController().signal });
}

/** Answers as a webhook that only changes the version. */
function converting(calls: WebhookCall[] = []): WebhookPost {
  return async (call) => {
    calls.push(call);
    const { request } = JSON.parse(call.body) as {
      readonly request: {
        readonly uid: string;
        readonly desiredAPIVersion: string;
        readonly objects: readonly object[];
      };
    };
    const convertedObjects = request.objects.map((object) => ({
      ...object,
      apiVersion: request.desiredAPIVersion,
      by: "webhook",
    }));
    const response = { uid: request.uid, result: { status: "Success" }, convertedObjects };
    const text = JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", response });
    return { status: 200, contentType: "application/json", text };
  };
}

const kind = kindFromCrd(definition(byWebhook));
const widget = (name: string, apiVersion = "example.com/v1"): StoredObject => ({
  apiVersion,
  kind: "Widget",
  metadata: { name, namespace: "n", ...stored },
});

test("webhook conversion is for kinds whose definition asks for it", () => {
  assert.equal(conversionBy(converting()).converts(kind), true);
  assert.equal(conversionBy(converting(), definition({ strategy: "None" })).converts(kind), false);
  assert.equal(conversionBy(converting()).converts({ ...kind, plural: "others" }), false);
  assert.equal(conversionBy(converting()).converts({ ...kind, custom: false }), false);
});

test("webhook conversion asks for all objects at once, within thirty seconds", async () => {
  const calls: WebhookCall[] = [];
  const converted = await conversionBy(converting(calls)).convert(kind, [widget("a"), widget("b")], "example.com/v2");
  assert.deepEqual(
    converted.map(({ apiVersion, metadata, by }) => [apiVersion, metadata.name, by]),
    [
      ["example.com/v2", "a", "webhook"],
      ["example.com/v2", "b", "webhook"],
    ],
  );
  assert.equal(calls.length, 1);
  assert.deepEqual([calls[0]?.url, calls[0]?.timeoutMs], ["https://127.0.0.1:1/convert?timeout=30s", 30_000]);
});

test("webhook conversion that fails is told as the real server tells it", async () => {
  const failing = async (post: WebhookPost): Promise<string> => {
    try {
      await conversionBy(post).convert(kind, [widget("a")], "example.com/v2");
      return "converted";
    } catch (error) {
      const { code, message } = error as { readonly code: number; readonly message: string };
      return `${code} ${message.replace("conversion webhook for example.com/v1, Kind=Widget ", "")}`;
    }
  };
  const answer =
    (status: number, text: string): WebhookPost =>
    async () => ({ status, contentType: "", text });
  assert.equal(
    await failing(async () => {
      throw new WebhookFailure('Post "https://127.0.0.1:1": connection refused');
    }),
    '500 failed: Post "https://127.0.0.1:1": connection refused',
  );
  assert.equal(await failing(answer(503, "busy")), "500 failed: the server is currently unable to handle the request");
  assert.equal(await failing(answer(404, "")), "500 failed: the server could not find the requested resource");
  assert.match(await failing(answer(200, "nonsense")), /^500 failed: /);
  assert.match(await failing(answer(200, "{}")), /^500 failed: expected webhook response of /);
});

test("codec shows objects of the version that is asked for without a webhook, and others through it", async () => {
  const calls: WebhookCall[] = [];
  const codec = createCodec(conversionBy(converting(calls)));
  const [v1, v2] = kind.versions;
  assert.ok(v1 && v2);
  const same = [widget("a")];
  assert.deepEqual(await codec.present({ kind, version: v1 }, same), same);
  assert.equal(calls.length, 0);
  const [shown] = await codec.present({ kind, version: v2 }, same);
  assert.deepEqual([shown?.apiVersion, shown?.by, calls.length], ["example.com/v2", "webhook", 1]);
  const draft = { ...widget("a", "example.com/v2"), metadata: { ...widget("a").metadata } };
  const kept = await codec.toStorage({ kind, version: v2 }, draft);
  assert.deepEqual([kept.apiVersion, calls.length], ["example.com/v1", 2]);
});
