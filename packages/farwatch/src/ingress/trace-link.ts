/**
 * The trace of a sender (W3C Trace Context, level 1). A trace of ours may name it as a link; it is never its parent.
 */
export interface TraceLink {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

/** Headers that carry the sender's trace on. Nobody may have us sample, or carry baggage, by sending them. */
export const traceHeaders: ReadonlySet<string> = new Set(["traceparent", "tracestate", "baggage"]);

/**
 * Reads a traceparent header; undefined when it is none. Its sampled flag is not looked at: what we record is for us to
 * say.
 */
export function readTraceLink(traceparent: string | undefined): TraceLink | undefined {
  const [, version, traceId, spanId] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || version === "ff") return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId };
}
