import type { Clock, CrdPrinterColumn } from "farwatch";
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

export interface TableOptions {
  readonly clock: Clock;
  /** `includeObject` of the query: what stands beside the cells; default Metadata. */
  readonly include: "Metadata" | "None" | "Object";
  /** ListMeta of a list, `{ resourceVersion }` of one object. */
  readonly metadata: object;
  /** What the objects are, where that is not the served kind: a Scale. */
  readonly shownAs?: { readonly group: string; readonly kind: string } | undefined;
  /** False: the rows alone, as in the later events of a watch. */
  readonly withColumns: boolean;
}

const nameColumn: ColumnDefinition = {
  name: "Name",
  type: "string",
  format: "name",
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  priority: 0,
};

/** metav1.Table of objects: the name, then the version's printer columns. */
export function tableOf(served: ServedKind, objects: readonly StoredObject[], options: TableOptions): object {
  const { clock, include, metadata, withColumns, shownAs } = options;
  const nowMs = clock.now().getTime();
  const { definitions, cellsOf } =
    served.kind.custom && shownAs === undefined ? customColumns(served) : columnsOfBuiltIn(shownAs ?? served.kind);
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: withColumns ? definitions : null,
    rows: objects.map((object) => ({
      cells: cellsOf(object, nowMs),
      ...(include === "None" ? { object: null } : { object: include === "Object" ? object : partialOf(object) }),
    })),
  };
}

interface Columns {
  readonly definitions: readonly ColumnDefinition[];
  cellsOf(object: StoredObject, nowMs: number): readonly unknown[];
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

/** What these columns hold is said by their names. */
function columnsOfBuiltIn({ group, kind }: { readonly group: string; readonly kind: string }): Columns {
  const { names, cells, nameLast = false } = builtInColumns(group, kind);
  const definitions = names.map((text): ColumnDefinition => {
    const [, name = "", type = "string", wide] = /^([^:*]+)(?::(\w+))?(\*)?$/.exec(text) ?? [];
    return { name, type, format: "", description: "", priority: wide === undefined ? 0 : 1 };
  });
  const name = { ...nameColumn, priority: nameLast ? 1 : 0 };
  return {
    definitions: nameLast ? [...definitions, name] : [name, ...definitions],
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

const paths = new Map<string, JsonPath | undefined>();

function pathOf(text: string): JsonPath | undefined {
  if (!paths.has(text)) paths.set(text, readJsonPath(text));
  return paths.get(text);
}

function cellOf({ jsonPath, type }: CrdPrinterColumn, object: StoredObject, nowMs: number): unknown {
  const [value] = pathOf(jsonPath)?.(object) ?? [];
  if (value === undefined || value === null) return null;
  switch (type) {
    case "date":
      return sinceText(value, nowMs);
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
