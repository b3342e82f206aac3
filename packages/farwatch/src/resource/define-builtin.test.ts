import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../wire/object.ts";
import { type BuiltinResource, defineBuiltin } from "./define-builtin.ts";
import { ConfigMap } from "./kind/config-map.ts";
import { CustomResourceDefinition } from "./kind/custom-resource-definition.ts";
import { Deployment } from "./kind/deployment.ts";
import { Event } from "./kind/event.ts";
import { Job } from "./kind/job.ts";
import { Lease } from "./kind/lease.ts";
import { Namespace } from "./kind/namespace.ts";
import { Node } from "./kind/node.ts";
import { Pod } from "./kind/pod.ts";
import { Secret } from "./kind/secret.ts";
import { Service } from "./kind/service.ts";
import { ServiceAccount } from "./kind/service-account.ts";

test("built-in kinds are where kube-apiserver has them", () => {
  const kinds = [
    ConfigMap,
    Secret,
    Namespace,
    Pod,
    Service,
    ServiceAccount,
    Node,
    Lease,
    Event,
    Deployment,
    Job,
    CustomResourceDefinition,
  ];
  assert.deepEqual(
    kinds.map(({ apiVersion, plural, kind, scope }) => `${apiVersion} ${plural} ${kind} ${scope}`),
    [
      "v1 configmaps ConfigMap Namespaced",
      "v1 secrets Secret Namespaced",
      "v1 namespaces Namespace Cluster",
      "v1 pods Pod Namespaced",
      "v1 services Service Namespaced",
      "v1 serviceaccounts ServiceAccount Namespaced",
      "v1 nodes Node Cluster",
      "coordination.k8s.io/v1 leases Lease Namespaced",
      "events.k8s.io/v1 events Event Namespaced",
      "apps/v1 deployments Deployment Namespaced",
      "batch/v1 jobs Job Namespaced",
      "apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition Cluster",
    ],
  );
  assert.ok(kinds.every(({ definition }) => definition === undefined));
});

test("defineBuiltin takes its types from the constant that it is assigned to", () => {
  interface IngressClass extends KubeObject {
    readonly spec: { readonly controller: string };
    readonly status?: { readonly ready: boolean };
  }
  const Ingress: BuiltinResource<IngressClass> = defineBuiltin({
    group: "networking.k8s.io",
    version: "v1",
    kind: "IngressClass",
    scope: "Cluster",
  });
  assert.equal(Ingress.plural, "ingressclasses");
  assert.ok(Object.isFrozen(Ingress));
});

test("defineBuiltin refuses names that no API server has", () => {
  assert.throws(() => defineBuiltin({ version: "v1", kind: "Endpoint Slice" }), {
    code: "InvalidResource",
    message:
      'Cannot define Endpoint Slice: kind is "Endpoint Slice", give letters and digits, at most 63, that begin with a capital',
  });
});
