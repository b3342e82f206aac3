import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualClock } from "../doubles/virtual-clock.ts";
import { loadPackage } from "./optional-package.ts";

const clock = createVirtualClock();

test("loadPackage gives the module of a package that is installed", async () => {
  const { default: pino } = await loadPackage({ source: "it", name: "pino", clock, load: () => import("pino") });
  assert.equal(typeof pino, "function");
});

test("loadPackage says which package is missing, for which source, and how to get it", async () => {
  const name = "farwatch-no-such-package";
  await assert.rejects(loadPackage({ source: "orders", name, clock, load: () => import(name) }), {
    code: "MissingDependency",
    message:
      "Cannot open source orders: the package farwatch-no-such-package is not installed; install it with `npm install farwatch-no-such-package`",
  });
});

test("loadPackage leaves what a package throws as it is, the lack of another package too", async () => {
  const other = "farwatch-no-such-package";
  for (const load of [() => import(other), () => Promise.reject(new Error("broken"))])
    await assert.rejects(loadPackage({ source: "orders", name: "pg", clock, load }), (error: Error) => {
      assert.doesNotMatch(error.message, /npm install/);
      return true;
    });
});
