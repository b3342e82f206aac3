/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>;

/** What a metric is called and what it is about. */
export interface MetricOptions {
  /** Prometheus name: `controller_runtime_reconcile_total`. */
  readonly name: string;
  /** A sentence for whoever reads the exposed text. */
  readonly help: string;
  /** The labels that its values may carry; default: none. */
  readonly labelNames?: readonly string[];
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds, ascending. Default: controller-runtime's reconcile-time buckets. */
  readonly buckets?: readonly number[];
}

/** A count that only grows. */
export interface CounterMetric {
  /**
   * Counts `by` more; default 1. @throws CodedError `InvalidOption` for less than 0, or a label that it does not have.
   */
  add(labels?: Labels, by?: number): void;
  /** The value now; 0 when never counted. */
  read(labels?: Labels): number;
}

/** A value that goes up and down. */
export interface GaugeMetric {
  set(value: number, labels?: Labels): void;
  /** The value now; undefined when it was never set, or was removed. */
  read(labels?: Labels): number | undefined;
  /** This label set is exposed no more. */
  remove(labels?: Labels): void;
}

/** Counts values by size. */
export interface HistogramMetric {
  observe(value: number, labels?: Labels): void;
}

/**
 * Where metrics go. Asking twice for a name gives the same metric, so that whoever counts need not know who counted
 * first.
 */
export interface Metrics {
  counter(options: MetricOptions): CounterMetric;
  gauge(options: MetricOptions): GaugeMetric;
  histogram(options: HistogramOptions): HistogramMetric;
  /**
   * What was counted, set or observed under all of these labels, whatever others it carries, is exposed no more;
   * counted again it begins at 0. Left out: everything that a manager ever had stays, and grows with every controller
   * and source of another name.
   */
  forget?(labels: Labels): void;
  /** Everything in the text format that Prometheus scrapes. */
  expose(): Promise<{ readonly contentType: string; readonly body: string }>;
}
