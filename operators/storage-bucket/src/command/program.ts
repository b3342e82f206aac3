import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { isCodedError } from "farwatch";
import { parseAuthority } from "../endpoint/authority.ts";
import { type AllowedEndpoint, parseAllowedEndpoint } from "../endpoint/endpoint-policy.ts";
import type { BucketEventFile } from "./bucket-event-file.ts";
import type { HttpAddress, RunOptions } from "./run-operator.ts";

/** What the process ends with: 0 asked to end, 1 failed, 2 used wrongly. */
export type ExitCode = 0 | 1 | 2;

/** As the command line gives them. */
type RunArguments = Omit<RunOptions, "bucketEvents"> & { readonly bucketEvents?: string };

export interface ProgramOutput {
  out(text: string): void;
  err(text: string): void;
}

/** Runs the command line; resolves with the exit code when the command has ended. Rejects with nothing. */
export async function runProgram(args: readonly string[], output: ProgramOutput): Promise<ExitCode> {
  try {
    await createProgram(output).parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    // Help that was asked for ends with 0; commander has said the rest already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    output.err(`storage-bucket: ${describe(error)}\n`);
    return 1;
  }
}

/** Errors of ours are sentences that say what to do; of anything else the stack matters. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? error.message : (error.stack ?? error.message);
}

function createProgram(output: ProgramOutput): Command {
  const program = new Command("storage-bucket")
    .description("Watches the health of object-storage buckets that StorageBucket objects describe.")
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .showHelpAfterError("(add --help for the options)")
    .exitOverride();

  program
    .command("run")
    .description("Runs the operator until SIGTERM or SIGINT; a second signal ends it at once.")
    .option("--kubeconfig <file>", "kubeconfig to use (default: KUBECONFIG, the pod's service account, ~/.kube/config)")
    .option("--context <name>", "context of the kubeconfig")
    .addOption(
      new Option(
        "--namespace <name>",
        "the namespace whose StorageBuckets and Secrets are read (default: the pod's own, or the kubeconfig's)",
      ).conflicts("allNamespaces"),
    )
    .option(
      "--all-namespaces",
      "read StorageBuckets and Secrets of every namespace: whoever takes over the operator then reads every Secret",
    )
    .addOption(
      new Option(
        "--allow-endpoint <target>",
        "let buckets of a namespace name an endpoint at a private or loopback address: NAMESPACE=CIDR or NAMESPACE=host[:port], with * for every namespace; may be repeated",
      )
        .argParser((value: string, before: readonly AllowedEndpoint[]) => [...before, allowedEndpoint(value)])
        .default([], "none"),
    )
    .addOption(new Option("--concurrency <number>", "probes at the same time").argParser(wholeNumber).default(64))
    .addOption(
      new Option(
        "--namespace-concurrency <number>",
        "of these for buckets of one namespace (default: a quarter with --all-namespaces, else all)",
      ).argParser(wholeNumber),
    )
    .addOption(
      new Option("--namespace-probes-per-second <number>", "probes a second of all buckets of a namespace")
        .argParser(rate)
        .default(200),
    )
    .addOption(
      new Option("--endpoint-probes-per-second <number>", "probes a second of an endpoint with one Secret")
        .argParser(rate)
        .default(200),
    )
    .addOption(
      new Option(
        "--http-address <host:port>",
        "where to serve /metrics, /healthz, /livez, /readyz and /debug/sources (default: 0.0.0.0:8080 in a cluster, nowhere elsewhere)",
      ).argParser(httpAddress),
    )
    .option("--leader-elect", "take part in leader election (default: in a cluster)")
    .option("--no-leader-elect", "run without leader election")
    .option(
      "--lease-namespace <name>",
      "namespace of the Lease storage-bucket (default: the pod's own; outside a cluster that of --namespace, or the kubeconfig's)",
    )
    .option(
      "--bucket-events <file>",
      "JSON that says which buckets' events come from where (webhook, SNS, SQS, NATS, JetStream): StorageBuckets that name such a bucket are probed at once",
    )
    .addOption(
      new Option(
        "--ingress-address <host:port>",
        "where senders of bucket events reach this process (default: nowhere)",
      ).argParser(httpAddress),
    )
    .option(
      "--ingress-tls <folder>",
      "TLS for it: tls.crt and tls.key, and ca.crt where senders have certificates; read again every minute (default: plain HTTP, for a proxy in the same pod)",
    )
    .addOption(
      new Option("--log-level <level>", "least level to log")
        .choices(["debug", "info", "warn", "error"])
        .default("info"),
    )
    .addHelpText(
      "after",
      "\nEnds with 0 when it was asked to end, 1 when it failed, 2 when an option, or the file of --bucket-events, is wrong.",
    )
    .action(async ({ bucketEvents: file, ...options }: RunArguments, command: Command) => {
      const wrong = checkIngress(file, options);
      if (wrong !== undefined) command.error(`error: ${wrong}`);
      const bucketEvents = file === undefined ? undefined : await bucketEventsOf(file, options, command);
      // Loaded when it is wanted, so that help and usage errors come at once.
      const { runOperator } = await import("./run-operator.ts");
      await runOperator({ ...options, bucketEvents });
    });

  program
    .command("crd")
    .description("Prints the CustomResourceDefinition as YAML, for kubectl apply -f -")
    .action(async () => {
      const { crdYaml } = await import("./crd-yaml.ts");
      output.out(crdYaml());
    });

  return program;
}

/** Why options of the ingress would be of no effect. */
function checkIngress(file: string | undefined, { ingressAddress, ingressTls }: RunOptions): string | undefined {
  if (ingressAddress !== undefined && file === undefined)
    return "option '--ingress-address <host:port>' is of no use without option '--bucket-events <file>'";
  if (ingressTls !== undefined && ingressAddress === undefined)
    return "option '--ingress-tls <folder>' is of no use without option '--ingress-address <host:port>'";
  return undefined;
}

/** What the file says; where it is wrong the command ends, as for any option that is. */
async function bucketEventsOf(
  file: string,
  { ingressAddress }: RunOptions,
  command: Command,
): Promise<BucketEventFile> {
  const { readBucketEventFile } = await import("./bucket-event-file.ts");
  try {
    const read = await readBucketEventFile(file);
    if (!read.needsIngress || ingressAddress !== undefined) return read;
    return command.error(
      `error: some events of option '--bucket-events ${file}' come by HTTP, say where with option '--ingress-address <host:port>'`,
    );
  } catch (error) {
    if (!isCodedError(error, "InvalidConfig")) throw error;
    return command.error(`error: ${error.message}`);
  }
}

function allowedEndpoint(value: string): AllowedEndpoint {
  const allowed = parseAllowedEndpoint(value);
  if (allowed !== undefined) return allowed;
  throw new InvalidArgumentError(
    "Give NAMESPACE=CIDR or NAMESPACE=host[:port], such as storage=10.0.0.0/8 or default=minio.store.svc:9000.",
  );
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError("Give a whole number of at least 1.");
  return number;
}

function rate(value: string): number {
  const number = Number(value);
  if (!/^\d+(\.\d+)?$/.test(value) || number < 0.001 || number > 1_000_000)
    throw new InvalidArgumentError("Give a number from 0.001 to 1000000.");
  return number;
}

function httpAddress(value: string): HttpAddress {
  const authority = parseAuthority(value.startsWith(":") ? `0.0.0.0${value}` : value);
  if (authority?.port === undefined) throw new InvalidArgumentError("Give host:port, such as 0.0.0.0:8080.");
  return { host: authority.host, port: authority.port };
}
