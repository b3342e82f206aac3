import { Command } from "commander";
import { isCodedError, messageOf, shutdownSignal, systemClock } from "farwatch";
import { type Demo, type Outcome, outcomesOf, startDemo, unexpected } from "./demo.ts";
import { createTableView } from "./table.ts";

interface Options {
  readonly real?: boolean;
  readonly once?: boolean;
  readonly json?: boolean;
  readonly keep?: boolean;
}

/** How long the first probes may take. */
const probedWithin = "60s";

const program = new Command("npm run demo --")
  .description(
    "Runs the StorageBucket operator on a Kubernetes API server and an S3 server on this machine, and shows what it finds.",
  )
  .option(
    "--real",
    "on a real kube-apiserver, etcd and S3 server, built with Go when there are none (default: embedded ones, in this process)",
  )
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

function introduce({ title, kubeconfigFile, operator, logFiles }: Demo): void {
  say(`Running:    ${title}`);
  say(`Metrics:    ${operator.url}/metrics`);
  say(`Readiness:  ${operator.url}/readyz?verbose`);
  for (const [name, file] of Object.entries(logFiles)) say(`Log:        ${file} (${name})`);
  say(`Try:        KUBECONFIG=${kubeconfigFile} kubectl get storagebuckets`);
}

/** Says when the first bucket had a status; from here on there is something to see. */
async function firstStatus(demo: Demo): Promise<void> {
  using deadline = systemClock.timeout(probedWithin, signal);
  while ((await outcomesOf(demo, deadline)).every(({ lastProbeTime }) => lastProbeTime === null)) {
    await systemClock.sleep(10, deadline);
  }
  say(`First status ${(systemClock.elapsed() / 1_000).toFixed(1)} s after the start. Ctrl-C stops everything.\n`);
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
  await using demo = await startDemo({ real: options.real, log: say, signal });
  introduce(demo);
  await using kept = new AsyncDisposableStack();
  if (options.keep) {
    const folders = demo.keep();
    kept.defer(() => say(`Kept: ${folders.join(" and ")} (kubeconfig, logs)`));
  }
  const failed = demo.operator.ended.then((why) => {
    if (why !== undefined) throw new Error(why);
  });
  failed.catch(() => {});
  await Promise.race([firstStatus(demo), failed]);
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
