import { systemClock } from "farwatch";
import { describeDifferences } from "../difference.ts";
import { createExchange } from "../exchange.ts";
import { startServer } from "../server.ts";
import type { Json } from "../transcript.ts";
import { createChoice } from "./random-choice.ts";
import { collectionOf, randomKinds, widgetDefinition } from "./random-object.ts";
import { type RandomRequest, randomSequence } from "./random-request.ts";
import { type Disagreement, runSequence, type SequenceOptions, type Side } from "./sequence-run.ts";
import { shrink } from "./shrink.ts";

export interface DifferentialOptions {
  readonly seed: number;
  readonly sequences: number;
  readonly length: number;
  /** The first sequence, to repeat one. */
  readonly from: number;
  /** Stops after so many that do not look alike. */
  readonly most: number;
  readonly atOnce: number;
  readonly print: (line: string) => void;
}

/** Random sequences on both servers; gives how many sequences did not agree. */
export async function runDifferential(options: DifferentialOptions): Promise<number> {
  const { seed, sequences, length, from, most, atOnce, print } = options;
  await using real = await startServer("kube-apiserver", []);
  await using embedded = await startServer("embedded", []);
  using realExchange = createExchange(real.url, real.ca);
  using embeddedExchange = createExchange(embedded.url, embedded.ca);
  const sides: readonly [Side, Side] = [
    { exchange: realExchange, token: real.tokenOf(undefined) },
    { exchange: embeddedExchange, token: embedded.tokenOf(undefined) },
  ];
  for (const side of sides) await serveWidgets(side);

  const seen = new Set<string>();
  let disagreed = 0;
  let next = from;
  let runs = 0;
  const begun = systemClock.elapsed();
  const run = async (
    sequence: readonly RandomRequest[],
    options: Pick<SequenceOptions, "isKnown" | "toTheEnd">,
  ): Promise<Disagreement | undefined> => {
    runs += 1;
    return await runSequence(sides, sequence, { namespace: `random-${runs}`, ...options });
  };
  const worker = async (): Promise<void> => {
    for (let index = next++; index < from + sequences && seen.size < most; index = next++) {
      const sequence = randomSequence(createChoice(seed * 1_000_003 + index), length);
      const found = await run(sequence, { isKnown: (known) => seen.has(likeness(known)) });
      if (found === undefined) continue;
      disagreed += 1;
      const kind = likeness(found);
      if (seen.has(kind) || seen.size >= most) continue;
      seen.add(kind);
      const until = sequence.slice(0, found.index + 1);
      const toTheEnd = found.index >= sequence.length;
      let shown = found;
      const short = await shrink(until, async (shorter) => {
        const again = await run(shorter, { isKnown: (other) => likeness(other) !== kind, toTheEnd });
        const same = again !== undefined && again.index >= shorter.length - 1 && likeness(again) === kind;
        if (same) shown = again;
        return same;
      });
      print(`✗ sequence ${index} of seed ${seed} (--seed ${seed} --from ${index} --sequences 1)`);
      for (const request of short.slice(0, Math.min(short.length, shown.index)))
        print(
          `  ${request.method} ${request.path} ${JSON.stringify({ ...request, method: undefined, path: undefined })}`,
        );
      print(`  ${shown.request}\n    ${describeDifferences(shown.differences).replaceAll("\n", "\n    ")}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const seconds = ((systemClock.elapsed() - begun) / 1_000).toFixed(1);
  print(
    `${next >= from + sequences ? sequences : next - from} sequences of ${length} requests in ${seconds} s, ${disagreed} differed`,
  );
  return disagreed;
}

/** Differences of one cause mostly have this in common: where they are, and what is said, but for names and numbers. */
function likeness({ request, differences }: Disagreement): string {
  const telling = differences.find(({ path }) => path.endsWith(".message")) ?? differences[0];
  const words = (value: Json | undefined): string =>
    (JSON.stringify(value) ?? "nothing")
      .replace(/\\?"[^"\\]*\\?"/g, "…")
      .replace(/\d+|\b[A-Z]\w+|\b(?:[a-z]+\.)+[a-z0-9]+\b/g, "…")
      .slice(0, 120);
  const what = /^(WATCH|GET)/.exec(request)?.[1] ?? "";
  return `${what} ${telling?.path.replace(/\d+/g, "N").replace(/\["[^"]*"\]/g, "[…]")} ${words(telling?.wanted)} ${words(telling?.got)}`;
}

async function serveWidgets({ exchange, token }: Side): Promise<void> {
  const headers = {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const created = await exchange.send({ method: "POST", path, headers, body: JSON.stringify(widgetDefinition) });
  if (created.status !== 201) throw new Error(`Cannot serve widgets: ${created.status}`);
  const [first] = randomKinds;
  if (first === undefined) return;
  using limit = systemClock.timeout("30s");
  for (;;) {
    const { status } = await exchange.send({
      method: "GET",
      path: `${collectionOf(first[1], "default")}?resourceVersion=0`,
      headers,
      signal: limit,
    });
    if (status === 200) return;
    await systemClock.sleep("50ms", limit);
  }
}
