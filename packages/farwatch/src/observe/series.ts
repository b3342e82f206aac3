import { CodedError } from "../error/coded-error.ts";
import type { Labels } from "./metrics.ts";

/**
 * What one metric keeps for each label set: a number, buckets. A label object that is frozen is known again by itself,
 * so that whoever counts often keeps one.
 */
export interface Series<C> {
  /** Undefined where there is none. */
  find(labels?: Labels): C | undefined;
  /** Made where there is none. */
  at(labels?: Labels): C;
  remove(labels?: Labels): void;
  /** Takes away all that carry these labels, perhaps beside others. */
  forget(labels: Labels): void;
  entries(): Iterable<{ readonly labels: Labels; readonly cell: C }>;
}

const noLabels: Labels = Object.freeze({});

/** Every method throws CodedError `InvalidOption` for a label that the metric does not have. */
export function createSeries<C>(metric: string, labelNames: readonly string[], makeCell: () => C): Series<C> {
  const entries = new Map<string, { readonly labels: Labels; readonly cell: C }>();
  /** By frozen labels; begun anew when a cell goes. */
  let byObject = new WeakMap<Labels, C>();

  const keyOf = (labels: Labels): string => {
    checkLabels(metric, labelNames, labels);
    let key = "";
    for (const name of labelNames) key += `${labels[name] ?? ""}\u0000`;
    return key;
  };
  const make = (key: string, labels: Labels): C => {
    const cell = makeCell();
    entries.set(key, { labels: { ...labels }, cell });
    return cell;
  };

  return {
    find: (labels = noLabels) => entries.get(keyOf(labels))?.cell,
    at(labels = noLabels): C {
      const known = byObject.get(labels);
      if (known !== undefined) return known;
      const key = keyOf(labels);
      const cell = entries.get(key)?.cell ?? make(key, labels);
      if (Object.isFrozen(labels)) byObject.set(labels, cell);
      return cell;
    },
    remove(labels = noLabels): void {
      entries.delete(keyOf(labels));
      byObject = new WeakMap();
    },
    forget(labels): void {
      const asked = Object.entries(labels);
      for (const [key, entry] of entries) {
        if (asked.every(([name, value]) => entry.labels[name] === value)) entries.delete(key);
      }
      byObject = new WeakMap();
    },
    entries: () => entries.values(),
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
