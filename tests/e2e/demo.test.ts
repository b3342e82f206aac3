import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { type Demo, type Outcome, outcomesOf, startDemo } from "@farwatch/example-demo";
import { locateBinaries } from "@farwatch/testing";
import { createClient, formatTime, loadConfig, systemClock } from "farwatch";
import { StorageBucket } from "storage-bucket";
import { eventually } from "../eventually.ts";
import { type ChildProgram, nodeCommand, startCommand } from "./child-program.ts";

const run = promisify(execFile);

/** `npm run -s demo -- ARGS`, without npm. */
function startDemoProgram(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<ChildProgram> {
  const [command = "", ...rest] = nodeCommand("../../examples/demo/src/main.ts");
  return startCommand({ command, args: [...rest, ...args], ...(env !== undefined && { env }) });
}

const expected: readonly (readonly [name: string, available: boolean, reason: string])[] = [
  ["healthy", true, "Available"],
  ["missing", false, "BucketNotFound"],
  ["wrong-secret", false, "InvalidCredentials"],
  ["no-permission", false, "AccessDenied"],
  ["refused", false, "ConnectionRefused"],
  ["silent", false, "Timeout"],
];

const modes = [
  { name: "demo", args: [] },
  { name: "demo --real", args: ["--real"] },
] as const;

function assertOutcomes(stdout: string, startedAt: string): void {
  const outcomes = JSON.parse(stdout) as readonly Outcome[];
  assert.deepEqual(
    outcomes.map(({ namespace, name, available, reason }) => [namespace, name, available, reason]),
    expected.map((outcome) => ["default", ...outcome]),
  );
  for (const { name, lastProbeTime } of outcomes) {
    assert.ok(lastProbeTime !== null && lastProbeTime >= startedAt, `${name} was probed at ${lastProbeTime}`);
  }
}

for (const { name, args } of modes) {
  test(`${name} --once --json gives the six outcomes, each probed after its start, and ends with 0`, async () => {
    const startedAt = formatTime(systemClock.now());
    await using demo = await startDemoProgram([...args, "--once", "--json"]);
    const { code } = await demo.ended("120s");
    assert.equal(code, 0, demo.stderr);
    assertOutcomes(demo.stdout, startedAt);
    assert.match(demo.stderr, /^First status \d+\.\d s after the start\./m);
  });
}

test("demo needs nothing but Node: no Go, no binaries, no cache", async () => {
  await using place = await temporary();
  const startedAt = formatTime(systemClock.now());
  const { folder } = place;
  await using demo = await startDemoProgram(["--once", "--json"], {
    PATH: "",
    HOME: folder,
    TMPDIR: folder,
    XDG_CACHE_HOME: folder,
  });
  const { code } = await demo.ended();
  assert.equal(code, 0, demo.stderr);
  assertOutcomes(demo.stdout, startedAt);
  assert.deepEqual(await readdir(folder), []);
});

/** The command lines of running processes that name the folder. */
async function processesOf(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.includes(folder)) found.push(command.replaceAll("\0", " "));
  }
  return found;
}

/** A folder in which a demo keeps all its own ones, so that what it leaves behind can be seen. */
async function temporary(): Promise<AsyncDisposable & { readonly folder: string; readonly env: NodeJS.ProcessEnv }> {
  const folder = await mkdtemp(join(tmpdir(), "farwatch-demo-"));
  return {
    folder,
    env: { ...process.env, TMPDIR: folder },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function assertLeavesNothing(demo: ChildProgram, folder: string): Promise<void> {
  const { code, signal } = await demo.ended();
  assert.deepEqual([code, signal], [0, null], demo.stderr);
  assert.deepEqual(await processesOf(folder), []);
  // The folders are the reaper's to remove, when the demo is too late; it ends a moment after the demo.
  await eventually("an empty folder", async () => (await readdir(folder)).length === 0);
}

/** How many processes the servers and the operator of a demo are. */
const processes = { demo: 0, "demo --real": 4 } as const;

for (const { name, args } of modes) {
  test(`${name} shows a live table until Ctrl-C, which stops every server and leaves nothing behind`, async () => {
    await using place = await temporary();
    await using demo = await startDemoProgram(args, place.env);
    const isWhole = (): boolean => expected.every(([, , reason]) => demo.stdout.includes(reason));
    await eventually("the whole table", isWhole, { within: "120s" });
    const running = await processesOf(place.folder);
    assert.equal(running.length, processes[name], `besides the demo itself there run ${running.join("\n")}`);
    const [, metrics = ""] = /^Metrics: +(\S+)$/m.exec(demo.stderr) ?? [];
    assert.match(await (await fetch(metrics)).text(), /^controller_runtime_reconcile_total\{/m);

    demo.kill("SIGINT");
    await assertLeavesNothing(demo, place.folder);
  });
}

test("demo --real that meets Ctrl-C while its servers start leaves nothing behind", async () => {
  await using place = await temporary();
  await using demo = await startDemoProgram(["--real"], place.env);
  await eventually("its first server", () => demo.stderr.includes("Starting kube-apiserver"));
  await eventually("the server's process", async () => (await processesOf(place.folder)).length > 0);
  demo.kill("SIGINT");
  await assertLeavesNothing(demo, place.folder);
});

test("demo --once --keep leaves its servers until Ctrl-C, and then kubeconfig and log", async () => {
  await using place = await temporary();
  await using demo = await startDemoProgram(["--once", "--keep"], place.env);
  await eventually("the outcome", () => demo.stderr.includes("Servers stay until Ctrl-C."));
  const [, kubeconfig = ""] = /KUBECONFIG=(\S+) /.exec(demo.stderr) ?? [];
  await using client = createClient({ config: loadConfig({ kubeconfig }) });
  assert.equal((await client.list(StorageBucket, { namespace: "default" })).length, expected.length);
  demo.kill("SIGINT");
  assert.deepEqual((await demo.ended()).code, 0);
  const [kept = ""] = await readdir(place.folder);
  assert.deepEqual((await readdir(join(place.folder, kept))).toSorted(), ["kubeconfig", "operator.log"]);
});

function healthy(demo: Demo): Promise<Outcome> {
  return outcomesOf(demo, new AbortController().signal).then(([first]) => first ?? assert.fail());
}

for (const { name, args } of modes) {
  test(`${name}: the healthy bucket turns to ConnectionRefused when its server is killed, and back after its restart`, async () => {
    await using demo = await startDemo({ real: args.length > 0, log: () => {}, signal: new AbortController().signal });
    await eventually("the healthy bucket", async () => (await healthy(demo)).available === true, { within: "60s" });

    const { kubectl } = await locateBinaries(["kubectl"]);
    const env = { ...process.env, KUBECONFIG: demo.kubeconfigFile };
    const { stdout } = await run(kubectl, ["get", "storagebuckets", "healthy"], { env });
    const [head = "", row = ""] = stdout.split("\n").map((line) =>
      line
        .split(/\s{2,}/)
        .map((cell) => cell.trim())
        .join("|"),
    );
    assert.equal(head, "NAME|BUCKET|AVAILABLE|REASON|LAST PROBE|AGE");
    assert.match(row, /^healthy\|photos\|true\|Available\|/);

    const { probe } = (await demo.client.get(StorageBucket, { namespace: "default", name: "healthy" })).spec;
    // Each probe is written: how many it took is exact on a machine of any speed.
    const shown = ["available", "lastProbe.reason", "consecutiveFailures", "consecutiveSuccesses"];
    const columns = `jsonpath=${shown.map((path) => `{.status.${path}}`).join(" ")}{"\\n"}`;
    await using versions = await startCommand({
      command: kubectl,
      args: ["get", "storagebuckets", "healthy", "--watch", "-o", columns],
      env,
    });
    const first = (available: boolean, after = 0): Promise<string> =>
      eventually(`a version with available ${available}`, () =>
        versions.stdout
          .split("\n")
          .slice(after, -1)
          .find((line) => line.startsWith(`${available} `)),
      );
    await first(true);
    demo.s3.kill();
    assert.equal(await first(false), `false ConnectionRefused ${probe.failureThreshold} 0`);
    const down = versions.stdout.split("\n").length - 1;
    await demo.s3.restart();
    assert.equal(await first(true, down), `true Available 0 ${probe.successThreshold}`);
  });
}

test("demo --real without binaries and Go ends with 2 and says what is missing", async () => {
  const cache = await mkdtemp(join(tmpdir(), "farwatch-no-binaries-"));
  try {
    await using demo = await startDemoProgram(["--real", "--once", "--json"], {
      PATH: "",
      XDG_CACHE_HOME: cache,
      HOME: cache,
    });
    const { code } = await demo.ended();
    assert.deepEqual(
      [code, demo.stdout, demo.stderr],
      [
        2,
        "",
        "Cannot find etcd, kube-apiserver: not in the cache folder, and there is no Go to build with; install Go 1.26 or later, or set KUBEBUILDER_ASSETS to a folder that holds them\n",
      ],
    );
  } finally {
    await rm(cache, { recursive: true });
  }
});

test("demo given an unknown option, or --json without --once, says so", async () => {
  await using unknown = await startDemoProgram(["--wrong"]);
  assert.equal((await unknown.ended()).code, 1);
  assert.equal(unknown.stderr, "error: unknown option '--wrong'\n(add --help for the options)\n");
  await using alone = await startDemoProgram(["--json"]);
  assert.equal((await alone.ended()).code, 1);
  assert.equal(alone.stderr, "error: option '--json' needs '--once'\n(add --help for the options)\n");
});
