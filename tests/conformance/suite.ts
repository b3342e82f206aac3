import { createHash } from "node:crypto";
import { inspect } from "node:util";
import type { Area, ConformanceCase } from "./area.ts";
import { converse } from "./conversation.ts";
import { describeDifferences, differences } from "./difference.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import { type Recording, readRecording } from "./recording.ts";
import type { Server } from "./server.ts";
import type { Json, Transcript } from "./transcript.ts";

export interface CaseResult {
  readonly area: string;
  readonly name: string;
  readonly transcript: Transcript | undefined;
  /** Undefined when it passed. */
  readonly failure: string | undefined;
}

export interface SuiteOptions {
  /** Part of an area or a name; only such cases run. */
  readonly only?: string | undefined;
  /** Hears without comparing; only the case's own assertions may fail. */
  readonly recording?: boolean;
  /** Default 6. */
  readonly atOnce?: number;
  readonly onResult?: (result: CaseResult) => void;
}

/** Areas with controllers need another server than the rest, which they would disturb; some need one for themselves. */
export function byServer(areas: readonly Area[]): readonly (readonly Area[])[] {
  const shared = areas.filter(({ alone }) => !alone);
  const groups = [shared.filter(({ controllers }) => !controllers), shared.filter(({ controllers }) => controllers)];
  const single = areas.filter(({ alone }) => alone).map((area) => [area]);
  return [...groups, ...single].filter((group) => group.length > 0);
}

/** The areas with those cases whose `area: name` has the text. */
export function chooseCases(areas: readonly Area[], only: string | undefined): readonly Area[] {
  if (only === undefined) return areas;
  return areas
    .map((area) => ({ ...area, cases: area.cases.filter(({ name }) => `${area.name}: ${name}`.includes(only)) }))
    .filter(({ cases }) => cases.length > 0);
}

/** Runs the cases against one server, a handful at a time. Results come in the order of the files. */
export async function runSuite(
  server: Server,
  areas: readonly Area[],
  { recording = false, atOnce = 6, onResult }: SuiteOptions = {},
): Promise<readonly CaseResult[]> {
  using exchange = createExchange(server.url, server.ca);
  const work = areas.flatMap((area) => {
    const recorded = readRecording(area.name);
    return area.cases.map((testCase) => ({ area, testCase, recorded }));
  });
  const results: CaseResult[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < work.length; index = next++) {
      const item = work[index];
      if (item === undefined) return;
      const result = await runCase(server, exchange, item.area, item.testCase, recording ? undefined : item.recorded);
      results[index] = result;
      onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: areas.some(({ alone }) => alone) ? 1 : atOnce }, worker));
  return results;
}

async function runCase(
  server: Server,
  exchange: Exchange,
  area: Area,
  { name, run }: ConformanceCase,
  recorded: Recording | undefined,
): Promise<CaseResult> {
  let transcript: Transcript | undefined;
  let failure: string | undefined;
  try {
    transcript = await converse({ server, exchange, slug: slugOf(area.name, name) }, run);
    if (recorded !== undefined) failure = judge(area.name, recorded[name], transcript);
  } catch (error) {
    failure = inspect(error);
  }
  return { area: area.name, name, transcript, failure };
}

function judge(area: string, wanted: Transcript | undefined, got: Transcript): string | undefined {
  const record = `npm run conformance -- --server kube-apiserver --record --only "${area}: "`;
  if (wanted === undefined) return `It is not recorded. Record it: ${record}`;
  const requests = (transcript: Transcript): string => transcript.map(({ request }) => request).join("\n");
  const found = differences(JSON.parse(JSON.stringify(wanted)) as Json, JSON.parse(JSON.stringify(got)) as Json);
  if (found.length === 0) return undefined;
  const sameRequests = requests(wanted) === requests(got);
  const stale = sameRequests ? "" : `\nThe requests are not the recorded ones. If the case was changed: ${record}`;
  return `${describeDifferences(found.map((one) => ({ ...one, path: withRequest(one.path, wanted, got) })))}${stale}`;
}

function withRequest(path: string, wanted: Transcript, got: Transcript): string {
  const [, index = "0", rest = ""] = /^\[(\d+)\](.*)$/s.exec(path) ?? [];
  const request = wanted[Number(index)]?.request ?? got[Number(index)]?.request ?? "";
  return `step ${Number(index) + 1}, ${request}: ${rest}`;
}

/** The same in every run, a DNS label, and short enough for a group that begins with it. */
function slugOf(area: string, name: string): string {
  const words = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 30)
    .replace(/^-+|-+$/g, "");
  const hash = createHash("sha256").update(`${area}: ${name}`).digest("hex").slice(0, 6);
  return `${/^[a-z]/.test(words) ? words : `c-${words}`}-${hash}`;
}
