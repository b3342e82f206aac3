import { systemClock } from "farwatch";
import { load } from "js-yaml";
import { type Difference, differences } from "../difference.ts";
import { type Exchange, readText } from "../exchange.ts";
import { createNormalizer, type Normalizer } from "../normalizer.ts";
import type { Json } from "../transcript.ts";
import { linesOf } from "../watch.ts";
import { plainEvent, withoutAddresses, withoutChance } from "./chance.ts";
import { createMemory, type Memory } from "./memory.ts";
import { collectionOf, type RandomKind, randomKinds } from "./random-object.ts";
import type { RandomRequest } from "./random-request.ts";

/** One of the two servers that must agree. */
export interface Side {
  readonly exchange: Exchange;
  readonly token: string | undefined;
}

export interface Disagreement {
  /** Of the request; `sequence.length` and above: what was found when all were done. */
  readonly index: number;
  /** As it went to the first server. */
  readonly request: string;
  readonly differences: readonly Difference[];
}

const recordedHeaders = ["content-type", "warning", "retry-after", "allow"];
const theEnd = "zz-the-end";

/** One server's part in a sequence. */
interface Voice {
  readonly side: Side;
  readonly memory: Memory;
  readonly normalizer: Normalizer;
  readonly namespace: string;
}

export interface SequenceOptions {
  /** A namespace that neither server has yet. */
  readonly namespace: string;
  /** Whether lists and watches are compared at the end; default true. */
  readonly toTheEnd?: boolean;
  /** Whether to go on after a difference that leaves both servers in the same state. */
  readonly isKnown?: (disagreement: Disagreement) => boolean;
}

interface Heard {
  /** The request, in words. */
  readonly line: string;
  readonly status: number;
  readonly answer: Json;
}

/** Sends the requests to both servers; gives the first difference that is not known. */
export async function runSequence(
  sides: readonly [wanted: Side, got: Side],
  sequence: readonly RandomRequest[],
  { namespace, toTheEnd = true, isKnown = () => false }: SequenceOptions,
): Promise<Disagreement | undefined> {
  const voices = sides.map((side): Voice => {
    return { side, memory: createMemory(namespace), normalizer: createNormalizer(), namespace };
  });
  const both = async (request: RandomRequest): Promise<readonly Heard[]> =>
    await Promise.all(voices.map((voice) => ask(voice, request)));
  const compare = (index: number, [wanted, got]: readonly Heard[]): Disagreement | undefined => {
    const found = differences(wanted?.answer, got?.answer);
    if (wanted === undefined || got === undefined || found.length === 0) return undefined;
    const disagreement = { index, request: wanted.line, differences: found };
    const isHarmless = wanted.line.startsWith("GET ") || (wanted.status >= 400 && got.status >= 400);
    return isHarmless && isKnown(disagreement) ? undefined : disagreement;
  };
  const cut = new AbortController();
  try {
    await both({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
    const watches = toTheEnd ? await Promise.all(voices.map((voice) => openWatches(voice, cut.signal))) : [];
    for (const [index, request] of sequence.entries()) {
      const found = compare(index, await both(request));
      if (found !== undefined) return found;
    }
    if (!toTheEnd) return undefined;
    for (const [offset, [, kind]] of randomKinds.entries()) {
      const found = compare(sequence.length + offset, await both({ method: "GET", path: collectionOf(kind) }));
      if (found !== undefined) return found;
    }
    for (const [, kind] of randomKinds) {
      const ends = await both({ method: "POST", path: collectionOf(kind), body: endOf(kind) });
      for (const { line, status, answer } of ends)
        if (status !== 201) throw new Error(`Cannot end a sequence: ${line} answers ${JSON.stringify(answer)}`);
    }
    const heard = await Promise.all(watches.map((streams) => Promise.all(streams.map((stream) => stream.read()))));
    // One stream after the other, since which of them is heard first is chance, and numbers are given in that order.
    const [wanted = [], got = []] = heard.map((streams, side) =>
      streams.map(
        ([path, events]) =>
          [path, events.map((event) => voices[side]?.normalizer.value(plainEvent(event)) ?? null)] as const,
      ),
    );
    for (const [index, [path, events]] of wanted.entries()) {
      const last = events.at(-1);
      if (typeof last === "string") throw new Error(`Cannot compare what is heard of ${path}: ${last}`);
      const found = differences(events, got[index]?.[1]);
      const place = sequence.length + randomKinds.length + index;
      const disagreement = { index: place, request: `WATCH ${path}`, differences: found };
      if (found.length > 0 && !isKnown(disagreement)) return disagreement;
    }
    return undefined;
  } finally {
    cut.abort();
  }
}

async function ask({ side, memory, normalizer }: Voice, asked: RandomRequest): Promise<Heard> {
  const request = memory.resolve(asked);
  const { method, query = {}, headers, body, contentType = "application/json" } = request;
  const parameters = Object.entries(query)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
    .join("&");
  const path = parameters === "" ? request.path : `${request.path}?${parameters}`;
  using limit = systemClock.timeout("60s");
  const text = body === undefined || typeof body === "string" ? (body as string | undefined) : JSON.stringify(body);
  const line = [method, path, text === undefined ? "" : contentType, headers?.accept ?? "", text ?? ""];
  const said = line.filter(Boolean).join(" ");
  try {
    const response = await side.exchange.send({
      method,
      path,
      headers: {
        ...(side.token !== undefined && { authorization: `Bearer ${side.token}` }),
        ...(text !== undefined && { "content-type": contentType }),
        ...headers,
      },
      body: text,
      signal: limit,
    });
    const answer = parsed(await readText(response.body), String(response.headers["content-type"]));
    memory.hear(request, answer);
    const { status } = response;
    // A write right after a deletion is tried on what the real server's cache still has, and warns of it, before it answers 404.
    const names = recordedHeaders.filter((name) => name !== "warning" || status !== 404);
    const kept = names.flatMap((name) => {
      const value = response.headers[name];
      return value === undefined ? [] : [[name, String(value)] as const];
    });
    const plain = withoutChance(normalizer.value(withoutAddresses(answer)));
    return { line: said, status, answer: { status, headers: Object.fromEntries(kept), body: plain } };
  } catch (error) {
    // A server that drops a request differs from one that answers.
    return { line: said, status: 0, answer: `no answer: ${(error as Error).message}` };
  }
}

interface WatchReader {
  /** What came until the object that ends a sequence. */
  read(): Promise<readonly [path: string, events: readonly Json[]]>;
}

async function openWatches({ side, namespace }: Voice, signal: AbortSignal): Promise<readonly WatchReader[]> {
  const headers = side.token === undefined ? {} : { authorization: `Bearer ${side.token}` };
  const paths = randomKinds.map(([, kind]) => `${collectionOf(kind, namespace)}?watch=1&allowWatchBookmarks=true`);
  const selected = `${paths[0]}&labelSelector=color%3Dred`;
  const all = [...paths, selected];
  return await Promise.all(
    all.map(async (path): Promise<WatchReader> => {
      const hangUp = new AbortController();
      const { body } = await side.exchange.send({
        method: "GET",
        path,
        headers,
        signal: AbortSignal.any([signal, hangUp.signal]),
      });
      const read = async (): Promise<readonly [string, readonly Json[]]> => {
        const events: Json[] = [];
        using limit = systemClock.timeout("30s");
        limit.addEventListener("abort", () => hangUp.abort());
        try {
          for await (const line of linesOf(body)) {
            const event = JSON.parse(line) as {
              readonly type: string;
              readonly object: { readonly metadata?: { readonly name?: string } };
            };
            if (event.object.metadata?.name === theEnd) return [path, events];
            if (event.type !== "BOOKMARK") events.push(event as unknown as Json);
          }
        } catch (error) {
          if (!limit.aborted) throw error;
          return [path, [...events, "the watch fell silent before the end"]];
        }
        return [path, [...events, "the watch ended early"]];
      };
      return { read };
    }),
  );
}

function endOf({ apiVersion, kind }: RandomKind): unknown {
  const specs: Readonly<Record<string, unknown>> = {
    Deployment: {
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "a" }] } },
    },
    Service: { type: "ExternalName", externalName: "example.com" },
  };
  return {
    apiVersion,
    kind,
    metadata: { name: theEnd, labels: { color: "red" } },
    ...(kind in specs && { spec: specs[kind] }),
  };
}

/** JSON or YAML as what it says, anything else as it is. */
function parsed(text: string, contentType: string): Json {
  try {
    return (contentType.startsWith("application/yaml") ? load(text) : JSON.parse(text)) as Json;
  } catch {
    return text;
  }
}
