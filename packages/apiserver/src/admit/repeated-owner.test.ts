import assert from "node:assert/strict";
import { test } from "node:test";
import type { DraftObject, DraftOwner } from "../registry/api-object.ts";
import { dropRepeatedOwners } from "./repeated-owner.ts";

const owner: DraftOwner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };

function owned(...ownerReferences: DraftOwner[]): DraftObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ownerReferences } };
}

test("dropRepeatedOwners keeps the first of each, and tells the uids of the others", () => {
  const object = owned(owner, { ...owner, uid: "v" }, { ...owner }, { ...owner });
  assert.match(dropRepeatedOwners(object, "as sent") ?? "", /contains duplicate entries; .* observed: u, u$/);
  assert.deepEqual(object.metadata.ownerReferences, [owner, { ...owner, uid: "v" }]);
});

test("dropRepeatedOwners takes owners that differ in anything for two", () => {
  const object = owned(owner, { ...owner, controller: true });
  assert.equal(dropRepeatedOwners(object, "as sent"), undefined);
  assert.equal(object.metadata.ownerReferences?.length, 2);
});

test("dropRepeatedOwners takes null for absent, whatever order the fields have", () => {
  const other = { uid: "u", name: "p", kind: "Pod", apiVersion: "v1", controller: null };
  const object = owned(owner, other as unknown as DraftOwner);
  assert.match(dropRepeatedOwners(object, "as sent") ?? "", /observed: u$/);
});

test("dropRepeatedOwners says when admission is to blame", () => {
  assert.match(dropRepeatedOwners(owned(owner, owner), "after admission") ?? "", /after mutating admission happens/);
});
