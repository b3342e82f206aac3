import assert from "node:assert/strict";
import { test } from "node:test";
import { attributes, readerOf, registry, stored } from "../admission.fixture.ts";
import type { MatchRule } from "../built-in/match-rule.ts";
import { createRequestMatcher, type Matching } from "./match-request.ts";

const matcher = createRequestMatcher({
  registry,
  reader: readerOf({
    "/namespaces": [stored("v1", "Namespace", { metadata: { name: "default", labels: { team: "a" } } })],
  }),
});

const all: MatchRule = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };

function matching(rule: MatchRule, more: Partial<Matching> = {}): Matching {
  const open = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} };
  return { ...open, rules: [{ ...all, ...rule }], ...more };
}

function matches(rule: MatchRule, asked: Parameters<typeof attributes>[0] = {}, more: Partial<Matching> = {}): boolean {
  return matcher.match(matching(rule, more), attributes(asked)) !== undefined;
}

test("A rule is about operations, groups, versions and resources", () => {
  assert.ok(matches({}));
  assert.ok(
    matches({ operations: ["UPDATE", "CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }),
  );
  assert.ok(!matches({ operations: ["UPDATE"] }));
  assert.ok(!matches({ apiGroups: ["apps"] }));
  assert.ok(!matches({ apiVersions: ["v2"] }));
  assert.ok(!matches({ resources: ["secrets"] }));
});

test("A resource without a subresource is not about its subresources", () => {
  const status = { group: "apps", plural: "deployments", subresource: "status" };
  for (const resources of [["*"], ["deployments"], ["deployments/scale"], ["*/scale"], ["pods/*"]]) {
    assert.ok(!matches({ resources }, status), resources.join());
  }
  for (const resources of [["*/*"], ["deployments/*"], ["deployments/status"], ["*/status"]]) {
    assert.ok(matches({ resources }, status), resources.join());
  }
});

test("A namespace is of the cluster, whatever it is called", () => {
  const namespace = { plural: "namespaces", name: "default" };
  assert.ok(matches({ scope: "Cluster" }, namespace));
  assert.ok(!matches({ scope: "Namespaced" }, namespace));
  assert.ok(matches({ scope: "Namespaced" }));
  assert.ok(!matches({ scope: "Cluster" }));
});

test("Names of resources are those that are asked for", () => {
  assert.ok(matches({ resourceNames: ["a"] }));
  assert.ok(!matches({ resourceNames: ["b"] }));
});

test("What is excluded does not match", () => {
  assert.ok(!matches({}, {}, { excludedRules: [{ ...all, resources: ["configmaps"] }] }));
});

test("An equivalent version matches in that version, unless it must be exact", () => {
  const asked = attributes({ group: "autoscaling", version: "v2", plural: "horizontalpodautoscalers" });
  const rule = { apiGroups: ["autoscaling"], apiVersions: ["v1"] };
  assert.equal(matcher.match(matching(rule), asked)?.version.version, "v1");
  assert.equal(matcher.match(matching(rule, { matchPolicy: "Exact" }), asked), undefined);
});

test("Events are the same in both of their groups", () => {
  const found = matcher.match(matching({ apiGroups: ["events.k8s.io"] }), attributes({ plural: "events" }));
  assert.equal(found?.kind.group, "events.k8s.io");
});

test("A selector of namespaces looks at the object's namespace, and lets objects of the cluster pass", () => {
  const more = { namespaceSelector: { matchLabels: { team: "b" } } };
  assert.ok(!matches({}, {}, more));
  assert.ok(matches({}, {}, { namespaceSelector: { matchLabels: { team: "a" } } }));
  assert.ok(matches({}, { plural: "nodes" }, more));
});

test("A selector of namespaces looks at a namespace as it will be", () => {
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: "default", labels: { team: "b" } } };
  assert.ok(matches({}, { plural: "namespaces", object }, { namespaceSelector: { matchLabels: { team: "b" } } }));
});

test("A namespace that is gone is an error of requests that match, and of no others", () => {
  const more = { namespaceSelector: { matchLabels: { team: "a" } } };
  assert.throws(() => matches({}, { namespace: "gone" }, more), { code: 404 });
  assert.ok(!matches({ resources: ["secrets"] }, { namespace: "gone" }, more));
});

test("A selector of objects looks at the new and at the old one", () => {
  const old = stored("v1", "ConfigMap", { metadata: { name: "a", labels: { a: "b" } } });
  const more = { objectSelector: { matchLabels: { a: "b" } } };
  assert.ok(!matches({}, {}, more));
  assert.ok(matches({}, { operation: "UPDATE", old }, more));
  assert.ok(matches({}, { operation: "DELETE", old }, more));
});
