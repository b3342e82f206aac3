import type { Json } from "../transcript.ts";

/** Without ages in tables, the real server's prose about columns, and the order of several faults of one object, which the real server takes from a Go map. */
export function withoutChance(value: Json): Json {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const object = value as Readonly<Record<string, Json>>;
  if (Array.isArray(object.rows)) {
    const rows = object.rows.map((row: { readonly cells: readonly Json[] }) => ({
      ...row,
      cells: row.cells.map((cell) => (/^\d+s$/.test(String(cell)) ? "<age>" : cell)),
    }));
    const columns = object.columnDefinitions as readonly Readonly<Record<string, Json>>[] | undefined;
    const columnDefinitions = columns?.map(({ description: _prose, ...column }) => column);
    return { ...object, rows, ...(columnDefinitions && { columnDefinitions }) } as Json;
  }
  const details = object.details as { readonly causes?: readonly Json[] } | undefined;
  if (object.kind === "Status" && details?.causes !== undefined && details.causes.length > 1) {
    const causes = details.causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return {
      ...object,
      message: String(object.message).replace(/: \[.*\]$/s, ": [<causes>]"),
      details: { ...details, causes },
    };
  }
  return value;
}

/**
 * A Service that was of another type keeps the traffic policy of that type in store. The real server hides it from readers, and
 * from watches only while there are fewer than three of them.
 */
export function plainEvent(event: Json): Json {
  const { type, object } = event as { readonly type?: Json; readonly object?: Readonly<Record<string, Json>> };
  const spec = object?.spec as Readonly<Record<string, Json>> | undefined;
  if (object === undefined || object.kind !== "Service" || spec?.type !== "ExternalName")
    return withoutAddresses(event);
  const { internalTrafficPolicy: _hidden, ...shown } = spec;
  return withoutAddresses({ type: type ?? null, object: { ...object, spec: shown } });
}

/** Addresses of services are given as they come. */
export function withoutAddresses(value: Json): Json {
  const text = JSON.stringify(value)?.replaceAll(/\b10\.0\.0\.\d+\b/g, "<address>");
  return (text === undefined ? value : JSON.parse(text)) as Json;
}
