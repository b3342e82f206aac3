import assert from "node:assert/strict";
import { test } from "node:test";
import { compileExpression, composeVariables, type Expression, type VariableType } from "./compile-expression.ts";

function compiled(text: string, types: Readonly<Record<string, VariableType>> = {}): Expression {
  const found = compileExpression(text, types);
  if ("error" in found) assert.fail(found.error);
  return found.expression;
}

test("An expression is compiled with the type that it gives", () => {
  assert.equal(compiled("1 + 1").type, "int");
  assert.equal(compiled("[1]").type, "list(int)");
  assert.equal(compiled("object.a", { object: "dyn" }).type, "dyn");
});

test("A mistake is told in the words of cel-go", () => {
  const found = compileExpression("nope", {});
  assert.match(
    "error" in found ? found.error : "",
    /^compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope'/,
  );
});

test("An object with known fields has no others", () => {
  const types = { request: { name: "string", inner: { list: "list(string)" } } };
  assert.equal(compiled("request.inner.list[0] + request.name", types).type, "string");
  const found = compileExpression("request.other", types);
  assert.match("error" in found ? found.error : "", /undefined field 'other'/);
  assert.deepEqual(compiled("request.name", types).evaluate({ request: { name: "n" } }), { value: "n" });
});

test("What cannot be evaluated is an error, null too", () => {
  const expression = compiled("object.a.b == 1", { object: "dyn" });
  assert.deepEqual(expression.evaluate({ object: { a: { b: 1 } } }), { value: true });
  assert.deepEqual(expression.evaluate({ object: {} }), { error: "no such key: a" });
  assert.deepEqual(expression.evaluate({ object: null }), { error: "no such key: a" });
});

test("A composed variable has the type of its expression, and is worked out when it is first read", () => {
  const object = { object: "dyn" };
  const list = compiled("object.items.map(item, item * 2)", object);
  const broken = compiled("object.nope", object);
  const own = { list, broken };
  const total = compiled("variables.list.size() + variables.list[0]", { ...object, variables: own });
  const values = { object: { items: [1, 2, 3] } };
  const variables = composeVariables(
    Object.entries({ ...own, total }).map(([name, expression]) => ({ name, expression })),
    values,
  );
  const types = { ...object, variables: { ...own, total } };
  assert.deepEqual(compiled("variables.total == 5", types).evaluate({ ...values, variables }), { value: true });
  assert.deepEqual(compiled("variables.broken == 1", types).evaluate({ ...values, variables }), {
    error: 'composited variable "broken" fails to evaluate: no such key: nope',
  });
  assert.deepEqual(compileExpression("variables.other == 1", types), {
    error: "compilation failed: ERROR: <input>:1:10: undefined field 'other'\n | variables.other == 1\n | .........^",
  });
});

test("Names of Object.prototype are no variables", () => {
  const variables = composeVariables([], {});
  const expression = compiled("variables.constructor == 1", { variables: "dyn" });
  assert.deepEqual(expression.evaluate({ variables }), { error: "no such key: constructor" });
});
