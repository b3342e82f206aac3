import { CodedError } from "../error/coded-error.ts";
import type { Labels } from "./metrics.ts";

/** The values of one metric, by label set. */
export interface Series {
  get(labels?: Labels): number | undefined;
  set(value: number, labels?: Labels): void;
  /** From 0 where there is none. */
  add(by: number, labels?: Labels): void;
  remove(labels?: Labels): void;
  /** Takes away all that carry these labels, perhaps beside others; gives their label sets. */
  forget(labels: Labels): readonly Labels[];
  entries(): Iterable<{ readonly labels: Labels; readonly value: number }>;
}

/**
 * Every method throws CodedError `InvalidOption` for a label that the metric does not have; `set` and `add` for a value
 * that is none.
 */
export function createSeries(metric: string, labelNames: readonly string[]): Series {
  const values = new Map<string, { readonly labels: Labels; value: number }>();

  const keyOf = (labels: Labels): string => {
    checkLabels(metric, labelNames, labels);
    let key = "";
    for (const name of labelNames) key += `${labels[name] ?? ""}\u0000`;
    return key;
  };
  const entryOf = (labels: Labels): { value: number } => {
    const key = keyOf(labels);
    let entry = values.get(key);
    if (entry === undefined) {
      entry = { labels, value: 0 };
      values.set(key, entry);
    }
    return entry;
  };

  return {
    get: (labels = {}) => values.get(keyOf(labels))?.value,
    set(value, labels = {}): void {
      checkValue(metric, value);
      entryOf(labels).value = value;
    },
    add(by, labels = {}): void {
      checkValue(metric, by);
      entryOf(labels).value += by;
    },
    remove(labels = {}): void {
      values.delete(keyOf(labels));
    },
    forget(labels): readonly Labels[] {
      const asked = Object.entries(labels);
      const found = [...values].filter(([, entry]) => asked.every(([name, value]) => entry.labels[name] === value));
      for (const [key] of found) values.delete(key);
      return found.map(([, entry]) => entry.labels);
    },
    entries: () => values.values(),
  };
}

/** @throws CodedError `InvalidOption` for a label that is not among the names. */
function checkLabels(metric: string, labelNames: readonly string[], labels: Labels): void {
  for (const label in labels) {
    if (labelNames.includes(label)) continue;
    const declared = labelNames.length === 0 ? "it has none" : `its labels are ${labelNames.join(", ")}`;
    throw new CodedError(
      "InvalidOption",
      `Cannot set ${metric}: it has no label ${JSON.stringify(label)}, ${declared}`,
    );
  }
}

/** @throws CodedError `InvalidOption` for a value that is not finite. */
export function checkValue(metric: string, value: number): void {
  if (Number.isFinite(value)) return;
  throw new CodedError("InvalidOption", `Cannot set ${metric}: ${value} is no finite number, give one`);
}
