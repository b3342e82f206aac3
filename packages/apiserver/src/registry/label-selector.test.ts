import assert from "node:assert/strict";
import { test } from "node:test";
import { selectorText } from "./label-selector.ts";

test("selectorText writes requirements in the order of their keys, values in theirs", () => {
  const matchExpressions = [
    { key: "d", operator: "DoesNotExist" },
    { key: "k", operator: "In", values: ["w", "v"] },
    { key: "n", operator: "NotIn", values: ["x"] },
    { key: "e", operator: "Exists" },
  ];
  assert.equal(
    selectorText({ matchLabels: { z: "1", a: "b" }, matchExpressions }),
    "a=b,!d,e,k in (v,w),n notin (x),z=1",
  );
  assert.equal(selectorText({}), "");
});
