import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "../resource/kind/config-map.ts";
import type { ControllerOptions } from "./controller.ts";
import { defineController } from "./define-controller.ts";

const define = (options: Partial<ControllerOptions<ConfigMap>>) =>
  defineController({ for: ConfigMap, async reconcile() {}, ...options });

test("defineController names a controller for its kind unless it has a name", () => {
  assert.equal(define({}).name, "configmap");
  assert.equal(define({ name: "settings.v2" }).name, "settings.v2");
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
    [{ concurrency: 0 }, "InvalidOption", /controller "configmap": concurrency is 0, give a whole number/],
    [{ maxAttempts: 1.5 }, "InvalidOption", /: maxAttempts is 1\.5/],
    [{ handlerAttempts: -1 }, "InvalidOption", /: handlerAttempts is -1/],
    [{ resync: -1 }, "InvalidDuration", /controller "configmap": resync is -1, give milliseconds/],
    [{ backoff: { initial: "-5s" } }, "InvalidDuration", /: backoff\.initial is "-5s"/],
    [{ backoff: { max: Number.NaN } }, "InvalidDuration", /: backoff\.max is NaN/],
  ];
  for (const [options, code, message] of wrong) assert.throws(() => define(options), { code, message });
});
