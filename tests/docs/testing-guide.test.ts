import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { locateBinaries } from "@farwatch/testing";
import { readMarkdownBlocks } from "../../tools/checks/markdown-block.ts";

const run = promisify(execFile);
const blocks = readMarkdownBlocks("docs/testing.md");
let project = "";

before(async () => {
  project = await mkdtemp(join(tmpdir(), "farwatch-guide-"));
  // Node strips no types under node_modules, so the files lie elsewhere and find the packages through a link.
  await symlink(resolve("node_modules"), join(project, "node_modules"));
  await writeFile(join(project, "package.json"), '{ "type": "module" }');
  for (const { file, code } of blocks) if (file !== undefined) await writeFile(join(project, file), code);
});
after(() => rm(project, { recursive: true, force: true }));

async function environment(): Promise<NodeJS.ProcessEnv> {
  // This process is a test itself, which its children must not take themselves for.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { etcd } = await locateBinaries(["etcd", "kube-apiserver"]);
  return { ...env, KUBEBUILDER_ASSETS: dirname(etcd) };
}

test("testing guide names a file for each of its examples, and no two the same", () => {
  const files = blocks.map(({ file }) => file);
  assert.deepEqual(
    files.filter((file) => file === undefined),
    [],
  );
  assert.equal(new Set(files).size, files.length);
});

const testFiles = blocks.flatMap(({ file = "" }) => (file.endsWith(".test.ts") ? [file] : []));

test("testing guide has tests", () => {
  assert.ok(testFiles.length >= 8, testFiles.join(", "));
});

for (const file of testFiles) {
  test(`testing guide's ${file} passes as it stands`, async () => {
    const args = ["--conditions=farwatch-source", "--no-warnings", "--test", "--test-reporter=tap", file];
    const { stdout } = await run(process.execPath, args, { cwd: project, env: await environment() }).catch(
      (error: { readonly stdout: string }) => assert.fail(error.stdout),
    );
    const [, passed = "0"] = /^# pass (\d+)$/m.exec(stdout) ?? [];
    assert.ok(Number(passed) > 0, stdout);
    assert.match(stdout, /^# skipped 0$/m);
  });
}
