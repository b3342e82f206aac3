import assert from "node:assert/strict";
import { test } from "node:test";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { withNilFields } from "./nil-field.ts";
import type { Strategy, StrategyContext } from "./strategy.ts";

const context: StrategyContext = { subresource: undefined, now: "2030-01-01T00:00:00Z", uuid: () => "" };

function draft(spec: unknown): DraftObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec };
}

test("a strategy sees no field that is null, and what it leaves alone is null again", () => {
  const seen: unknown[] = [];
  const look = (object: DraftObject): void => {
    seen.push(structuredClone(object.spec));
  };
  const strategy: Required<Pick<Strategy, "prepareForCreate" | "validate" | "warnings">> = {
    prepareForCreate: look,
    validate: (object) => {
      look(object);
      return [];
    },
    warnings: (object) => {
      look(object);
      return [];
    },
  };
  const { prepareForCreate, validate, warnings } = withNilFields(strategy);
  const object = draft({ containers: null, nested: { list: [{ ports: null, name: "x" }, null] } });
  prepareForCreate?.(object, context);
  validate?.(object, context);
  warnings?.(object);
  const without = { nested: { list: [{ name: "x" }, null] } };
  assert.deepEqual(seen, [without, without, without]);
  assert.deepEqual(object.spec, { containers: null, nested: { list: [{ name: "x", ports: null }, null] } });
});

test("a strategy may set a field that was null, also when it throws afterwards", () => {
  const strategy = withNilFields({
    applyDefaults(object): void {
      object.spec = { ...(object.spec as object), selector: { matchLabels: {} } };
      throw new Error("broken");
    },
  });
  const object = draft({ selector: null, other: null });
  const given = object.spec as Record<string, unknown>;
  assert.throws(() => strategy.applyDefaults?.(object), { message: "broken" });
  assert.deepEqual(object.spec, { selector: { matchLabels: {} } });
  assert.deepEqual(given, { selector: null, other: null });
});

test("a strategy sees no null in the old object either, which stays as it is", () => {
  const old = Object.freeze({ ...draft({ rules: null }) }) as unknown as StoredObject;
  let seen: unknown;
  const strategy = withNilFields({
    validateUpdate(_object, before) {
      seen = before.spec;
      return [];
    },
  });
  assert.deepEqual(strategy.validateUpdate?.(draft({}), old, context), []);
  assert.deepEqual(seen, {});
  assert.deepEqual(old.spec, { rules: null });
});
