import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
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

test("loadPackage names all packages that the source lacks, in the versions that this one works with", async () => {
  const load = (): Promise<never> => {
    const missing = new Error("Cannot find package '@nats-io/transport-node' imported from here");
    return Promise.reject(Object.assign(missing, { code: "ERR_MODULE_NOT_FOUND" }));
  };
  const alongside = ["@nats-io/jetstream"];
  await assert.rejects(loadPackage({ source: "orders", name: "@nats-io/transport-node", alongside, clock, load }), {
    code: "MissingDependency",
    message: /`npm install @nats-io\/transport-node@\^3\.4\.0 @nats-io\/jetstream@\^3\.4\.0`$/,
  });
  const manifest = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  for (const [name, range] of Object.entries(manifest.peerDependencies)) {
    // Types are for compilers: nobody loads them.
    if (name.startsWith("@types/")) continue;
    const missing = Object.assign(new Error(`Cannot find package '${name}'`), { code: "ERR_MODULE_NOT_FOUND" });
    await assert.rejects(loadPackage({ source: "orders", name, clock, load: () => Promise.reject(missing) }), (error) =>
      (error as Error).message.endsWith(`\`npm install ${name}@${range}\``),
    );
  }
});

test("loadPackage leaves what a package throws as it is, the lack of another package too", async () => {
  const other = "farwatch-no-such-package";
  for (const load of [() => import(other), () => Promise.reject(new Error("broken"))])
    await assert.rejects(loadPackage({ source: "orders", name: "pg", clock, load }), (error: Error) => {
      assert.doesNotMatch(error.message, /npm install/);
      return true;
    });
});
