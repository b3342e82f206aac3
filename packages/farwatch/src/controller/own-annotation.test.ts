import assert from "node:assert/strict";
import { test } from "node:test";
import { createScriptedHub } from "../doubles/scripted-hub.ts";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import type { ObjectEvent } from "../event/source-event.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { handlerOfOwn, watchOfOwn } from "./own-annotation.ts";

const ctx = createScriptedHub({ clock: createVirtualClock() }).context(new AbortController().signal);
const own = { resource: ConfigMap, namespace: "ns", name: "rescan" };

const rescan = (token: string | undefined, version = "1"): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    namespace: "ns",
    name: "rescan",
    uid: "u",
    resourceVersion: version,
    ...(token === undefined ? {} : { annotations: { "farwatch.dev/requested-at": token } }),
  },
});

test("own annotation is asked for, whatever the event", async () => {
  assert.deepEqual(await handlerOfOwn(own)({ type: "generic", object: undefined }, ctx), [
    { namespace: "ns", name: "rescan" },
  ]);
  assert.deepEqual(await handlerOfOwn({ resource: ConfigMap, name: "x" })({ type: "generic", object: 1 }, ctx), [
    { name: "x" },
  ]);
});

test("own annotation asks when it is there at first and whenever it changes, and nothing else of the object does", async () => {
  const all = [{ namespace: "ns", name: "a" }];
  const { handler } = watchOfOwn(own, () => all);
  const update = (oldObject: ConfigMap, object: ConfigMap): ObjectEvent<ConfigMap> => ({
    type: "update",
    oldObject,
    object,
  });
  for (const [event, asks] of [
    [{ type: "create", object: rescan("t1"), inInitialList: true }, true],
    [{ type: "create", object: rescan(undefined), inInitialList: true }, false],
    [update(rescan("t1"), rescan("t2", "2")), true],
    [update(rescan(undefined), rescan("t1", "2")), true],
    [update(rescan("t1"), rescan("t1", "2")), false],
    [{ type: "delete", object: rescan("t1"), stateUnknown: false }, false],
  ] satisfies readonly (readonly [ObjectEvent<ConfigMap>, boolean])[]) {
    assert.deepEqual(await handler(event, ctx), asks ? all : [], JSON.stringify(event));
  }
});
