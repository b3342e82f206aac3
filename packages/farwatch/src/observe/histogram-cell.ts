import type { Labels } from "./metrics.ts";

/** What a histogram keeps for one label set. */
export interface HistogramCell {
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[];
  /** Values up to each bound and above the one before it; those above all bounds last. */
  readonly counts: readonly number[];
  readonly sum: number;
  observe(value: number): void;
}

export function createHistogramCell(bounds: readonly number[]): HistogramCell {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    bounds,
    counts,
    get sum() {
      return sum;
    },
    observe(value): void {
      let at = 0;
      while (at < bounds.length && value > (bounds[at] as number)) at += 1;
      counts[at] = (counts[at] as number) + 1;
      sum += value;
    },
  };
}

/** The samples of a label set, as Prometheus has them: a bucket holds those of the buckets before it too. */
export function exposedHistogram(
  metric: string,
  { labels, cell }: { readonly labels: Labels; readonly cell: HistogramCell },
): readonly { readonly metricName: string; readonly labels: Labels; readonly value: number }[] {
  let count = 0;
  const buckets = cell.counts.map((own, at) => {
    count += own;
    return {
      metricName: `${metric}_bucket`,
      labels: { le: String(cell.bounds[at] ?? "+Inf"), ...labels },
      value: count,
    };
  });
  return [
    ...buckets,
    { metricName: `${metric}_sum`, labels, value: cell.sum },
    { metricName: `${metric}_count`, labels, value: count },
  ];
}
