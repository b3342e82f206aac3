import { createRequire } from "node:module";
import type { Metric, Registry } from "prom-client";
import { CodedError } from "../error/coded-error.ts";
import { createHistogramCell, exposedHistogram } from "./histogram-cell.ts";
import type { CounterMetric, GaugeMetric, HistogramMetric, Labels, MetricOptions, Metrics } from "./metrics.ts";
import { checkValue, createSeries } from "./series.ts";

export interface MetricsOptions {
  /** Also exposes what prom-client knows of this process: memory, CPU, event-loop lag; default false. */
  readonly processMetrics?: boolean | undefined;
}

/** controller-runtime's buckets of controller_runtime_reconcile_time_seconds. */
const reconcileTimeBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

type Kind = "counter" | "gauge" | "histogram";

interface Registered {
  readonly kind: Kind;
  readonly labelNames: readonly string[];
  readonly metric: CounterMetric | GaugeMetric | HistogramMetric;
  readonly forget: (labels: Labels) => void;
}

/**
 * Metrics in a registry of their own, in Prometheus text form. Loads prom-client when called.
 *
 * Asking for a known name gives the metric that is there. Its methods throw CodedError `InvalidOption` for a label that
 * it does not have and for a value that is none.
 *
 * @throws CodedError `DuplicateName` when a name is asked for as another kind or with other labels, `InvalidOption` for
 *   a name that Prometheus does not take.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const require = createRequire(import.meta.url);
  const prom = require("prom-client") as typeof import("prom-client");
  const registry: Registry = new prom.Registry();
  if (options.processMetrics) prom.collectDefaultMetrics({ register: registry });
  const known = new Map<string, Registered>();

  const once = <M extends Registered["metric"]>(
    kind: Kind,
    asked: MetricOptions,
    make: (names: string[]) => readonly [metric: M, forget: (labels: Labels) => void],
  ): M => {
    const labelNames = [...(asked.labelNames ?? [])];
    const there = known.get(asked.name);
    if (there !== undefined) {
      if (there.kind === kind && there.labelNames.join() === labelNames.join()) return there.metric as M;
      throw new CodedError(
        "DuplicateName",
        `Cannot register ${describe(kind, labelNames)} ${asked.name}: it is ${describe(there.kind, there.labelNames)}, choose another name`,
      );
    }
    try {
      const [metric, forget] = make(labelNames);
      known.set(asked.name, { kind, labelNames, metric, forget });
      return metric;
    } catch (cause) {
      const what = `Cannot register ${describe(kind, labelNames)} ${JSON.stringify(asked.name)}`;
      throw new CodedError("InvalidOption", `${what}: Prometheus takes no such name, label or bucket`, { cause });
    }
  };

  const common = (asked: MetricOptions, labelNames: string[]) => ({
    name: asked.name,
    help: asked.help,
    labelNames,
    registers: [registry],
  });

  // prom-client gives its values asynchronously and looks labels up anew at each, so all values are kept here, and
  // copied when the text is asked for.
  return {
    counter: (asked) =>
      once<CounterMetric>("counter", asked, (labelNames) => {
        const series = createSeries(asked.name, labelNames, createNumber);
        if (labelNames.length === 0) series.at();
        new prom.Counter({
          ...common(asked, labelNames),
          collect(): void {
            this.reset();
            for (const { labels, cell } of series.entries()) this.inc({ ...labels }, cell.value);
          },
        });
        const add = (labels?: Labels, by = 1): void => {
          if (by < 0)
            throw new CodedError("InvalidOption", `Cannot count ${asked.name}: it only grows, ${by} is below 0`);
          checkValue(asked.name, by);
          series.at(labels).value += by;
        };
        return [{ add, read: (labels) => series.find(labels)?.value ?? 0 }, series.forget];
      }),
    gauge: (asked) =>
      once<GaugeMetric>("gauge", asked, (labelNames) => {
        const series = createSeries(asked.name, labelNames, createNumber);
        new prom.Gauge({
          ...common(asked, labelNames),
          collect(): void {
            this.reset();
            // After a reset a gauge without labels is 0, but one that was never set has no value.
            if (labelNames.length === 0) this.remove();
            for (const { labels, cell } of series.entries()) this.set({ ...labels }, cell.value);
          },
        });
        const set = (value: number, labels?: Labels): void => {
          checkValue(asked.name, value);
          series.at(labels).value = value;
        };
        return [{ set, read: (labels) => series.find(labels)?.value, remove: series.remove }, series.forget];
      }),
    histogram: (asked) =>
      once<HistogramMetric>("histogram", asked, (labelNames) => {
        const buckets = [...(asked.buckets ?? reconcileTimeBuckets)];
        const { name, help } = asked;
        // It checks name, labels and buckets; its values cannot be set.
        new prom.Histogram({ ...common(asked, labelNames), buckets, registers: [] });
        const series = createSeries(name, labelNames, () => createHistogramCell(buckets));
        if (labelNames.length === 0) series.at();
        const values = (): readonly object[] => [...series.entries()].flatMap((entry) => exposedHistogram(name, entry));
        const exposed = {
          name,
          get: async () => ({ name, help, type: "histogram", aggregator: "sum", values: values() }),
        };
        registry.registerMetric(exposed as unknown as Metric);
        const observe = (value: number, labels?: Labels): void => {
          checkValue(name, value);
          series.at(labels).observe(value);
        };
        return [{ observe }, series.forget];
      }),
    forget(labels): void {
      const names = Object.keys(labels);
      for (const { labelNames, forget } of known.values()) {
        if (names.length > 0 && names.every((name) => labelNames.includes(name))) forget(labels);
      }
    },
    async expose() {
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

function describe(kind: Kind, labelNames: readonly string[]): string {
  return labelNames.length === 0 ? `${kind} without labels` : `${kind} with labels ${labelNames.join(", ")}`;
}

function createNumber(): { value: number } {
  return { value: 0 };
}
