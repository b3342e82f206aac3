import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "farwatch";
import { type Buildable, commandOf, ensureBuilt } from "./build.ts";

const temp = mkdtempSync(join(tmpdir(), "farwatch-bench-"));
process.env.XDG_CACHE_HOME = temp;
after(() => rmSync(temp, { recursive: true }));

/** Sources in `temp`, and one command of the shell that builds them. */
function buildable(script: string): Buildable {
  return { folder: temp, build: [["sh", "-c", script]] };
}

function logOf(what: Buildable): string {
  return readFileSync(commandOf(["$OUT/log"], what).join(""), "utf8");
}

test("ensureBuilt keeps two builds of one program beside each other, and repeats one when sources changed", async () => {
  const [quick, slow] = [buildable("echo quick >> $OUT/log"), buildable("echo slow >> $OUT/log")];
  const said: string[] = [];
  const build = async (): Promise<void> => {
    for (const what of [quick, slow]) await ensureBuilt(what, { log: (line) => said.push(line) });
  };
  writeFileSync(join(temp, "main.rs"), "one");
  await build();
  await build();
  assert.deepEqual([logOf(quick), logOf(slow), said.length], ["quick\n", "slow\n", 2]);
  writeFileSync(join(temp, "main.rs"), "two");
  await build();
  assert.deepEqual([logOf(quick), logOf(slow), said.length], ["quick\nquick\n", "slow\nslow\n", 4]);
});

test("ensureBuilt stops the build when its signal aborts, and takes nothing of it for built", async () => {
  const what = buildable("echo begun >> $OUT/log; exec sleep 1000");
  const stop = new AbortController();
  const reason = new Error("stop");
  const begun = async (): Promise<void> => {
    while (!existsSync(commandOf(["$OUT/log"], what).join(""))) await systemClock.sleep("5ms");
    stop.abort(reason);
  };
  await Promise.all([assert.rejects(ensureBuilt(what, { log: () => {}, signal: stop.signal }), reason), begun()]);
  const said: string[] = [];
  const aborted = ensureBuilt(what, { log: (line) => said.push(line), signal: stop.signal });
  await assert.rejects(aborted, reason);
  assert.equal(said.length, 1);
  assert.equal(logOf(what), "begun\n");
});

test("ensureBuilt that fails names the command and how it ended", async () => {
  const failing = ensureBuilt(buildable("exit 3"), { log: () => {} });
  await assert.rejects(failing, { message: `Cannot build ${temp}: sh ended with 3` });
});
