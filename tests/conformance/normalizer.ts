import { parseTime, systemClock } from "farwatch";
import type { Json } from "./transcript.ts";

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
/** Versions of the whole server, which say how busy it was and nothing else. */
const currentVersion = /(?<=current: |too old resource version: \d+ \()\d+/g;
const version =
  /(?<=ResourceVersion in (?:precondition: |object meta: |the precondition \(|record \()|[Rr]esource version: |[Rr]esourceVersion\\*"?: ?\\*")\d+/g;
type Entries = readonly Readonly<Record<string, Json>>[];
const isVersion = /^[1-9]\d*$/;
const dayMs = 86_400_000;

/**
 * Replaces what differs from run to run: uids and versions by the order in which they first appear, so that equal ones stay
 * equal; times near now; continue tokens; names made from generateName. The versions of lists and bookmarks lose their number
 * since other cases write meanwhile. What a case sent itself (a time of last year) stays.
 */
export interface Normalizer {
  value(value: Json): Json;
  /** Of an answer that is not recorded: later requests may quote its versions, tokens and names. */
  hear(value: Json): void;
  /** A request's line or a header: what answers told is replaced in it. */
  request(line: string): string;
}

export function createNormalizer(): Normalizer {
  const now = systemClock.now().getTime();
  const uids = new Map<string, string>();
  const versions = new Map<string, string>();
  const generatedNames = new Map<string, string>();
  /** What a later request may quote. */
  const quotable = new Map<string, string>();

  const numbered = (seen: Map<string, string>, what: string, literal: string): string => {
    const known = seen.get(literal) ?? `<${what} ${seen.size + 1}>`;
    seen.set(literal, known);
    return known;
  };
  const plainTime = (literal: string, fraction: string | undefined): string => {
    const at = parseTime(literal)?.getTime();
    if (at === undefined || Math.abs(at - now) > dayMs) return literal;
    return fraction === undefined ? "<time>" : "<micro time>";
  };
  const text = (literal: string): string => {
    let result = literal;
    for (const [name, plain] of generatedNames) result = result.replaceAll(name, plain);
    return result
      .replace(currentVersion, "<current version>")
      .replace(version, (found) => numbered(versions, "version", found))
      .replace(uid, (found) => numbered(uids, "uid", found))
      .replace(time, plainTime);
  };
  const metadata = (object: Readonly<Record<string, Json>>, kind: Json | undefined): Json => {
    const { resourceVersion, continue: token } = object;
    const result: Record<string, Json> = {};
    for (const [key, value] of sortedEntries(object)) {
      result[key] = normalize(key === "managedFields" && Array.isArray(value) ? inPlainOrder(value as Entries) : value);
    }
    if (typeof resourceVersion === "string" && isVersion.test(resourceVersion)) {
      result.resourceVersion = kind === "list" ? "<list version>" : numbered(versions, "version", resourceVersion);
    }
    if (typeof token === "string" && token !== "") {
      result.continue = "<continue>";
    }
    return result;
  };
  const normalize = (value: Json, kind?: Json): Json => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map((item: Json) => normalize(item));
    if (value === null || typeof value !== "object") return value;
    const object = value as Readonly<Record<string, Json>>;
    const inner = object.type === "BOOKMARK" ? "list" : kind;
    const isList = inner === "list" || (typeof object.kind === "string" && /(?:List|Table)$/.test(object.kind));
    const result: Record<string, Json> = {};
    for (const [key, item] of sortedEntries(object)) {
      const isMetadata = key === "metadata" && item !== null && typeof item === "object" && !Array.isArray(item);
      result[text(key)] = isMetadata
        ? metadata(item as Readonly<Record<string, Json>>, isList ? "list" : undefined)
        : normalize(item, key === "object" && object.type === "BOOKMARK" ? "list" : undefined);
    }
    return result;
  };
  const hear = (value: Json): void => {
    if (value === null || typeof value !== "object") return;
    const { name, generateName, resourceVersion, continue: token } = value as Readonly<Record<string, Json>>;
    if (typeof resourceVersion === "string" && isVersion.test(resourceVersion))
      quotable.set(resourceVersion, "<version>");
    if (typeof token === "string" && token !== "") quotable.set(token, "<continue>");
    if (typeof name === "string" && typeof generateName === "string" && !generatedNames.has(name)) {
      if (name.startsWith(generateName) && /^[a-z0-9]{5}$/.test(name.slice(generateName.length)))
        generatedNames.set(name, `${generateName}<suffix ${generatedNames.size + 1}>`);
    }
    // A refused object has no more than its name, and that in the refusal alone.
    const { details } = value as { readonly details?: { readonly name?: unknown } | null };
    const refused = typeof details?.name === "string" ? suffixed.exec(details.name) : null;
    if (refused !== null && !generatedNames.has(refused[0]))
      generatedNames.set(refused[0], `${refused[1]}<suffix ${generatedNames.size + 1}>`);
    for (const item of Object.values(value)) hear(item);
  };
  return {
    hear,
    value(value) {
      hear(value);
      return normalize(value);
    },
    request(line) {
      const [path = "", query] = line.split("?", 2);
      let result = path;
      for (const [name, plain] of generatedNames) result = result.replaceAll(name, plain);
      if (query === undefined) return result;
      const parameters = query.split("&").map((parameter) => {
        const at = parameter.indexOf("=");
        const [key, given] = [parameter.slice(0, at), decodeURIComponent(parameter.slice(at + 1))];
        return `${key}=${quotable.get(given) ?? text(given)}`;
      });
      return `${result}?${parameters.join("&")}`;
    },
  };
}

/** A name that the server has made: its five letters have no vowels, and no digits that look like some. */
const suffixed = /^(.*-)[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** So that numbers do not hang on the order of keys; owners of fields come last, since they only repeat uids in their keys. */
function sortedEntries(object: Readonly<Record<string, Json>>): readonly (readonly [string, Json])[] {
  const place = (key: string): string => (key === "managedFields" ? "~" : key);
  return Object.entries(object).toSorted(([a], [b]) => (place(a) < place(b) ? -1 : 1));
}

/**
 * The server orders entries by operation, second and manager, so their order tells whether two writes fell into one second.
 * Without the second it tells nothing. An order that is not the server's stays as a mark.
 */
function inPlainOrder(entries: Entries): Json {
  const compare =
    (keys: readonly string[]) => (a: Readonly<Record<string, Json>>, b: Readonly<Record<string, Json>>) => {
      const key = keys.find((each) => String(a[each] ?? "") !== String(b[each] ?? ""));
      return key === undefined ? 0 : String(a[key] ?? "") < String(b[key] ?? "") ? -1 : 1;
    };
  const byTime = entries.toSorted(compare(["operation", "time", "manager", "apiVersion", "subresource"]));
  const plain = entries.toSorted(compare(["operation", "manager", "apiVersion", "subresource"]));
  return byTime.every((entry, index) => entry === entries[index])
    ? plain
    : ["<not in the order of operation, time and manager>", ...plain];
}
