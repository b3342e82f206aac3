import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";

const commands = {
  "npm run conformance": ["tests/conformance/main.ts"],
  "npm run simulate": ["tests/simulation/main.ts"],
  "npm run kubectl:record": ["tests/kubectl/record.ts"],
  "npm run cases": ["tools/checks/cases.ts"],
  "npm run servers": ["tools/servers/main.ts"],
  "npm run contract": ["tests/setup/run-tests.ts", "--contract"],
  "npm run bench": ["bench/run.ts"],
  "npm run bench:apiserver": ["bench/apiserver.ts"],
  "npm run bench:seed": ["bench/seed.ts"],
  "npm run bench:timers": ["bench/timers.ts"],
  "npm test": ["tests/setup/run-tests.ts"],
} as const;

const conditions = process.execArgv.filter((arg) => arg.startsWith("--conditions"));

function run(command: readonly string[], ...args: readonly string[]) {
  return spawnSync(process.execPath, [...conditions, "--no-warnings", ...command, ...args], { encoding: "utf8" });
}

for (const [name, command] of Object.entries(commands)) {
  test(`${name} says what it can do, and exits 0`, () => {
    for (const help of ["--help", "-h"]) {
      const { status, stdout, stderr } = run(command, help);
      assert.deepEqual([status, stderr], [0, ""]);
      // What follows `--` is the command's own: where it takes no more than --help, nothing does.
      assert.match(stdout.split("\n", 1)[0] ?? "", new RegExp(`^Usage: ${RegExp.escape(name)}( -- .+)?$`));
    }
  });

  test(`${name} refuses what is no option of it with what there is, and exits 2`, () => {
    const { stdout: usage } = run(command, "--help");
    // Of `npm test` it is a part of a path, which no file may have yet.
    for (const wrong of name === "npm test" ? ["--nonsense"] : ["--nonsense", "nonsense"]) {
      const { status, stdout, stderr } = run(command, wrong);
      assert.deepEqual([status, stdout], [2, ""], wrong);
      assert.ok(stderr.startsWith(`${name}: `) && stderr.endsWith(`\n\n${usage}`), stderr);
      assert.match(stderr.split("\n", 1)[0] ?? "", /nonsense/);
    }
  });
}

test("A command whose reader has had enough ends without a word", async () => {
  const child = spawn(
    process.execPath,
    [...conditions, "--no-warnings", ...commands["npm run conformance"], "--list"],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  child.stdout.destroy();
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  assert.deepEqual([code, errors], [141, ""]);
});

test("Options that take a value refuse what is none of theirs, and exit 2", () => {
  const wrong: readonly (readonly [name: keyof typeof commands, args: readonly string[], why: string])[] = [
    ["npm run conformance", [], "give --server embedded, --server kube-apiserver or --url"],
    ["npm run conformance", ["--server", "no"], '--server takes embedded, kube-apiserver, and not "no"'],
    [
      "npm run conformance",
      ["--server", "embedded", "--at-once", "0"],
      '--at-once takes a whole number from 1, and not "0"',
    ],
    [
      "npm run conformance",
      ["--server", "embedded", "--record"],
      "only the real server is recorded: give --server kube-apiserver",
    ],
    [
      "npm run conformance",
      ["--server", "embedded", "--only", "no such"],
      "no case has 'no such' in its name: see --list",
    ],
    ["npm run conformance", ["--diff", "--seed", "x"], '--seed takes a whole number from 0, and not "x"'],
    ["npm run bench", [], "name a MODE, or build, or table"],
    ["npm run bench", ["sync", "--target", "no"], '--target takes replay, real, embedded, and not "no"'],
    ["npm run contract", ["nonsense", "no such"], "no source has nonsense or no such in its name"],
    ["npm run contract", ["--timeout", "0"], '--timeout takes a whole number from 1, and not "0"'],
    ["npm test", ["--at-least", "x"], '--at-least takes a whole number from 0, and not "x"'],
    ["npm run simulate", ["--seeds", "NaN"], '--seeds takes a whole number from 1, and not "NaN"'],
    ["npm run simulate", ["--seeds", "0"], '--seeds takes a whole number from 1, and not "0"'],
    ["npm run simulate", ["--seed=-1"], '--seed takes a whole number from 0, and not "-1"'],
    ["npm run simulate", ["--mutant", "no"], '--mutant takes drop-event, skip-fence, drop-requeue, and not "no"'],
  ];
  for (const [name, args, why] of wrong) {
    const { status, stderr } = run(commands[name], ...args);
    assert.deepEqual([status, stderr.split("\n", 1)[0]], [2, `${name}: ${why}`]);
  }
});
