import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../failure/api-error.ts";
import { invalidValue } from "../failure/field-error.ts";
import { stored } from "./admission.fixture.ts";
import { beforeCreate, beforeUpdate, type WrittenKind, wipeSystemMeta } from "./before-write.ts";
import type { Strategy, StrategyContext } from "./strategy.ts";

const context: StrategyContext = { subresource: undefined, now: "2030-01-01T00:00:00Z", uuid: () => "fresh" };

function written(strategy: Strategy): WrittenKind {
  return { group: "example.com", kind: "Thing", namespaced: true, strategy };
}

const metadata = { name: "a", namespace: "n", uid: "u" };
const draft = () => ({ apiVersion: "example.com/v1", kind: "Thing", metadata: { ...metadata } });
const old = stored("example.com/v1", "Thing", {
  metadata: { ...metadata, resourceVersion: "1", generation: 3, creationTimestamp: "2029-01-01T00:00:00Z" },
});

test("beforeCreate prepares, then checks, then warns", () => {
  const steps: string[] = [];
  const strategy: Strategy = {
    prepareForCreate(): void {
      steps.push("prepare");
    },
    validate: () => {
      steps.push("validate");
      return [];
    },
    warnings: () => {
      steps.push("warn");
      return ["careful"];
    },
  };
  assert.deepEqual(beforeCreate(draft(), written(strategy), context), ["careful"]);
  assert.deepEqual(steps, ["prepare", "validate", "warn"]);
});

test("beforeCreate refuses with everything that is wrong, and warns of nothing then", () => {
  const strategy: Strategy = {
    validate: () => [invalidValue("spec.a", 1, "is odd"), invalidValue("spec.b", 2, "is even")],
    warnings: () => assert.fail("A refused object is warned of"),
  };
  assert.throws(
    () => beforeCreate(draft(), written(strategy), context),
    (error) =>
      error instanceof ApiError &&
      error.code === 422 &&
      error.message ===
        'Thing.example.com "a" is invalid: [spec.a: Invalid value: 1: is odd, spec.b: Invalid value: 2: is even]',
  );
});

test("beforeUpdate keeps what only the server says of an object", () => {
  const object = { ...draft(), metadata: { ...metadata, uid: "", resourceVersion: "1", generation: 99 } };
  beforeUpdate(object, old, { written: written({}), context });
  assert.equal(object.metadata.uid, "u");
  assert.equal(object.metadata.generation, 3);
  assert.equal((object.metadata as { creationTimestamp?: string }).creationTimestamp, "2029-01-01T00:00:00Z");
});

test("beforeUpdate lets a strategy count a generation", () => {
  const object = { ...draft(), metadata: { ...metadata, resourceVersion: "1", generation: 3 } };
  const strategy: Strategy = {
    prepareForUpdate: ({ metadata: meta }) => {
      meta.generation = 4;
    },
  };
  beforeUpdate(object, old, { written: written(strategy), context });
  assert.equal(object.metadata.generation, 4);
});

test("wipeSystemMeta takes what a client may not say of a new object", () => {
  const object = { ...draft(), metadata: { ...metadata, creationTimestamp: "x", deletionTimestamp: "y" } };
  wipeSystemMeta(object);
  assert.deepEqual(object.metadata, { name: "a", namespace: "n" });
});
