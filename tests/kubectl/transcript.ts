/** Of kubectl: the version of the API server, and one two minors older. */
export const kubectls = ["kubectl", "kubectl-older"] as const;
export type Kubectl = (typeof kubectls)[number];

/** A command, what each kubectl prints for it, and last a line `[exit N]` when it fails. */
export interface Step {
  readonly command: string;
  readonly output: Readonly<Record<Kubectl, string>>;
}

/** A sentence about kubectl, and the steps that show it. */
export interface Section {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** A session on the command line with what it printed, as a file in transcripts/ holds it. */
export type Transcript = readonly Section[];

const olderMark = "  [kubectl-older]";

/**
 * Reads a transcript: a line at the margin begins a section, `  $ ` begins a step, `  > ` goes on with its command, and what
 * else is indented was printed. After a line `  [kubectl-older]` stands what the older kubectl printed, where that differs.
 */
export function parseTranscript(text: string): Transcript {
  let blankLines = 0;
  const sections: { title: string; steps: { command: string; lines: string[]; older: string[] | undefined }[] }[] = [];
  for (const line of text.split("\n")) {
    const steps = sections.at(-1)?.steps;
    const step = steps?.at(-1);
    if (line === "") {
      blankLines += 1;
      continue;
    }
    if (!line.startsWith("  ")) sections.push({ title: line, steps: [] });
    else if (steps !== undefined && line.startsWith("  $ "))
      steps.push({ command: line.slice(4), lines: [], older: undefined });
    else if (step === undefined) throw new Error(`Cannot read a transcript: no command comes before "${line}"`);
    else if (line.startsWith("  > ")) step.command += `\n${line.slice(4)}`;
    else if (line === olderMark) step.older = [];
    else (step.older ?? step.lines).push(...Array<string>(blankLines).fill(""), line.slice(2));
    blankLines = 0;
  }
  return sections.map(({ title, steps }) => ({
    title,
    steps: steps.map(({ command, lines, older = lines }) => ({
      command,
      output: { kubectl: lines.join("\n"), "kubectl-older": older.join("\n") },
    })),
  }));
}

/** The text from which `parseTranscript` reads this transcript; with `only`, as if there were that kubectl alone. */
export function formatTranscript(transcript: Transcript, only?: Kubectl): string {
  const indented = (text: string): string[] =>
    text === "" ? [] : text.split("\n").map((line) => (line === "" ? "" : `  ${line}`));
  const step = ({ command, output }: Step): string[] => [
    `  $ ${command.replaceAll("\n", "\n  > ")}`,
    ...indented(output[only ?? "kubectl"]),
    ...(only === undefined && output.kubectl !== output["kubectl-older"]
      ? [olderMark, ...indented(output["kubectl-older"])]
      : []),
  ];
  return `${transcript.map(({ title, steps }) => [title, ...steps.flatMap(step)].join("\n")).join("\n\n")}\n`;
}
