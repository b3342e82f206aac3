import assert from "node:assert/strict";
import { test } from "node:test";
import { selectedName } from "./selected-name.ts";

test("selectedName gives the name that a field selector asks for", () => {
  assert.equal(selectedName("metadata.name=x"), "x");
  assert.equal(selectedName("spec.nodeName=n,metadata.name==x"), "x");
});

test("selectedName gives nothing for other selectors, and for what is no name", () => {
  for (const selector of [null, "", "metadata.name!=x", "metadata.namespace=x", "metadata.name=a/b", "nonsense"]) {
    assert.equal(selectedName(selector), undefined, String(selector));
  }
});
