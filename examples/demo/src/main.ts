import { Command } from "commander";
import { isCodedError, messageOf, shutdownSignal, systemClock } from "farwatch";
import { type Demo, type Outcome, outcomesOf, startDemo, unexpected } from "./demo.ts";
import { createTableView } from "./table.ts";

interface Options {
  readonly real: boolean;
  readonly once?: boolean;
  readonly json?: boolean;
  readonly keep?: boolean;
}

/** How long `--once` waits for every bucket to be probed. */
const probedWithin = "60s";

const program = new Command("npm run demo --")
  .description(
    "Runs the StorageBucket operator on a real kube-apiserver and a real S3 server on this machine, and shows what it finds.",
  )
  .option("--real", "on a real kube-apiserver, etcd and S3 server (the only way so far)", true)
  .option(
    "--once",
    "wait until every bucket has been probed, show the outcome, and end: 0 when it is as expected, else 1",
  )
  .option("--json", "with --once: print the outcome as JSON on standard output, everything else on standard error")
  .option("--keep", "leave servers running after --once until Ctrl-C, and kubeconfig and logs when it ends")
  .showHelpAfterError("(add --help for the options)");

const options = program.parse().opts<Options>();
if (options.json && !options.once) program.error("error: option '--json' needs '--once'");
const signal = shutdownSignal();
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

function introduce({ kube, operator, logFiles }: Demo): void {
  say(`Metrics:    ${operator.url}/metrics`);
  say(`Readiness:  ${operator.url}/readyz?verbose`);
  for (const [name, file] of Object.entries(logFiles)) say(`Log:        ${file} (${name})`);
  say(`Try:        KUBECONFIG=${kube.kubeconfigFile} kubectl get storagebuckets`);
  say("Ctrl-C stops everything.\n");
}

async function untilProbed(demo: Demo): Promise<readonly Outcome[]> {
  using deadline = systemClock.timeout(probedWithin, signal);
  for (;;) {
    const outcomes = await outcomesOf(demo, deadline);
    if (outcomes.every(({ reason, lastProbeTime }) => reason !== null && lastProbeTime !== null)) return outcomes;
    await systemClock.sleep(200, deadline);
  }
}

async function once(demo: Demo): Promise<void> {
  const outcomes = await untilProbed(demo);
  if (options.json) process.stdout.write(`${JSON.stringify(outcomes, undefined, 2)}\n`);
  else createTableView(process.stdout)(outcomes);
  const wrong = unexpected(outcomes, demo.scenes);
  for (const { name, available, reason } of wrong) {
    const expected = demo.scenes.find((scene) => scene.name === name)?.expected;
    say(`${name}: expected ${expected?.available}/${expected?.reason}, found ${available}/${reason}`);
  }
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

async function live(demo: Demo): Promise<void> {
  const show = createTableView(process.stdout);
  for (;;) {
    show(await outcomesOf(demo, signal));
    await systemClock.sleep("1s", signal);
  }
}

async function run(): Promise<void> {
  await using demo = await startDemo({ log: say, signal });
  introduce(demo);
  await using kept = new AsyncDisposableStack();
  if (options.keep) {
    demo.kube.keepFolder();
    demo.s3.keepFolder();
    kept.defer(() => say(`Kept: ${demo.kube.folder} (kubeconfig, logs) and ${demo.s3.folder}`));
  }
  const failed = demo.operator.ended.then((why) => {
    if (why !== undefined) throw new Error(why);
  });
  failed.catch(() => {});
  await Promise.race([options.once ? once(demo) : live(demo), failed]);
  if (options.once && options.keep) {
    say("\nServers stay until Ctrl-C.");
    await Promise.race([systemClock.sleep("24h", signal), failed]);
  }
}

try {
  await run();
} catch (error) {
  if (!signal.aborted) {
    say(messageOf(error));
    // Without servers there is no demo, which is not the demo's failure.
    process.exitCode = isCodedError(error, "NotFound") ? 2 : 1;
  }
}
