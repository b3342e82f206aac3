import type { Json } from "./transcript.ts";

export interface Difference {
  /** `[2].body.metadata.name` */
  readonly path: string;
  /** Undefined where there must be nothing. */
  readonly wanted: Json | undefined;
  /** Undefined where something is missing. */
  readonly got: Json | undefined;
}

/** Where two values differ; the order of keys does not matter, that of items does. */
export function differences(wanted: Json | undefined, got: Json | undefined, path = ""): readonly Difference[] {
  if (Array.isArray(wanted) && Array.isArray(got)) {
    const length = Math.max(wanted.length, got.length);
    return Array.from({ length }).flatMap((_, index) =>
      differences((wanted as readonly Json[])[index], (got as readonly Json[])[index], `${path}[${index}]`),
    );
  }
  if (isObject(wanted) && isObject(got)) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(got)]);
    return [...keys].flatMap((key) =>
      differences(own(wanted, key), own(got, key), /^[\w-]+$/.test(key) ? `${path}.${key}` : `${path}["${key}"]`),
    );
  }
  return wanted === got ? [] : [{ path, wanted, got }];
}

/** The first of them, each on lines that fit a terminal. */
export function describeDifferences(found: readonly Difference[], most = 12): string {
  const lines = found
    .slice(0, most)
    .flatMap(({ path, wanted, got }) => [path, `  wanted ${shown(wanted)}`, `  got    ${shown(got)}`]);
  if (found.length > most) lines.push(`and ${found.length - most} more`);
  return lines.join("\n");
}

function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text;
}

function own(object: Readonly<Record<string, Json>>, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
