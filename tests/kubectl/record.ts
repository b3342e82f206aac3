/** `npm run kubectl:record [-- NAME…]`: writes into transcripts/ what the real API server makes kubectl print. */
import { writeFile } from "node:fs/promises";
import { startKubeApiserver } from "@farwatch/testing";
import { readCommandLine } from "../command-line.ts";
import { openStage, readTranscript, transcriptFile, transcriptNames } from "./stage.ts";
import { formatTranscript, kubectls, type Transcript } from "./transcript.ts";

const names = await transcriptNames();
const usage = `Usage: npm run kubectl:record -- [NAME…]

Asks a real API server with both kubectls, and writes what they print into tests/kubectl/transcripts.

  NAME  ${names.join(", ")}; default: all
`;
const { positionals } = readCommandLine({ name: "npm run kubectl:record", usage, options: {}, positionals: names });
await using server = await startKubeApiserver({ controllerManager: true });
await using stage = await openStage(server.kubeconfigFile);
for (const name of positionals.length > 0 ? positionals : names) await record(name);

async function record(name: string): Promise<void> {
  const before = await readTranscript(name);
  const [newer, older] = await Promise.all(kubectls.map((which) => stage.replay(name, which)));
  const both = before.map(({ title, steps }, section) => ({
    title,
    steps: steps.map(({ command }, step) => ({
      command,
      output: {
        kubectl: outputOf(newer, section, step).kubectl,
        "kubectl-older": outputOf(older, section, step)["kubectl-older"],
      },
    })),
  }));
  await writeFile(transcriptFile(name), formatTranscript(both));
  process.stdout.write(`${name}: ${formatTranscript(before) === formatTranscript(both) ? "as it was" : "changed"}\n`);
}

function outputOf(
  transcript: Transcript | undefined,
  section: number,
  step: number,
): Transcript[number]["steps"][number]["output"] {
  const found = transcript?.[section]?.steps[step];
  if (found === undefined) throw new Error(`no step ${step} in section ${section}`);
  return found.output;
}
