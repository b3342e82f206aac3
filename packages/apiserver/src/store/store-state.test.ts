import assert from "node:assert/strict";
import { test } from "node:test";
import { createStore } from "./create-store.ts";
import { configMapDraft, configMaps, keyOf, told } from "./draft.fixture.ts";
import type { StoreState } from "./store.ts";
import { checkState } from "./store-state.ts";

function whole(): StoreState {
  const store = createStore();
  store.create(configMaps, keyOf("a"), configMapDraft("a", 1));
  return structuredClone(store.state());
}

const problemOf = (state: unknown): string => {
  try {
    checkState(state as StoreState);
  } catch (error) {
    return (error as Error).message;
  }
  return "none";
};

test("checkState takes what a store gave, and what JSON has made of it", () => {
  assert.equal(problemOf(whole()), "none");
  assert.equal(problemOf(JSON.parse(JSON.stringify(whole()))), "none");
  assert.equal(problemOf({ version: 1, objects: [] }), "none");
});

test("checkState says what is wrong with a state, and where", () => {
  const state = whole();
  const [one] = state.objects;
  const withObject = (change: object): unknown => ({ ...state, objects: [{ ...one, ...change }] });
  const withMeta = (change: object): unknown =>
    withObject({ object: { ...one?.object, metadata: { ...one?.object.metadata, ...change } } });
  for (const version of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1.5, 2 ** 53, "3", undefined]) {
    assert.equal(
      problemOf({ ...state, version }),
      `its version is ${String(version)}, which must be a whole number from 1 to 9007199254740991`,
    );
  }
  for (const [broken, problem] of [
    [null, "it is no object with version and objects"],
    ["x", "it is no object with version and objects"],
    [{ version: 2 }, "it has no list of objects"],
    [{ version: 2, objects: [null] }, "objects[0] is no object with resource, key and object"],
    [withObject({ resource: 1 }), "objects[0] is no object with resource, key and object"],
    [withObject({ key: undefined }), "objects[0] is no object with resource, key and object"],
    [withObject({ object: [] }), "objects[0], /configmaps n/a, holds no Kubernetes object"],
    [withObject({ object: { metadata: {} } }), "objects[0], /configmaps n/a, holds no Kubernetes object"],
    [withMeta({ name: 5 }), "objects[0], /configmaps n/a, holds no Kubernetes object"],
    [withMeta({ name: "b" }), "objects[0], /configmaps n/a, holds an object of the key n/b"],
    [
      withMeta({ resourceVersion: "x" }),
      "objects[0], /configmaps n/a, has the version x, which must be a whole number up to 2",
    ],
    [
      withMeta({ resourceVersion: "3" }),
      "objects[0], /configmaps n/a, has the version 3, which must be a whole number up to 2",
    ],
    [{ ...state, objects: [one, one] }, "objects[1], /configmaps n/a, stands there twice"],
  ] as const)
    assert.equal(problemOf(broken), problem);
});

test("Store stays as it is when a state is refused", () => {
  const store = createStore();
  store.create(configMaps, keyOf("a"), configMapDraft("a", 1));
  assert.throws(() => store.restore({ version: Number.NaN, objects: [] }), {
    code: "InvalidOption",
    message:
      "Cannot restore the state: its version is NaN, which must be a whole number from 1 to 9007199254740991; give what state() gave",
  });
  assert.deepEqual([told(store.list(configMaps)), store.version, store.epoch], [["a=1@2"], 2, 0]);
});
