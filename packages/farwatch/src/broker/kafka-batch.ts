/** A record as the broker keeps it. */
export interface KafkaRecord {
  readonly offset: bigint;
  readonly key: Uint8Array | undefined;
  /** Undefined: a tombstone. */
  readonly value: Uint8Array | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number;
  /** The last value of each name, as text. */
  readonly headers: ReadonlyMap<string, string>;
}

/** What one fetch gave of one partition. */
export interface KafkaBatch {
  readonly topic: string;
  readonly partition: number;
  /** What was asked for: the first record may come later. */
  readonly start: bigint;
  readonly records: readonly KafkaRecord[];
  /** What to ask for next when all records were taken. */
  readonly next: bigint;
}

/** kafkajs' batch, with a field that its types do not tell of. */
export interface FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly fetchedOffset?: string | { toString(): string };
  readonly messages: readonly {
    readonly offset: string;
    readonly timestamp: string;
    readonly key?: Uint8Array | null;
    readonly value: Uint8Array | null;
    readonly headers?: Readonly<Record<string, HeaderValue | readonly HeaderValue[] | undefined>>;
  }[];
  firstOffset(): string | null;
  lastOffset(): string;
}

type HeaderValue = string | Uint8Array;

export function batchOf(batch: FetchedBatch): KafkaBatch {
  return {
    topic: batch.topic,
    partition: batch.partition,
    start: BigInt((batch.fetchedOffset ?? batch.firstOffset() ?? 0).toString()),
    records: batch.messages.map(({ offset, timestamp, key, value, headers = {} }) => ({
      offset: BigInt(offset),
      key: key ?? undefined,
      value: value ?? undefined,
      timestampMs: Number(timestamp),
      headers: new Map(Object.entries(headers).flatMap(([name, all]) => textOf(name, all))),
    })),
    next: BigInt(batch.lastOffset()) + 1n,
  };
}

function textOf(name: string, all: HeaderValue | readonly HeaderValue[] | undefined): [string, string][] {
  const value = Array.isArray(all) ? all.at(-1) : (all as HeaderValue | undefined);
  if (value === undefined) return [];
  return [[name, typeof value === "string" ? value : Buffer.from(value).toString("utf8")]];
}
