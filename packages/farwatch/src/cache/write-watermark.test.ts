import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { formatKey, type KubeObject } from "../wire/object.ts";
import { selectionOf } from "./selection.ts";
import { createWriteWatermark } from "./write-watermark.ts";

const object = (resourceVersion: string, uid = "uid-1", more: Readonly<Record<string, unknown>> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "a", name: "a", uid, resourceVersion, ...more },
});

function setUp() {
  const stored = new Map<string, KubeObject>();
  const find = (key: string) => stored.get(key);
  const watermark = createWriteWatermark({ selection: selectionOf(ConfigMap, { namespace: "a" }), find });
  return {
    watermark,
    store: (each: KubeObject) => stored.set(formatKey(each.metadata), each),
    drop: () => stored.clear(),
  };
}

// Promise 9
test("watermark compares versions that are not decimal by equality alone", () => {
  const { watermark, store } = setUp();
  store(object("v1"));
  watermark.reach("v1");
  const isSeen = watermark.after(object("v2"), "written");
  assert.equal(isSeen(), false);
  store(object("v3"));
  watermark.reach("v3");
  assert.equal(isSeen(), false);
  store(object("v2"));
  assert.equal(isSeen(), true);
  store(object("v4"));
  assert.equal(isSeen(), true);
});

// Promise 9
test("watermark takes a list for enough when it began after the write, not when it was under way", () => {
  const { watermark } = setUp();
  watermark.listBegins();
  const isSeen = watermark.after(object("v2"), "written");
  watermark.listEnds("v9");
  assert.equal(isSeen(), false);
  watermark.listBegins();
  assert.equal(isSeen(), false);
  watermark.listEnds("v10");
  assert.equal(isSeen(), true);
});

// Promise 9
test("watermark takes an object that finalizers keep for deleted once it is marked", () => {
  const { watermark, store, drop } = setUp();
  store(object("5"));
  const isSeen = watermark.after(object("5"), "deleted");
  watermark.reach("9");
  assert.equal(isSeen(), false);
  store(object("6", "uid-1", { deletionTimestamp: "2030-01-01T00:00:00Z" }));
  assert.equal(isSeen(), true);
  drop();
  store(object("7"));
  const isGone = watermark.after(object("7"), "deleted");
  assert.equal(isGone(), false);
  store(object("8", "uid-2"));
  assert.equal(isGone(), true);
});

test("watermark does not wait for what its informer never holds", () => {
  const { watermark } = setUp();
  const elsewhere = object("5", "uid-1", { namespace: "b" });
  assert.equal(watermark.after(elsewhere, "written")(), true);
  assert.equal(watermark.after(object("5"), "written")(), false);
});
