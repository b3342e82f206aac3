import assert from "node:assert/strict";
import { test } from "node:test";
import type { DraftObject } from "../../registry/api-object.ts";
import { attributes, readerOf, stored } from "../admission.fixture.ts";
import { createDefaultClasses } from "./default-class.ts";

const mark = { "storageclass.kubernetes.io/is-default-class": "true" };
const ingressMark = { "ingressclass.kubernetes.io/is-default-class": "true" };
const { admit } = createDefaultClasses(
  readerOf({
    "storage.k8s.io/storageclasses": [
      stored("storage.k8s.io/v1", "StorageClass", {
        metadata: { name: "plain", creationTimestamp: "2031-01-01T00:00:00Z" },
      }),
      stored("storage.k8s.io/v1", "StorageClass", {
        metadata: { name: "old", annotations: mark, creationTimestamp: "2029-01-01T00:00:00Z" },
      }),
      stored("storage.k8s.io/v1", "StorageClass", {
        metadata: { name: "new", annotations: mark, creationTimestamp: "2030-01-01T00:00:00Z" },
      }),
    ],
    "networking.k8s.io/ingressclasses": [
      stored("networking.k8s.io/v1", "IngressClass", { metadata: { name: "front", annotations: ingressMark } }),
    ],
  }),
);

function claim(
  spec: object,
  annotations?: Record<string, string>,
): DraftObject & { spec: { storageClassName?: string } } {
  const metadata = { name: "c", ...(annotations === undefined ? {} : { annotations }) };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec };
}

test("A claim that asks for no class gets the newest that is the default", () => {
  const object = claim({});
  admit?.(attributes({ plural: "persistentvolumeclaims", object }));
  assert.equal(object.spec.storageClassName, "new");
});

test("A claim that asks for a class, or for none on purpose, gets what it asks for", () => {
  const old = { "volume.beta.kubernetes.io/storage-class": "x" };
  for (const object of [claim({ storageClassName: "mine" }), claim({ storageClassName: "" }), claim({}, old)]) {
    const before = structuredClone(object);
    admit?.(attributes({ plural: "persistentvolumeclaims", object }));
    assert.deepEqual(object, before);
  }
});

test("An update gives no class", () => {
  const object = claim({});
  admit?.(attributes({ plural: "persistentvolumeclaims", object, operation: "UPDATE" }));
  assert.equal(object.spec.storageClassName, undefined);
});

test("An ingress gets the default class, unless it names one in the old way", () => {
  const ingress = (annotations: Record<string, string>): DraftObject & { spec: { ingressClassName?: string } } => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "i", annotations },
    spec: {},
  });
  const named = [ingress({}), ingress({ "kubernetes.io/ingress.class": "old" })].map((object) => {
    admit?.(attributes({ group: "networking.k8s.io", plural: "ingresses", object }));
    return object.spec.ingressClassName;
  });
  assert.deepEqual(named, ["front", undefined]);
});
