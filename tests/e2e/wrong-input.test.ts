import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sharedKubeApiserver } from "@farwatch/testing";
import { type ChildProgram, type LogLine, startCommand } from "./child-program.ts";

const server = sharedKubeApiserver();
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "farwatch-wrong-input-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const main = fileURLToPath(import.meta.resolve("storage-bucket/main"));

/** Runs the StorageBucket operator's own command. */
function storageBucket(...args: readonly string[]): Promise<ChildProgram> {
  return startCommand({ command: process.execPath, args: ["--conditions=farwatch-source", main, ...args] });
}

async function kubeconfig(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

/** Runs the command to its end, and asserts how it ends and every word that it says. */
async function assertRefuses(args: readonly string[], stderr: string, code = 1): Promise<void> {
  await using program = await storageBucket(...args);
  const ending = await program.ended();
  assert.deepEqual([ending.code, program.stdout, program.stderr], [code, "", stderr]);
}

test("operator given a kubeconfig that does not exist names the file", async () => {
  const file = join(folder, "none");
  await assertRefuses(
    ["run", "--kubeconfig", file],
    `storage-bucket: Cannot read kubeconfig ${file}: it does not exist\n`,
  );
});

test("operator given a kubeconfig that is no YAML names file, line and column", async () => {
  const file = await kubeconfig("no-yaml", "apiVersion: v1\nclusters: [\n");
  await assertRefuses(
    ["run", "--kubeconfig", file],
    `storage-bucket: Cannot read kubeconfig ${file}: line 3, column 1 is broken YAML (deficient indentation)\n`,
  );
});

test("operator given a kubeconfig with a wrong field names file and field", async () => {
  const contexts = '"contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],"current-context":"a"';
  const number = await kubeconfig(
    "number",
    `{"clusters":[{"name":"a","cluster":{"server":7}}],"users":[],${contexts}}`,
  );
  await assertRefuses(
    ["run", "--kubeconfig", number],
    `storage-bucket: Cannot read kubeconfig ${number}: clusters[0].cluster.server is a number, give a string\n`,
  );
  const noUser = await kubeconfig(
    "no-user",
    `{"clusters":[{"name":"a","cluster":{"server":"https://127.0.0.1:1"}}],"users":[],${contexts}}`,
  );
  await assertRefuses(
    ["run", "--kubeconfig", noUser],
    `storage-bucket: Cannot use kubeconfig ${noUser}: it has no user "a", which contexts[0].context.user names; it has no users\n`,
  );
});

test("operator given an unknown option says so and where to look", async () => {
  await assertRefuses(["run", "--wrong"], "error: unknown option '--wrong'\n(add --help for the options)\n", 2);
});

/** The problem that the operator logs about StorageBuckets, while it goes on trying. */
async function problemOf(kubeconfigFile: string): Promise<unknown> {
  const args = ["--kubeconfig", kubeconfigFile, "--namespace", "default", "--no-leader-elect"];
  await using program = await storageBucket("run", ...args);
  const isAboutBuckets = ({ resource }: LogLine): boolean => String(resource).startsWith("storagebuckets.");
  const line = await program.said("Cache is not in step with the server", isAboutBuckets);
  assert.deepEqual([line.level, program.stderr, program.ending], ["warn", "", undefined]);
  return line.problem;
}

const cannot = "Cannot list and watch storagebuckets.storage.farwatch.dev in namespace default";

test("operator whose user may not list says which right to add", async () => {
  assert.equal(
    await problemOf(server.user("restricted").kubeconfigFile),
    `${cannot}: forbidden for User "restricted"; to allow it, add { apiGroups: ["storage.farwatch.dev"], resources: ["storagebuckets"], verbs: ["list", "watch"] } to a Role of this user in namespace "default"`,
  );
});

test("operator on a server without its CRD says which to install", async () => {
  assert.equal(
    await problemOf(server.kubeconfigFile),
    `${cannot}: the server does not have this kind; install the CustomResourceDefinition storagebuckets.storage.farwatch.dev, with version v1alpha1 served`,
  );
});
