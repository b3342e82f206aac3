import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { readMarkdownBlocks } from "../../tools/checks/markdown-block.ts";

const run = promisify(execFile);
const pages = globSync("docs/sources/*.md").toSorted();

test("pages of sources are found", () => {
  for (const name of ["time", "code", "files"]) assert.ok(pages.includes(join("docs", "sources", `${name}.md`)), name);
});

for (const page of pages) {
  const blocks = readMarkdownBlocks(page);
  const tests = blocks.flatMap(({ file = "" }) => (file.endsWith(".test.ts") ? [file] : []));
  if (tests.length === 0) continue;
  test(`examples of ${page} pass as they stand: ${tests.join(", ")}`, async (t) => {
    const project = await mkdtemp(join(tmpdir(), "farwatch-page-"));
    try {
      // Node strips no types under node_modules, so the files lie elsewhere and find the packages through a link.
      await symlink(resolve("node_modules"), join(project, "node_modules"));
      await writeFile(join(project, "package.json"), '{ "type": "module" }');
      for (const { file, code } of blocks) if (file !== undefined) await writeFile(join(project, file), code);
      // This process is a test itself, which its children must not take themselves for.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const args = ["--conditions=farwatch-source", "--no-warnings", "--test", "--test-reporter=tap", ...tests];
      let failed = false;
      const { stdout } = await run(process.execPath, args, { cwd: project, env }).catch(
        (error: { readonly stdout: string }) => {
          failed = true;
          return error;
        },
      );
      const [missing] = /Cannot find [^\n]*; install it[^\n]*/.exec(stdout) ?? [];
      if (missing !== undefined) return t.skip(missing);
      assert.ok(!failed, stdout);
      const [, passed = "0"] = /^# pass (\d+)$/m.exec(stdout) ?? [];
      assert.ok(Number(passed) >= tests.length, stdout);
      assert.match(stdout, /^# skipped 0$/m);
    } finally {
      await rm(project, { recursive: true, force: true });
    }
  });
}
