import { type Clock, type CrdPrinterColumn, parseTime } from "farwatch";
import { badRequest } from "../../failure/api-error.ts";
import type { StoredObject } from "../../registry/api-object.ts";
import type { ServedKind } from "../../registry/registry.ts";
import { partialOf } from "../render.ts";
import { sinceText } from "./age-text.ts";
import { builtInColumns } from "./built-in-column.ts";
import { type JsonPath, readJsonPath } from "./json-path.ts";

/** metav1.TableColumnDefinition. */
interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** What stands beside the cells of a row. */
export type IncludeObject = "Metadata" | "None" | "Object";

export interface TableOptions {
  readonly clock: Clock;
  readonly include: IncludeObject;
  /** Of meta.k8s.io, for the table and what stands in it: `v1`. */
  readonly version: string;
  /** ListMeta of a list, `{ resourceVersion }` of one object. */
  readonly metadata: object;
  /** False: the rows alone, as in the later events of a watch. */
  readonly withColumns: boolean;
}

/** Reads `includeObject` of a query. @throws ApiError 400. */
export function readInclude(query: URLSearchParams): IncludeObject {
  const include = query.get("includeObject") ?? "";
  if (include === "") return "Metadata";
  if (include === "Metadata" || include === "None" || include === "Object") return include;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** What columns hold that no definition describes is said by their names. */
const nameColumn: ColumnDefinition = { name: "Name", type: "string", format: "name", description: "", priority: 0 };

/** metav1.Table of objects: the name, then the version's printer columns. */
export function tableOf(served: ServedKind, objects: readonly StoredObject[], options: TableOptions): object {
  const { clock, include, metadata, version, withColumns } = options;
  const nowMs = clock.now().getTime();
  const { definitions, cellsOf, conditionsOf } = served.kind.custom ? customColumns(served) : columnsOfBuiltIn(served);
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: withColumns ? definitions : null,
    rows: objects.map((object) => ({
      cells: cellsOf(object, nowMs),
      conditions: conditionsOf?.(object),
      object: beside(object),
    })),
  };

  function beside(object: StoredObject): object | null {
    if (include === "Object") return object;
    return include === "None" ? null : partialOf(object, version);
  }
}

interface Columns {
  readonly definitions: readonly ColumnDefinition[];
  cellsOf(object: StoredObject, nowMs: number): readonly unknown[];
  readonly conditionsOf?: ((object: StoredObject) => readonly object[] | undefined) | undefined;
}

function customColumns({ version: { printerColumns } }: ServedKind): Columns {
  return {
    definitions: [nameColumn, ...printerColumns.map(definitionOf)],
    cellsOf: (object, nowMs) => [
      object.metadata.name,
      ...printerColumns.map((column) => cellOf(column, object, nowMs)),
    ],
  };
}

function columnsOfBuiltIn({ kind }: ServedKind): Columns {
  const { names, cells, conditions, nameLast = false, plainName = false } = builtInColumns(kind.group, kind.kind);
  const definitions = names.map((text): ColumnDefinition => {
    const [, name = "", type = "string", wide] = /^([^:*]+)(?::(\w+))?(\*)?$/.exec(text) ?? [];
    return { name, type, format: "", description: "", priority: wide === undefined ? 0 : 1 };
  });
  const name = { ...nameColumn, ...(plainName && { format: "" }), priority: nameLast ? 1 : 0 };
  return {
    definitions: nameLast ? [...definitions, name] : [name, ...definitions],
    conditionsOf: conditions,
    cellsOf: (object, nowMs) =>
      nameLast ? cells({ object, nowMs }) : [object.metadata.name, ...cells({ object, nowMs })],
  };
}

function definitionOf({
  name,
  type,
  format = "",
  description,
  priority = 0,
  jsonPath,
}: CrdPrinterColumn): ColumnDefinition {
  return {
    name,
    type,
    format,
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
  };
}

function dateText(value: string, nowMs: number): string {
  return value === "" || parseTime(value) !== undefined ? sinceText(value, nowMs) : "<invalid>";
}

/** By column, so that they go with the definition that they stand in. */
const paths = new WeakMap<CrdPrinterColumn, JsonPath | undefined>();

function pathOf(column: CrdPrinterColumn): JsonPath | undefined {
  if (!paths.has(column)) paths.set(column, readJsonPath(column.jsonPath));
  return paths.get(column);
}

function cellOf(column: CrdPrinterColumn, object: StoredObject, nowMs: number): unknown {
  const [value] = pathOf(column)?.(object) ?? [];
  if (value === undefined || value === null) return null;
  switch (column.type) {
    case "date":
      return typeof value === "string" ? dateText(value, nowMs) : null;
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}
