import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../failure/api-error.ts";
import { attributes, readerOf, stored } from "../admission.fixture.ts";
import { createNamespaceLifecycle } from "./namespace-lifecycle.ts";

const { admit } = createNamespaceLifecycle(
  readerOf({
    "/namespaces": [
      stored("v1", "Namespace", { metadata: { name: "default" }, status: { phase: "Active" } }),
      stored("v1", "Namespace", { metadata: { name: "going" }, status: { phase: "Terminating" } }),
    ],
  }),
);

function refusal(asked: Parameters<typeof attributes>[0]): ApiError | undefined {
  try {
    admit?.(attributes(asked));
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error;
  }
}

test("Nothing is created where there is no namespace", () => {
  assert.equal(refusal({ namespace: "default" }), undefined);
  assert.equal(refusal({ namespace: "gone" })?.message, 'namespaces "gone" not found');
});

test("Nothing is created where a namespace is going, though much may still change and go", () => {
  const error = refusal({ namespace: "going" });
  assert.equal(error?.code, 403);
  assert.deepEqual(error?.details?.causes, [
    { reason: "NamespaceTerminating", message: "namespace going is being terminated", field: "metadata.namespace" },
  ]);
  for (const operation of ["UPDATE", "DELETE"] as const)
    assert.equal(refusal({ namespace: "going", operation }), undefined);
});

test("A refused object without a name is told by the beginning of its name", () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "a-" } };
  assert.match(refusal({ namespace: "going", object })?.message ?? "", /^configmaps "a-" is forbidden/);
});

test("A question may be asked about a namespace that is going", () => {
  const group = "authorization.k8s.io";
  assert.equal(refusal({ group, plural: "localsubjectaccessreviews", namespace: "going" }), undefined);
});

test("The namespaces of the server itself never go", () => {
  const deletion = { operation: "DELETE", plural: "namespaces" } as const;
  for (const name of ["default", "kube-public", "kube-system"]) {
    assert.equal(
      refusal({ ...deletion, name })?.message,
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    );
  }
  assert.equal(refusal({ ...deletion, name: "going" }), undefined);
});
