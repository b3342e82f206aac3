import { Command, InvalidArgumentError, Option } from "commander";
import { toCrd, toYaml } from "farwatch";
import { StorageBucket } from "../resource/storage-bucket.ts";
import { type RunOptions, runOperator } from "./run-command.ts";

/** The command line of the operator. */
export function createProgram(): Command {
  const program = new Command("storage-bucket")
    .description("Watches the health of object-storage buckets that StorageBucket objects describe.")
    .showHelpAfterError("(add --help for the options)");

  program
    .command("run")
    .description("Run the operator until SIGTERM or SIGINT.")
    .option("--kubeconfig <file>", "kubeconfig to use; default: KUBECONFIG, the pod's service account, ~/.kube/config")
    .option("--context <name>", "context of the kubeconfig")
    .option("--namespace <name>", "watch this namespace alone; default: all")
    .option(
      "--allow-endpoint <NAMESPACE=target>",
      "let buckets of a namespace (* for all) name a private or loopback endpoint: a CIDR or host[:port]; may be repeated",
      (value: string, before: readonly string[]) => [...before, value],
      [],
    )
    .option("--concurrency <number>", "probes at once", wholeNumber, 64)
    .option(
      "--http-address <host:port>",
      "where to serve health and metrics; default: 0.0.0.0:8080 in a cluster, off elsewhere",
      httpAddress,
    )
    .option("--leader-elect", "take part in leader election; default: in a cluster")
    .option("--no-leader-elect", "run without leader election")
    .option("--lease-namespace <name>", "namespace of the Lease; default: --namespace, or the operator's own")
    .addOption(
      new Option("--log-level <level>", "least level to log")
        .choices(["debug", "info", "warn", "error"])
        .default("info"),
    )
    .action((options: RunOptions) => runOperator(options));

  program
    .command("crd")
    .description("Print the CustomResourceDefinition as YAML, for kubectl apply -f -")
    .action(() => {
      process.stdout.write(toYaml(toCrd(StorageBucket)));
    });

  return program;
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError("Give a whole number of at least 1.");
  return number;
}

function httpAddress(value: string): string {
  const port = /^.*:(\d{1,5})$/.exec(value)?.[1];
  if (port === undefined || Number(port) > 65_535)
    throw new InvalidArgumentError("Give host:port, such as 0.0.0.0:8080.");
  return value;
}
