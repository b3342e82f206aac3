import { accessColumns } from "./access-column.ts";
import { clusterColumns } from "./cluster-column.ts";
import type { BuiltInColumns, ColumnsByKind } from "./column.ts";
import { networkColumns } from "./network-column.ts";
import { podColumns } from "./pod-column.ts";
import { storageColumns } from "./storage-column.ts";
import { workloadColumns } from "./workload-column.ts";

const columns: ColumnsByKind = {
  ...accessColumns,
  ...clusterColumns,
  ...networkColumns,
  ...podColumns,
  ...storageColumns,
  ...workloadColumns,
};

const createdAt: BuiltInColumns = {
  names: ["Created At:date"],
  cells: ({ object }) => [object.metadata.creationTimestamp],
};

/** The columns of a built-in kind; of one without any of its own the time of creation. */
export function builtInColumns(group: string, kind: string): BuiltInColumns {
  return columns[`${group}/${kind}`] ?? createdAt;
}
