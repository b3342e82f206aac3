/** A page of a bucket's keys. */
export interface Listing {
  readonly keys: readonly string[];
  /** What several keys have in common up to the delimiter. */
  readonly prefixes: readonly string[];
  /** Where the next page begins; undefined on the last one. */
  readonly next: PageStart | undefined;
}

export interface PageStart {
  /** After this key. */
  readonly after: string;
  /** And after all keys that begin with it. */
  readonly whole: boolean;
}

export interface ListingRequest {
  readonly prefix?: string | undefined;
  readonly delimiter?: string | undefined;
  /** Keys up to this one are left out. */
  readonly after?: string | undefined;
  /** Keys that begin with `after` are left out as well. */
  readonly whole?: boolean;
  /** Keys and prefixes together. */
  readonly limit: number;
}

/** Lists in the order of the keys' UTF-8 bytes, as all three providers do. */
export function listKeys(all: Iterable<string>, request: ListingRequest): Listing {
  const { prefix = "", delimiter = "", after, whole = false, limit } = request;
  const sorted = [...all]
    .filter((key) => key.startsWith(prefix))
    .filter((key) => after === undefined || (compareKeys(key, after) > 0 && !(whole && key.startsWith(after))))
    .sort(compareKeys);
  const keys: string[] = [];
  const prefixes: string[] = [];
  let last: PageStart | undefined;
  for (const key of sorted) {
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const common = end === -1 ? undefined : key.slice(0, end + delimiter.length);
    if (common !== undefined && common === prefixes.at(-1)) continue;
    if (keys.length + prefixes.length >= limit) return { keys, prefixes, next: limit === 0 ? undefined : last };
    if (common === undefined) keys.push(key);
    else prefixes.push(common);
    last = { after: common ?? key, whole: common !== undefined };
  }
  return { keys, prefixes, next: undefined };
}

function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function writePageToken({ after, whole }: PageStart): string {
  return Buffer.from(JSON.stringify([after, whole])).toString("base64");
}

/** Undefined for a text that `writePageToken` has not written. */
export function readPageToken(token: string): PageStart | undefined {
  try {
    const [after, whole]: readonly unknown[] = JSON.parse(Buffer.from(token, "base64").toString("utf8"));
    return typeof after === "string" && typeof whole === "boolean" ? { after, whole } : undefined;
  } catch {
    return undefined;
  }
}
