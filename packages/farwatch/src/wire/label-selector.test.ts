import assert from "node:assert/strict";
import { test } from "node:test";
import { labelMatcher } from "./label-selector.ts";

const labels = { app: "web", tier: "gold", "example.com/size": "10", empty: "" };

test("label selector selects as the API server does", () => {
  for (const [selector, expected] of [
    ["", true],
    [" ", true],
    ["app=web", true],
    ["app == web", true],
    ["app=db", false],
    ["app!=db", true],
    ["none!=db", true],
    ["app!=web", false],
    ["app", true],
    ["none", false],
    ["!none", true],
    ["! app", false],
    ["empty=", true],
    ["none=", false],
    ["app in (web, db)", true],
    ["app in (db)", false],
    ["none in (db)", false],
    ["empty in (,a)", true],
    ["app notin (db,cache)", true],
    ["none notin (db)", true],
    ["app notin (web)", false],
    ["example.com/size>9", true],
    ["example.com/size<10", false],
    ["app>1", false],
    ["none<5", false],
    ["app in (web,db),tier=gold,!none", true],
    ["app in (web,db),tier=tin", false],
  ] as const) {
    assert.equal(labelMatcher(selector)(labels), expected, selector);
  }
  assert.equal(labelMatcher({ app: "web", tier: "gold" })(labels), true);
  assert.equal(labelMatcher({ app: "web", tier: "tin" })(labels), false);
  assert.equal(labelMatcher({})(undefined), true);
  assert.equal(labelMatcher("!app")(undefined), true);
  assert.equal(labelMatcher({ constructor: "x" })({}), false);
  assert.equal(labelMatcher("toString")({}), false);
});

test("label selector that cannot be read is refused with the part that is wrong", () => {
  for (const part of ["a=b=c", "a in b", "a in (b", "-a", "a=-", "a,,b", "a>x", "a in (b c)", "a b", "a/b/c"]) {
    assert.throws(() => labelMatcher(`app=web,${part}`), { code: "InvalidSelector" }, part);
  }
  assert.throws(() => labelMatcher("app=web,a b"), {
    message:
      'Cannot read label selector "app=web,a b": "a b" is no requirement, write "a=b", "a!=b", "a in (b, c)", "a notin (b)", "a", "!a", "a>1" or "a<1"',
  });
});
