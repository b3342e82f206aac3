import assert from "node:assert/strict";
import { test } from "node:test";
import { createRbac } from "../authorize/rbac.ts";
import type { DraftObject } from "../registry/api-object.ts";
import { builtInKinds } from "../registry/built-in-kinds.ts";
import { createRegistry } from "../registry/registry.ts";
import type { Admission } from "./admission.ts";
import type { AdmissionAttributes } from "./attributes.ts";
import { guardRoles } from "./guard-roles.ts";

const rbac = createRbac({ reader: { find: () => undefined, list: () => [] }, revision: () => 0 });
const registry = createRegistry(builtInKinds());

function attributes(
  resource: readonly [group: string, version: string, plural: string],
  object: DraftObject,
): AdmissionAttributes & { readonly object: DraftObject } {
  const served = registry.findServed(...resource);
  assert.ok(served);
  return {
    operation: "CREATE",
    served,
    namespace: "default",
    name: "",
    subresource: undefined,
    object,
    old: undefined,
    user: { name: "bob", groups: [] },
    dryRun: false,
    options: {},
    warn: () => {},
    signal: AbortSignal.abort(),
  };
}

const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
const role: DraftObject = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" }, rules };
const open: Admission = { mutate: async ({ object }) => object, allocate: () => {}, validate: async () => {} };

test("guardRoles refuses a role that gives more than its writer has", async () => {
  const guarded = guardRoles(open, rbac);
  await assert.rejects(
    guarded.mutate(attributes(["rbac.authorization.k8s.io", "v1", "roles"], role)),
    /attempting to grant RBAC permissions not currently held/,
  );
});

test("guardRoles looks at the role as other admission leaves it", async () => {
  const emptied = { ...role, rules: [] };
  const guarded = guardRoles({ ...open, mutate: async () => emptied }, rbac);
  assert.equal(await guarded.mutate(attributes(["rbac.authorization.k8s.io", "v1", "roles"], role)), emptied);
});

test("guardRoles lets objects of other groups pass", async () => {
  const guarded = guardRoles(open, rbac);
  assert.equal(await guarded.mutate(attributes(["", "v1", "configmaps"], role)), role);
});
