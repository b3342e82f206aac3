import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServedSchema } from "./served-schema.ts";
import { rulesSkipped, validateRules } from "./validate-rules.ts";

const positive = [{ rule: "self > 0", message: "must be positive" }];

test("validateRules asks rules of fields, items and values, each in its place", () => {
  const schema: ServedSchema = {
    type: "object",
    properties: {
      n: { type: "integer", "x-kubernetes-validations": positive },
      list: { type: "array", items: { type: "integer", "x-kubernetes-validations": positive } },
      map: { type: "object", additionalProperties: { type: "integer", "x-kubernetes-validations": positive } },
    },
  };
  const { errors } = validateRules(schema, { n: -1, list: [1, -2], map: { a: -3 } });
  assert.deepEqual(
    errors.map(({ field, value }) => [field, value]),
    [
      ["n", -1],
      ["list[1]", -2],
      ["map[a]", -3],
    ],
  );
});

test("validateRules asks a transition rule only where there is a former value", () => {
  const schema: ServedSchema = {
    type: "object",
    properties: { n: { type: "integer", "x-kubernetes-validations": [{ rule: "self >= oldSelf" }] } },
  };
  assert.deepEqual(validateRules(schema, { n: 1 }).errors, []);
  assert.equal(validateRules(schema, { n: 1 }, { n: 2 }).errors[0]?.detail, "failed rule: self >= oldSelf");
});

test("validateRules only warns of a rule that an unchanged part breaks", () => {
  const schema: ServedSchema = {
    type: "object",
    properties: {
      a: {
        type: "object",
        properties: { n: { type: "integer" } },
        "x-kubernetes-validations": [{ rule: "self.n > 5" }],
      },
      b: { type: "string" },
    },
  };
  const { errors, warnings } = validateRules(schema, { a: { n: 1 }, b: "y" }, { a: { n: 1 }, b: "x" });
  assert.deepEqual(errors, []);
  assert.deepEqual(warnings, ["a: Invalid value: failed rule: self.n > 5"]);
});

test("validateRules stops a rule that costs too much", () => {
  const schema: ServedSchema = {
    type: "object",
    properties: { l: { type: "array", items: { type: "integer" } } },
    "x-kubernetes-validations": [{ rule: "self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))" }],
  };
  const { errors } = validateRules(schema, { l: Array.from({ length: 1_000 }, (_, index) => index) });
  assert.match(
    errors[0]?.detail ?? "",
    /^'operation cancelled: actual cost limit exceeded': no further validation rules/,
  );
});

test("validateRules ends for values that hold one another many times", () => {
  const doubled = Array.from({ length: 60 }, () => ".map(x, [x, x])").join("");
  const schema: ServedSchema = {
    type: "object",
    properties: { n: { type: "integer" } },
    "x-kubernetes-validations": [{ rule: `[self.n]${doubled} == [self.n]${doubled}` }],
  };
  assert.equal(validateRules(schema, { n: 1 }).errors.length, 1);
});

test("rulesSkipped says so where the object has errors that keep rules from being asked", () => {
  assert.equal(rulesSkipped([{ type: "Invalid", field: "a", value: 1, detail: "" }]), undefined);
  assert.equal(rulesSkipped([{ type: "Required", field: "a", detail: "" }])?.field, "<nil>");
});
