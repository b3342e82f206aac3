import { type Clock, type CrdPrinterColumn, parseTime } from "farwatch";
import type { StoredObject } from "../registry/api-object.ts";
import type { ServedKind } from "../registry/registry.ts";
import { type JsonPath, readJsonPath } from "./json-path.ts";
import { partialOf } from "./render.ts";

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
  const { clock, include, metadata, withColumns } = options;
  const columns = served.version.printerColumns;
  const nowMs = clock.now().getTime();
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: withColumns ? [nameColumn, ...columns.map(definitionOf)] : null,
    rows: objects.map((object) => ({
      cells: [object.metadata.name, ...columns.map((column) => cellOf(column, object, nowMs))],
      ...(include === "None" ? { object: null } : { object: include === "Object" ? object : partialOf(object) }),
    })),
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
    case "date": {
      const at = typeof value === "string" ? parseTime(value) : undefined;
      return at === undefined ? "<unknown>" : ageText(nowMs - at.getTime());
    }
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

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

/** A duration as kubectl's age columns show it (duration.HumanDuration): `5s`, `3m20s`, `4h5m`, `3d2h`, `400d`, `3y20d`. */
export function ageText(ageMs: number): string {
  const seconds = Math.trunc(ageMs / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const pair = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
    small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
  const minutes = Math.trunc(ageMs / minuteMs);
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ageMs / hourMs);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(ageMs / dayMs);
  if (hours < 192) return pair(days, "d", hours % 24, "h");
  if (hours < 17_520) return `${days}d`;
  const years = Math.trunc(ageMs / yearMs);
  if (hours < 70_080) return pair(years, "y", days % 365, "d");
  return `${years}y`;
}
