import assert from "node:assert/strict";
import { test } from "node:test";
import type { DraftObject } from "../registry/api-object.ts";
import { type ConversionRequest, convertByWebhook } from "./conversion-review.ts";

const object = (name: string, version = "v1"): DraftObject => ({
  apiVersion: `example.com/${version}`,
  kind: "Widget",
  metadata: { name, uid: `uid-${name}`, labels: { a: "b" } },
  spec: { size: 1 },
});

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly DraftObject[];
  };
}

function request(answer: (review: Review) => unknown): ConversionRequest {
  return {
    apiVersion: "example.com/v2",
    reviewVersions: ["v9", "v1"],
    uid: "u",
    post: async (review) => answer(review as Review),
  };
}

function success(
  { request: { uid, objects, desiredAPIVersion } }: Review,
  change: (one: DraftObject) => object = (one) => one,
): unknown {
  const convertedObjects = objects.map((one) => change({ ...structuredClone(one), apiVersion: desiredAPIVersion }));
  return {
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    response: { uid, result: { status: "Success" }, convertedObjects },
  };
}

test("convertByWebhook sends the objects of another version, and keeps the order of all", async () => {
  let sent: Review | undefined;
  const converted = await convertByWebhook(
    [object("a"), object("b", "v2"), object("c")],
    request((review) => {
      sent = review;
      return success(review, (one) => ({ ...one, spec: { large: true } }));
    }),
  );
  assert.deepEqual(
    sent?.request.objects.map(({ metadata }) => metadata.name),
    ["a", "c"],
  );
  assert.equal(sent?.apiVersion, "apiextensions.k8s.io/v1");
  assert.deepEqual(
    converted.map(({ apiVersion, metadata, spec }) => [apiVersion, metadata.name, spec]),
    [
      ["example.com/v2", "a", { large: true }],
      ["example.com/v2", "b", { size: 1 }],
      ["example.com/v2", "c", { large: true }],
    ],
  );
});

test("convertByWebhook asks nobody where every object has the version", async () => {
  const [converted] = await convertByWebhook(
    [object("a", "v2")],
    request(() => assert.fail("asked")),
  );
  assert.equal(converted?.metadata.name, "a");
});

test("convertByWebhook takes labels and annotations of the answer, and no other metadata", async () => {
  const [converted] = await convertByWebhook(
    [object("a")],
    request((review) =>
      success(review, (one) => ({
        ...one,
        metadata: { ...one.metadata, labels: { c: "d" }, annotations: { e: "f" }, finalizers: ["g"] },
      })),
    ),
  );
  assert.deepEqual(converted?.metadata, { name: "a", uid: "uid-a", labels: { c: "d" }, annotations: { e: "f" } });
});

test("convertByWebhook refuses answers that are no conversion, in the words of the real server", async () => {
  const at = "conversion webhook for example.com/v1, Kind=Widget";
  const answers: readonly (readonly [(review: Review) => unknown, string])[] = [
    [
      () => ({}),
      `${at} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
    ],
    [
      (review) => ({ ...(success(review) as object), response: { uid: "other" } }),
      `${at} failed: expected response.uid="u", got "other"`,
    ],
    [
      (review) => ({
        ...(success(review) as object),
        response: { uid: "u", result: { status: "Failure", message: "no" } },
      }),
      `${at} failed: no`,
    ],
    [
      (review) => ({
        ...(success(review) as object),
        response: { uid: "u", result: { status: "Success" }, convertedObjects: [] },
      }),
      `${at} returned 0 objects, expected 1`,
    ],
    [
      (review) => success(review, (one) => ({ ...one, apiVersion: "example.com/v3" })),
      `${at} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v3)`,
    ],
    [
      (review) => success(review, (one) => ({ ...one, metadata: { ...one.metadata, name: "z" } })),
      `${at} returned invalid object: must have the same name: a != z`,
    ],
    [
      (review) => success(review, ({ metadata: _, ...one }) => one),
      `${at} returned invalid object: must have the same name: a != `,
    ],
    [
      (review) => success(review, (one) => ({ ...one, metadata: { ...one.metadata, labels: { a: 1 } } })),
      `${at} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
    ],
    [
      (review) => success(review, (one) => ({ ...one, metadata: { ...one.metadata, annotations: ["a"] } })),
      `${at} returned invalid metadata: invalid metadata.annotations of type []interface {} in converted object`,
    ],
    [
      () => {
        throw new Error("refused");
      },
      `${at} failed: refused`,
    ],
  ];
  for (const [answer, message] of answers) {
    await assert.rejects(convertByWebhook([object("a")], request(answer)), { name: "ConversionError", message });
  }
});
