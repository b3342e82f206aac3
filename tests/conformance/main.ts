/** `npm run conformance`: the cases of tests/conformance/cases against a server, or random requests on both; see README.md. */
import { oneOf, readCommandLine, refuse, wholeNumber } from "../command-line.ts";
import type { Area } from "./area.ts";
import { loadAreas } from "./areas.ts";
import { readRecording, writeRecording } from "./recording.ts";
import { givenServer, type Server, serverNames, startServer } from "./server.ts";
import { byServer, type CaseResult, chooseCases, runSuite } from "./suite.ts";

const usage = `Usage: npm run conformance -- --server ${serverNames.join("|")} [options]
       npm run conformance -- --url URL --token TOKEN [options]
       npm run conformance -- --list [--only TEXT]
       npm run conformance -- --diff [options]

The cases of tests/conformance/cases: what a server answers must be what the real one answered when they were recorded.

  --server NAME  starts one: ${serverNames.join(", ")}
  --url URL      takes one that runs already, with --token TOKEN
  --only TEXT    cases of which this is a part of "area: name"
  --list         names the cases
  --record       writes what the real server answers to tests/conformance/recorded
  --at-once N    how many run together, default 6

  --diff         sends random sequences of requests to both servers, whose answers must be the same
  --seed N       of them all, default 1
  --sequences N  how many, default 200
  --length N     requests in each, default 50
  --from N       the first sequence, default 0; repeats one with --sequences 1
  --most N       shows that many differences of different kinds, default 1
`;
const command = { name: "npm run conformance", usage };
const { values } = readCommandLine({
  ...command,
  options: {
    server: { type: "string" },
    only: { type: "string" },
    list: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    url: { type: "string" },
    token: { type: "string" },
    "at-once": { type: "string", default: "6" },
    diff: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    sequences: { type: "string", default: "200" },
    length: { type: "string", default: "50" },
    from: { type: "string", default: "0" },
    most: { type: "string", default: "1" },
  },
});
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const number = (option: "at-once" | "from" | "length" | "most" | "seed" | "sequences", least: number): number =>
  wholeNumber(command, option, { text: values[option], least });
const serverName =
  values.server === undefined ? undefined : oneOf(command, "server", { text: values.server, words: serverNames });

async function start(areas: readonly Area[]): Promise<Server> {
  if (values.url !== undefined) return givenServer(values.url, values.token);
  if (serverName === undefined) return refuse(command, "give --server embedded, --server kube-apiserver or --url");
  return await startServer(serverName, areas);
}

/** New answers of the cases that ran; those of the others as they were; none of cases that are gone. */
async function record(all: readonly Area[], results: readonly CaseResult[]): Promise<void> {
  for (const area of all) {
    const heard = results.filter((result) => result.area === area.name && result.failure === undefined);
    if (heard.length === 0) continue;
    const recorded = readRecording(area.name);
    const entries = area.cases.flatMap(({ name }) => {
      const transcript = heard.find((result) => result.name === name)?.transcript ?? recorded[name];
      return transcript === undefined ? [] : [[name, transcript] as const];
    });
    await writeRecording(area.name, Object.fromEntries(entries));
  }
}

async function runCases(): Promise<void> {
  const all = await loadAreas();
  const chosen = chooseCases(all, values.only);
  if (chosen.length === 0) refuse(command, `no case has '${values.only}' in its name: see --list`);
  if (values.list) {
    for (const { name: area, cases } of chosen) for (const { name } of cases) print(`${area}: ${name}`);
  } else {
    if (values.record && serverName !== "kube-apiserver") {
      refuse(command, "only the real server is recorded: give --server kube-apiserver");
    }
    const atOnce = number("at-once", 1);
    const results: CaseResult[] = [];
    for (const areas of byServer(chosen)) {
      await using server = await start(areas);
      const options = { recording: values.record, atOnce };
      const onResult = ({ area, name, failure }: CaseResult): void => {
        if (failure !== undefined) print(`✗ ${area}: ${name}\n  ${failure.replaceAll("\n", "\n  ")}`);
      };
      results.push(...(await runSuite(server, areas, { ...options, onResult })));
    }
    if (values.record) await record(all, results);
    const failed = results.filter(({ failure }) => failure !== undefined).length;
    print(`${results.length - failed} passed, ${failed} failed`);
    process.exitCode = failed === 0 && results.length > 0 ? 0 : 1;
  }
}

if (values.diff) {
  const { runDifferential } = await import("./differential/differential.ts");
  const numbers = { seed: number("seed", 0), sequences: number("sequences", 1), length: number("length", 1) };
  const more = { from: number("from", 0), most: number("most", 1), atOnce: number("at-once", 1), print };
  process.exitCode = (await runDifferential({ ...numbers, ...more })) === 0 ? 0 : 1;
} else {
  await runCases();
}
