import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { locateBinaries } from "@farwatch/testing";
import { eventually } from "../eventually.ts";
import { replay } from "./session.ts";
import { type Kubectl, kubectls, parseTranscript, type Transcript } from "./transcript.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
export const transcriptFile = (name: string): string => here(`./transcripts/${name}.txt`);

/** The names of the transcripts, without their ending. */
export async function transcriptNames(): Promise<readonly string[]> {
  return (await readdir(here("./transcripts"))).map((file) => file.replace(/\.txt$/, "")).toSorted();
}

export async function readTranscript(name: string): Promise<Transcript> {
  return parseTranscript(await readFile(transcriptFile(name), "utf8"));
}

/** An API server with what every transcript expects to find there. Disposal removes the sessions' files. */
export interface Stage extends AsyncDisposable {
  replay(name: string, which: Kubectl): Promise<Transcript>;
}

/** Takes a server that is there for this stage alone, with its controllers of garbage, namespaces and service accounts. */
export async function openStage(kubeconfigFile: string): Promise<Stage> {
  const binaries = await locateBinaries(kubectls);
  const folder = await mkdtemp(join(tmpdir(), "farwatch-kubectl-"));
  const kubectl = (...args: readonly string[]): Promise<unknown> =>
    promisify(execFile)(binaries.kubectl, [`--kubeconfig=${kubeconfigFile}`, `--cache-dir=${folder}/cache`, ...args]);
  await kubectl("create", "-f", here("./fixtures/gadget-crd.yaml"));
  await kubectl("wait", "--for=condition=Established", "--timeout=10s", "crd/gadgets.kubectl.farwatch.dev");
  // A kind that is served has no schema yet: the real server publishes it a moment later.
  await eventually("kubectl explains gadgets", () => kubectl("explain", "gadget"));
  return {
    async replay(name, which) {
      const session = `${name}-${which === "kubectl" ? "newer" : "older"}`;
      const options = { folder: join(folder, session), kubeconfigFile, binary: binaries[which], namespace: session };
      return await replay(await readTranscript(name), which, options);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
