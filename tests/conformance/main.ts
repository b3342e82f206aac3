/**
 * `npm run conformance -- --server embedded|kube-apiserver`: the cases of tests/conformance/cases against a server.
 * `--only TEXT` narrows them, `--list` names them, `--record` writes what the real server answers, `--url` and `--token` take
 * a server that runs already, `--at-once N` says how many cases run together (6).
 *
 * `npm run conformance -- --diff`: random sequences of requests on both servers, whose answers must be the same. `--seed N`,
 * `--sequences N` (200), `--length N` (50), `--from N` repeats one, `--most N` shows that many differences of different kinds.
 */
import { parseArgs } from "node:util";
import type { Area } from "./area.ts";
import { loadAreas } from "./areas.ts";
import { readRecording, writeRecording } from "./recording.ts";
import { givenServer, type Server, type ServerName, serverNames, startServer } from "./server.ts";
import { byServer, type CaseResult, chooseCases, runSuite } from "./suite.ts";

const { values } = parseArgs({
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

function isServerName(name: string | undefined): name is ServerName {
  return serverNames.some((known) => known === name);
}

async function start(areas: readonly Area[]): Promise<Server> {
  if (values.url !== undefined) return givenServer(values.url, values.token);
  if (!isServerName(values.server))
    throw new Error("Cannot run: give --server embedded, --server kube-apiserver or --url");
  return await startServer(values.server, areas);
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
  if (values.list) {
    for (const { name: area, cases } of chosen) for (const { name } of cases) print(`${area}: ${name}`);
  } else {
    if (values.record && values.server !== "kube-apiserver")
      throw new Error("Cannot record: only the real server is recorded");
    const results: CaseResult[] = [];
    for (const areas of byServer(chosen)) {
      await using server = await start(areas);
      const options = { recording: values.record, atOnce: Number(values["at-once"]) };
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
  const numbers = { seed: Number(values.seed), sequences: Number(values.sequences), length: Number(values.length) };
  const more = { from: Number(values.from), most: Number(values.most), atOnce: Number(values["at-once"]), print };
  process.exitCode = (await runDifferential({ ...numbers, ...more })) === 0 ? 0 : 1;
} else {
  await runCases();
}
