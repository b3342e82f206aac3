import type { Metrics } from "../observe/metrics.ts";

/** What is counted of the ingress; names are an API. Labels are sources and status codes, never what a sender chose. */
export interface IngressMetrics {
  /** `source`: undefined where no source has the path; `code`: the answer's, or `gone` when its sender was. */
  answered(source: string | undefined, code: string, tookMs: number): void;
  connectionRefused(): void;
  connections(open: number): void;
  heldBytes(bytes: number): void;
}

export function createIngressMetrics(metrics: Metrics): IngressMetrics {
  const requests = metrics.counter({
    name: "farwatch_ingress_requests_total",
    help: "Requests from outside, by source and status code; source <none> for paths that no source has.",
    labelNames: ["source", "code"],
  });
  const durations = metrics.histogram({
    name: "farwatch_ingress_request_duration_seconds",
    help: "From the headers of a request to its answer.",
    labelNames: ["source"],
  });
  const refused = metrics.counter({
    name: "farwatch_ingress_refused_connections_total",
    help: "Connections that were closed because there were too many, because they spoke neither HTTP nor, where wanted, TLS, or because too many requests of one waited for their answers.",
  });
  const open = metrics.gauge({ name: "farwatch_ingress_connections", help: "Connections that are open now." });
  const held = metrics.gauge({ name: "farwatch_ingress_held_bytes", help: "Bytes of bodies that are held now." });
  return {
    answered(place, code, tookMs): void {
      const source = place ?? "<none>";
      requests.add({ source, code });
      durations.observe(tookMs / 1_000, { source });
    },
    connectionRefused: () => refused.add(),
    connections: (count) => open.set(count),
    heldBytes: (bytes) => held.set(bytes),
  };
}
