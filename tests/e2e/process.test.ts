import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { Namespace, systemClock } from "farwatch";
import { eventually } from "../eventually.ts";
import { type ChildProgram, startProgram } from "./child-program.ts";
import type { LampObject } from "./lamp.ts";
import type { LampOperatorOptions } from "./programs/lamp-operator.ts";
import { serveLamps } from "./served-lamps.ts";

const suite = "process";
const { Lamp, server, client } = serveLamps(suite);

/** Makes a process the first one of a new PID namespace, as in a container without an init. */
const asPid1 = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
const [unshare = "", ...unshareArgs] = asPid1;
const trial = spawnSync(unshare, [...unshareArgs, "true"], { encoding: "utf8" });

/** Skips the test, with the reason, where this machine gives no PID namespaces; with CI=true that is a failure. */
function needsPidNamespace(t: TestContext): boolean {
  if (trial.status === 0) return true;
  const reason = `unshare is not permitted here: ${trial.error?.message ?? trial.stderr.trim()}`;
  assert.notEqual(process.env.CI, "true", reason);
  t.skip(reason);
  return false;
}

interface Contained extends AsyncDisposable {
  readonly program: ChildProgram;
  /** Reaches the operator alone, which sees itself as PID 1. */
  signal(name: NodeJS.Signals): void;
}

async function startAsPid1(namespace: string): Promise<Contained> {
  const options: LampOperatorOptions = { suite, kubeconfig: server.kubeconfigFile, namespace, identity: "pid-1" };
  const program = await startProgram("lamp-operator", options, asPid1);
  const children = `/proc/${program.pid}/task/${program.pid}/children`;
  const pid = await eventually(
    "the process that unshare starts",
    () => Number.parseInt(readFileSync(children, "utf8"), 10) || false,
  );
  return {
    program,
    signal: (name) => {
      process.kill(pid, name);
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

async function createLamp(namespace: string, mode: LampObject["spec"]["mode"]): Promise<LampObject> {
  return client.create(Lamp, { metadata: { namespace, name: mode }, spec: { mode } });
}

async function exitCode(program: ChildProgram): Promise<number | string | null> {
  const { code, signal } = await program.ended();
  return signal ?? code;
}

// B63
// Promise 13
test("operator that is PID 1 ends with 0 on SIGTERM in mid-watch and mid-reconcile, and calls nobody afterwards", async (t) => {
  if (!needsPidNamespace(t)) return;
  const namespace = "process-stop";
  await client.create(Namespace, { metadata: { name: namespace } });
  const blink = await createLamp(namespace, "blink");
  await createLamp(namespace, "hold");
  await using contained = await startAsPid1(namespace);
  const { program } = contained;
  await program.said("Holding");
  await program.said("Mapped", ({ lamp }) => lamp === "blink");

  // Events go on arriving while it stops.
  const written = new AbortController();
  const writing = (async () => {
    for (let level = 0; !written.signal.aborted; level += 1) {
      await client.patch(blink, { spec: { level } }, { unconditional: true });
    }
  })();
  const stoppedMs = systemClock.elapsed();
  contained.signal("SIGTERM");
  assert.equal(await exitCode(program), 0);
  const tookMs = systemClock.elapsed() - stoppedMs;
  written.abort();
  await writing;

  assert.ok(tookMs < 10_000, `it took ${tookMs} ms`);
  assert.equal((await program.said("Stopping")).pid, 1);
  const after = program.lines.slice(program.lines.findIndex(({ msg }) => msg === "Stopping") + 1).map(({ msg }) => msg);
  assert.deepEqual(
    after.filter((msg) => msg === "Reconcile" || msg === "Mapped"),
    [],
  );
  assert.deepEqual(after.slice(-3), ["Reconcile aborted", "Last words written", "Stopped"]);
  assert.equal(program.stderr, "");
});

// B63
for (const [name, code] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const) {
  test(`operator that is PID 1 and hangs in a reconcile ends at once, with ${code}, on a second ${name}`, async (t) => {
    if (!needsPidNamespace(t)) return;
    const namespace = `process-second-${name.toLowerCase()}`;
    await client.create(Namespace, { metadata: { name: namespace } });
    await createLamp(namespace, "linger");
    await using contained = await startAsPid1(namespace);
    const { program } = contained;
    await program.said("Lingering");
    contained.signal(name);
    await program.said("Stopping");
    assert.equal(program.ending, undefined, "it waits for the reconcile");
    contained.signal(name);
    assert.equal(await exitCode(program), code);
    assert.ok(!program.lines.some(({ msg }) => msg === "Stopped"));
  });
}
