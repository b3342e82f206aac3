import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { reapProcess } from "@farwatch/testing";
import { systemClock } from "farwatch";
import type { Kubectl, Transcript } from "./transcript.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export interface SessionOptions {
  /** Where the session keeps its files: kubectl's cache, and what the commands write. */
  readonly folder: string;
  /** Of an administrator of the API server. */
  readonly kubeconfigFile: string;
  readonly binary: string;
  /** The default namespace; the session creates it. */
  readonly namespace: string;
}

/**
 * Runs every command of a transcript in a shell that finds this `kubectl` first, in a namespace of its own whose name is in
 * $NS, and gives what was printed, without what differs from run to run.
 */
export async function replay(transcript: Transcript, which: Kubectl, options: SessionOptions): Promise<Transcript> {
  const shell = await openShell(options);
  // What controllers put into a namespace comes a moment after it.
  const furnished = "kubectl get serviceaccount/default configmap/kube-root-ca.crt";
  await shell(`kubectl create namespace ${options.namespace}; until ${furnished}; do sleep 0.05; done`);
  const sections: Transcript[number][] = [];
  for (const { title, steps } of transcript) {
    const done: (typeof steps)[number][] = [];
    for (const { command, output } of steps)
      done.push({ command, output: { ...output, [which]: await shell(command) } });
    sections.push({ title, steps: done });
  }
  return sections;
}

async function openShell(options: SessionOptions): Promise<(command: string) => Promise<string>> {
  const { folder, binary, namespace } = options;
  await mkdir(join(folder, "bin"), { recursive: true });
  await symlink(binary, join(folder, "bin", "kubectl"));
  const kubeconfig = JSON.parse(await readFile(options.kubeconfigFile, "utf8"));
  for (const { context } of kubeconfig.contexts) context.namespace = namespace;
  await writeFile(join(folder, "kubeconfig"), JSON.stringify(kubeconfig));
  const env = {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    HOME: folder,
    TMPDIR: folder,
    TZ: "UTC",
    // It lives for a tenth of a second, a third of which it would spend on garbage.
    GOGC: "off",
    KUBECONFIG: join(folder, "kubeconfig"),
    NS: namespace,
    FIXTURES: here("./fixtures"),
  };
  const prelude = `exec 2>&1 </dev/null; . ${here("./prelude.sh")}\n`;
  return async (command) => {
    const child = spawn("bash", ["-c", prelude + command], {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    using _reaping = reapProcess(child.pid as number);
    // What the command left running holds the pipe, and so the end of this step.
    using _limit = systemClock.schedule("30s", () => process.kill(-(child.pid as number), "SIGKILL"));
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      printed += part;
    });
    const [code, signal] = await once(child, "close");
    const ending = signal === null ? `exit ${code}` : `${signal} after 30 s`;
    return normalise(printed.trimEnd() + (ending === "exit 0" ? "" : `\n[${ending}]`), options);
  };
}

const everyRun: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UID"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "TOKEN"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| \+0000 UTC)/g, "TIME"],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, "TIME"],
  [/((?:resourceVersion|Resource Version)[\\"]*[:=] *[\\"]*)\d+/g, "$1VERSION"],
  [/\b10\.0\.0\.\d+/g, "CLUSTER-IP"],
  [/kubectl-edit-\d+/g, "kubectl-edit"],
  [/https?:\/\/127\.0\.0\.1:\d+/g, "SERVER"],
  [/(?<=\s)(?:\d+m)?\d+s(?=\s|\)|$)/gm, "AGE"],
  [/<invalid>/g, "AGE"],
  // kubectl's own log of a watch that it gave up within a second of beginning it.
  [/^I\d{4} .* reflector\.go:.*very short watch.*\n?/gm, ""],
  // Columns are as wide as their widest cell, and that may be an age.
  [/(?<=\S)(?: {2,}|\t+)/g, "  "],
  [/[ \t]+$/gm, ""],
];

function normalise(printed: string, { folder, namespace }: SessionOptions): string {
  const named = printed
    .replaceAll(folder, "FOLDER")
    .replaceAll(namespace, "NS")
    .replaceAll(here("./fixtures"), "FIXTURES");
  return everyRun.reduce((text, [pattern, name]) => text.replace(pattern, name), named).replace(/^\n+/, "");
}
