import type { Clock } from "farwatch";
import type { AliasEvent, Event, YAMLException } from "js-yaml";
import { isTooDeep, JsonProblem, maxJsonLevels, readJson } from "../failure/read-json.ts";
import type { RequestBody } from "../verb/resource-request.ts";

type JsYaml = typeof import("js-yaml");

/** Aliases may make this many nodes of a text that is smaller: more is an attack. */
const maxAliasedNodes = 100_000;

/**
 * Reads the first document of a text, as the real server's reader does: YAML 1.1, in which times are texts; the last of
 * duplicate keys counts.
 */
export async function readYaml(text: string, clock: Clock): Promise<RequestBody> {
  if (text.trimStart().startsWith("{")) {
    try {
      return { value: readJson(text), text };
    } catch (error) {
      // Flow style of YAML, or what its reader refuses as well.
      if (!(error instanceof JsonProblem)) throw error;
    }
  }
  const yaml = await clock.outside(import("js-yaml"));
  if (/^\t+\S/.test(text)) return { value: undefined, text, problem: `yaml: ${strayCharacter}` };
  try {
    const events = firstDocument(yaml, yaml.parseEvents(text, { maxDepth: maxJsonLevels }));
    const found = inspect(yaml, events, text);
    if (found.problem !== undefined) return { value: undefined, text, problem: `yaml: ${found.problem}` };
    const [value = null] = yaml.constructFromEvents(events, { source: text, schema: schemaOf(yaml), json: true });
    // Aliases of aliases.
    if (isTooDeep(value)) return { value: undefined, text, problem: `yaml: ${tooDeep}` };
    return { value, text, duplicates: found.duplicates };
  } catch (error) {
    if (!(error instanceof yaml.YAMLException)) throw error;
    return { value: undefined, text, problem: `yaml: ${goText(error, text)}` };
  }
}

let schema: InstanceType<JsYaml["Schema"]> | undefined;

function schemaOf(yaml: JsYaml): InstanceType<JsYaml["Schema"]> {
  schema ??= new yaml.Schema([
    yaml.strTag,
    yaml.seqTag,
    yaml.mapTag,
    yaml.nullYaml11Tag,
    yaml.boolYaml11Tag,
    yaml.intYaml11Tag,
    yaml.floatYaml11Tag,
    yaml.mergeTag,
  ]);
  return schema;
}

function firstDocument({ EVENT_ID }: JsYaml, events: Event[]): Event[] {
  let depth = 0;
  const end = events.findIndex(({ type }) => {
    if (type === EVENT_ID.POP) depth -= 1;
    else if (type !== EVENT_ID.SCALAR && type !== EVENT_ID.ALIAS) depth += 1;
    return depth === 0;
  });
  return events.slice(0, end + 1);
}

/** A collection that is being read. */
interface Open {
  /** Keys that a mapping has so far; undefined for what is no mapping. */
  readonly keys: Set<string> | undefined;
  readonly anchor: string | undefined;
  /** Nodes in it, those of aliases included. */
  nodes: number;
  /** In a mapping: whether a key comes next. */
  atKey: boolean;
}

/** Keys that stand twice, and what aliases do that must not be followed. */
function inspect(
  { EVENT_ID, getScalarValue }: JsYaml,
  events: readonly Event[],
  text: string,
): { readonly duplicates: readonly string[]; readonly problem?: string } {
  const duplicates: string[] = [];
  const lineOf = lineCounter(text);
  const open: Open[] = [];
  const sizes = new Map<string, number>();
  const count = (nodes: number): void => {
    const around = open.at(-1);
    if (around === undefined) return;
    around.nodes += nodes;
    around.atKey = !around.atKey;
  };
  for (const event of events) {
    if (event.type === EVENT_ID.DOCUMENT) continue;
    if (event.type === EVENT_ID.POP) {
      const closed = open.pop();
      if (closed === undefined) break;
      if (closed.anchor !== undefined) sizes.set(closed.anchor, closed.nodes);
      count(closed.nodes);
      continue;
    }
    const anchor = anchorOf(event as AliasEvent, text);
    if (event.type === EVENT_ID.ALIAS) {
      const name = anchor ?? "";
      if (open.some((one) => one.anchor === name)) {
        return { duplicates, problem: `anchor '${name}' value contains itself` };
      }
      count(sizes.get(name) ?? 0);
      if ((open.at(-1)?.nodes ?? 0) > maxAliasedNodes) {
        return { duplicates, problem: "document contains excessive aliasing" };
      }
    } else if (event.type === EVENT_ID.SCALAR) {
      const around = open.at(-1);
      if (around?.keys !== undefined && around.atKey) {
        const key = getScalarValue(text, event);
        if (around.keys.has(key)) {
          duplicates.push(`line ${lineOf(event.valueStart)}: key ${JSON.stringify(key)} already set in map`);
        }
        around.keys.add(key);
      }
      if (anchor !== undefined) sizes.set(anchor, 1);
      count(1);
    } else {
      const keys = event.type === EVENT_ID.MAPPING ? new Set<string>() : undefined;
      open.push({ keys, anchor, nodes: 1, atKey: true });
    }
  }
  return { duplicates };
}

function anchorOf(
  { anchorStart, anchorEnd }: Pick<AliasEvent, "anchorEnd" | "anchorStart">,
  text: string,
): string | undefined {
  return anchorStart === -1 ? undefined : text.slice(anchorStart, anchorEnd);
}

/** Gives the line of a place; places are asked for in the order in which they stand. */
function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (at) => {
    for (; next !== -1 && next < at; next = text.indexOf("\n", next + 1)) line += 1;
    return line;
  };
}

const tooDeep = `exceeded max depth of ${maxJsonLevels}`;
const strayCharacter = "found character that cannot start any token";

/** What the real server's reader says where ours says something else. */
const scannerTexts: ReadonlyMap<string, string> = new Map([
  ["bad indentation of a mapping entry", "mapping values are not allowed in this context"],
  ["can not read a block mapping entry; a multiline key may not be an implicit key", "could not find expected ':'"],
  ["directives end mark is expected", "found unknown directive name"],
  ["end of the stream or a document separator is expected", strayCharacter],
  ["expected ':' after a mapping key", "could not find expected ':'"],
  [`nesting exceeded maxDepth (${maxJsonLevels})`, tooDeep],
  ["null byte is not allowed in input", "control characters are not allowed"],
  ["tab characters must not be used in indentation", strayCharacter],
  ["the stream contains non-printable characters", "control characters are not allowed"],
  ["unexpected end of the document within a double quoted scalar", "found unexpected document indicator"],
  ["unexpected end of the document within a single quoted scalar", "found unexpected document indicator"],
  ["unexpected end of the stream within a double quoted scalar", "found unexpected end of stream"],
  ["unexpected end of the stream within a single quoted scalar", "found unexpected end of stream"],
  ["unknown escape sequence", "found unknown escape character"],
]);

function goText({ reason, mark }: YAMLException, text: string): string {
  const alias = /^unidentified alias "(.*)"$/s.exec(reason)?.[1];
  if (alias !== undefined) return `unknown anchor '${alias}' referenced`;
  if (reason === "unexpected end of the stream within a flow collection") {
    const lines = text.trimEnd().split("\n").length;
    if (/[[{,]\s*$/.test(text)) return `line ${lines}: did not find expected node content`;
    const close = /[[{][^[{]*$/.exec(text)?.[0].startsWith("{") === true ? "}" : "]";
    return `line ${lines}: did not find expected ',' or '${close}'`;
  }
  const line = mark?.line ?? 0;
  return `${line === 0 ? "" : `line ${line + 1}: `}${scannerTexts.get(reason) ?? reason}`;
}
