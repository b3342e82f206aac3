import { postgresOutboxSource, type Source } from "farwatch";

/** A source of numbers that a program in a process of its own can make. */
export interface ConsumedSource {
  readonly type: "postgres";
  readonly url: string;
}

export function consumedSource(described: ConsumedSource): Source<number> {
  return postgresOutboxSource({ url: described.url, lease: "2s", read: ({ payload }) => Number(payload) });
}
