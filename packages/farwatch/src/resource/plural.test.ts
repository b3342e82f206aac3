import assert from "node:assert/strict";
import { test } from "node:test";
import { pluralOf } from "./plural.ts";

test("pluralOf follows the English rule that Kubernetes guesses with", () => {
  const words = {
    policy: "policies",
    gateway: "gateways",
    class: "classes",
    bucket: "buckets",
    batch: "batches",
    mesh: "meshes",
    proxy: "proxies",
    box: "boxes",
    key: "keys",
    ingress: "ingresses",
  };
  for (const [singular, plural] of Object.entries(words)) assert.equal(pluralOf(singular), plural);
});
