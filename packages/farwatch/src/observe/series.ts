import { CodedError } from "../error/coded-error.ts";
import type { Labels } from "./metrics.ts";

/** The values of one metric, by label set. */
export interface Series {
  get(labels?: Labels): number | undefined;
  set(value: number, labels?: Labels): void;
  remove(labels?: Labels): void;
  entries(): Iterable<{ readonly labels: Labels; readonly value: number }>;
}

/** Every method throws CodedError `InvalidOption` for a label that the metric does not have; `set` for a value that is none. */
export function createSeries(metric: string, labelNames: readonly string[]): Series {
  const values = new Map<string, { readonly labels: Labels; readonly value: number }>();

  const keyOf = (labels: Labels): string => {
    checkLabels(metric, labelNames, labels);
    return labelNames.map((name) => labels[name] ?? "").join("\u0000");
  };

  return {
    get: (labels = {}) => values.get(keyOf(labels))?.value,
    set(value, labels = {}): void {
      checkValue(metric, value);
      values.set(keyOf(labels), { labels, value });
    },
    remove(labels = {}): void {
      values.delete(keyOf(labels));
    },
    entries: () => values.values(),
  };
}

/** @throws CodedError `InvalidOption` for a label that is not among the names. */
export function checkLabels(metric: string, labelNames: readonly string[], labels: Labels): void {
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
