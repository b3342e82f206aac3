import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { kubeconfigFor, locateBinaries, sharedKubeApiserver, writeKubeconfig } from "@farwatch/testing";
import {
  type ConnectedClient,
  createClient,
  type InputOf,
  isCodedError,
  loadConfig,
  Namespace,
  Secret,
} from "farwatch";
import { credentialsSecretType, StorageBucket, type StorageBucketStatus } from "storage-bucket";
import { type ChildProgram, startCommand } from "../e2e/child-program.ts";
import { eventually } from "../eventually.ts";

const execute = promisify(execFile);
export const manifest = (name: string): string =>
  fileURLToPath(new URL(`../../operators/storage-bucket/manifests/${name}.yaml`, import.meta.url));

/** The namespace that manifests/namespaced.yaml is written for. */
export const namespace = "storage";
export type SpecInput = InputOf<typeof StorageBucket>["spec"];

/** The shared API server with the operator's manifests applied by kubectl, as a user would. Disposal takes them away again. */
export interface OperatorStage extends AsyncDisposable {
  /** Of an administrator. */
  readonly client: ConnectedClient;
  /** Of the service account that the manifests make, which may do what they allow and nothing else. */
  readonly kubeconfigFile: string;
  kubectl(...args: readonly string[]): Promise<string>;
  /** Runs `storage-bucket run` as that service account. */
  startOperator(...args: readonly string[]): Promise<ChildProgram>;
  /** Creates the object, or replaces its spec. */
  bucket(name: string, spec: SpecInput): Promise<void>;
  /** Creates the Secret, or replaces its data. */
  secret(name: string, data: Readonly<Record<string, string>>, type?: string): Promise<void>;
  /** The status once it is as wanted; says what it was when it does not come to that. */
  statusOf(
    name: string,
    what: string,
    isWanted: (status: StorageBucketStatus) => boolean,
  ): Promise<StorageBucketStatus>;
}

export async function prepareStage(): Promise<OperatorStage> {
  await using undo = new AsyncDisposableStack();
  const server = sharedKubeApiserver();
  const { kubectl: command } = await locateBinaries(["kubectl"]);
  const folder = await mkdtemp(join(tmpdir(), "farwatch-operator-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execute(command, ["--kubeconfig", server.kubeconfigFile, ...args]);
    return stdout.trim();
  };
  const client = undo.use(
    createClient({ config: loadConfig({ kubeconfig: server.kubeconfigFile }), fieldManager: "suite" }),
  );

  // One that an earlier suite has made stays: without a controller manager a namespace is never gone.
  await client.create(Namespace, { metadata: { name: namespace } }).catch((error: unknown) => {
    if (!isCodedError(error, "AlreadyExists")) throw error;
  });
  const files = ["-f", manifest("crd"), "-f", manifest("namespaced")];
  undo.defer(async () => {
    await kubectl("delete", "--ignore-not-found", ...files);
  });
  await kubectl("apply", ...files);
  await eventually("the API server serves StorageBuckets", () => client.list(StorageBucket, { namespace }));

  const kubeconfigFile = join(folder, "operator.kubeconfig");
  const token = await kubectl("create", "token", "storage-bucket", "--namespace", namespace);
  await writeKubeconfig(kubeconfigFile, kubeconfigFor({ url: server.url, ca: server.ca, user: { token }, namespace }));

  const owned = undo.move();
  return {
    client,
    kubeconfigFile,
    kubectl,
    startOperator: (...args) => startOperator(kubeconfigFile, args),
    async bucket(name, spec): Promise<void> {
      await client.apply(StorageBucket, { metadata: { namespace, name }, spec });
    },
    async secret(name, data, type = credentialsSecretType): Promise<void> {
      const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
      await client.apply(Secret, { metadata: { namespace, name }, type, data: Object.fromEntries(encoded) });
    },
    async statusOf(name, what, isWanted): Promise<StorageBucketStatus> {
      let last: StorageBucketStatus | undefined;
      const look = async (): Promise<StorageBucketStatus | undefined> => {
        last = (await client.get(StorageBucket, { namespace, name })).status;
        return last !== undefined && isWanted(last) ? last : undefined;
      };
      try {
        return await eventually(`${name}: ${what}`, look);
      } catch (cause) {
        throw new Error(`The status of ${name} is ${JSON.stringify(last)}`, { cause });
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Runs `storage-bucket run` on its sources. */
function startOperator(kubeconfigFile: string, args: readonly string[]): Promise<ChildProgram> {
  const main = fileURLToPath(import.meta.resolve("storage-bucket/main"));
  return startCommand({
    command: process.execPath,
    args: ["--conditions=farwatch-source", main, "run", "--kubeconfig", kubeconfigFile, ...args],
  });
}

/** Reason, status and message of condition Available. */
export function available({ conditions }: StorageBucketStatus): {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
} {
  const condition = conditions?.find(({ type }) => type === "Available");
  if (condition === undefined) throw new Error("there is no condition Available");
  const { status, reason, message } = condition;
  return { status, reason, message };
}

/** A key pair that nobody has had before. */
export function newKeys(name: string): { readonly accessKeyId: string; readonly secretAccessKey: string } {
  return { accessKeyId: name, secretAccessKey: randomBytes(15).toString("hex") };
}
