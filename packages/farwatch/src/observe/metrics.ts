/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>;

export interface MetricOptions {
  /** Prometheus name: `controller_runtime_reconcile_total`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds, ascending. Default: controller-runtime's reconcile-time buckets. */
  readonly buckets?: readonly number[];
}

/** A count that only grows. */
export interface CounterMetric {
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
 * Where metrics go. Asking twice for a name gives the same metric, so that whoever counts need not know who counted first.
 */
export interface Metrics {
  counter(options: MetricOptions): CounterMetric;
  gauge(options: MetricOptions): GaugeMetric;
  histogram(options: HistogramOptions): HistogramMetric;
  /** Everything in the text format that Prometheus scrapes. */
  expose(): Promise<{ readonly contentType: string; readonly body: string }>;
}
