import assert from "node:assert/strict";
import { test } from "node:test";
import { enqueueAll } from "../handler/enqueue-all.ts";
import { enqueueRequestsFromMapFunc } from "../handler/enqueue-requests-from-map-func.ts";
import { ConfigMap } from "../resource/kind/config-map.ts";
import { Lease } from "../resource/kind/lease.ts";
import type { AnyResource } from "../resource/resource.ts";
import type { Source } from "../source/source.ts";
import type { ControllerOptions } from "./controller.ts";
import { defineController } from "./define-controller.ts";
import { watch } from "./watch.ts";

const define = (options: Partial<ControllerOptions<ConfigMap>>) =>
  defineController({ for: ConfigMap, async reconcile() {}, ...options });

test("defineController names a controller for its kind unless it has a name", () => {
  assert.equal(define({}).name, "configmap");
  assert.equal(define({ name: "settings.v2" }).name, "settings.v2");
});

test("defineController lets one annotation stand for all only where the handler is of enqueueAll, and on no Lease", () => {
  const own = (resource: AnyResource): Source<unknown> => ({
    name: "rescan",
    delivery: "atLeastOnce",
    durability: "process",
    overflow: "wait",
    annotates: { resource, namespace: "ns", name: "rescan" },
    async *events() {},
  });
  define({ watches: [watch(own(ConfigMap), enqueueAll(ConfigMap))] });
  const some = enqueueRequestsFromMapFunc(() => [{ namespace: "ns", name: "one" }]);
  assert.throws(() => define({ watches: [watch(own(ConfigMap), some)] }), {
    code: "InvalidOption",
    message: /source rescan has one annotation for all, and its handler is not of enqueueAll/,
  });
  assert.throws(() => define({ watches: [watch(own(Lease), enqueueAll(ConfigMap))] }), {
    code: "InvalidOption",
    message: /source rescan annotates a Lease/,
  });
});

test("defineController refuses what no controller can run with, naming controller and option", () => {
  const wrong: readonly (readonly [Partial<ControllerOptions<ConfigMap>>, string, RegExp])[] = [
    [{ name: "Settings" }, "InvalidOption", /controller "Settings": its name must be lower-case/],
    [{ name: "s".repeat(64) }, "InvalidOption", /: its name must be .*, at most 63$/],
    [{ for: undefined as never }, "InvalidOption", /controller "": `for` is no resource/],
    [{ reconcile: undefined as never }, "InvalidOption", /controller "configmap": it has no `reconcile`/],
    [
      { watches: [{ name: "bare" } as never] },
      "InvalidOption",
      /: `watches` holds what is no watch, make each with watch/,
    ],
    [
      { watches: { source: {}, handler: () => [] } as never },
      "InvalidOption",
      /: `watches` is no list, give \[watch\(source, handler\)\]$/,
    ],
    [{ concurrency: 0 }, "InvalidOption", /controller "configmap": concurrency is 0, give a whole number/],
    [{ namespaceConcurrency: 0 }, "InvalidOption", /: namespaceConcurrency is 0/],
    [{ maxAttempts: 1.5 }, "InvalidOption", /: maxAttempts is 1\.5/],
    [{ handlerAttempts: -1 }, "InvalidOption", /: handlerAttempts is -1/],
    [{ resync: -1 }, "InvalidDuration", /controller "configmap": resync is -1, give a number of milliseconds/],
    [{ backoff: { initial: "-5s" } }, "InvalidDuration", /: backoff\.initial is "-5s"/],
    [{ backoff: { max: Number.NaN } }, "InvalidDuration", /: backoff\.max is NaN/],
  ];
  for (const [options, code, message] of wrong) assert.throws(() => define(options), { code, message });
});
