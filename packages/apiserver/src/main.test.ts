import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));

function run(...args: readonly string[]) {
  const conditions = process.execArgv.filter((arg) => arg.startsWith("--conditions"));
  return spawnSync(process.execPath, [...conditions, "--no-warnings", ...args], { encoding: "utf8" });
}

test("farwatch-apiserver on an older Node says which it needs, before it loads what that cannot read", () => {
  const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.4" } });`;
  const { status, stdout, stderr } = run("--import", `data:text/javascript,${encodeURIComponent(older)}`, main);
  assert.deepEqual([status, stdout, stderr], [2, "", "farwatch-apiserver needs Node 24, and this is Node 20.19.4\n"]);
});

test("farwatch-apiserver on this Node says what it can do", () => {
  const { status, stderr, stdout } = run(main, "--help");
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /farwatch-apiserver/);
});
