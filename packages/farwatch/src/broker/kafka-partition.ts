/**
 * What was taken of a partition and how far it is worked on. Kafka keeps one offset a partition: everything below it is
 * done. So what is finished beyond a message that is not, is remembered here.
 */
export interface KafkaPartition {
  readonly topic: string;
  readonly partition: number;
  /** The offset that comes after everything that was taken. */
  readonly next: bigint;
  /** The lowest offset that is not finished: what may be committed. */
  readonly position: bigint;
  /** What the group has committed, as far as is known here. */
  committed: bigint;
  /** Messages that are taken and not finished. */
  readonly open: number;
  /** Of these messages. */
  readonly openBytes: number;
  /** Messages that are taken and not committed, since one of them is not finished. */
  readonly ahead: number;
  /** An offset from `next` on: those before were taken. */
  take(offset: bigint, bytes: number): void;
  /** Everything up to here was read: what is between holds no message. */
  passTo(next: bigint): void;
  finish(offset: bigint): void;
}

export function createKafkaPartition(topic: string, partition: number, start: bigint): KafkaPartition {
  /** From the lowest unfinished one on, in their order: their bytes, or that they are finished. */
  const taken = new Map<bigint, number | "finished">();
  let next = start;
  let open = 0;
  let openBytes = 0;
  return {
    topic,
    partition,
    committed: start,
    get next() {
      return next;
    },
    get position() {
      for (const offset of taken.keys()) return offset;
      return next;
    },
    get open() {
      return open;
    },
    get openBytes() {
      return openBytes;
    },
    get ahead() {
      return taken.size;
    },
    take(offset, bytes): void {
      taken.set(offset, bytes);
      openBytes += bytes;
      next = offset + 1n;
      open += 1;
    },
    passTo(to): void {
      if (to > next) next = to;
    },
    finish(offset): void {
      const bytes = taken.get(offset);
      if (bytes === undefined || bytes === "finished") return;
      taken.set(offset, "finished");
      open -= 1;
      openBytes -= bytes;
      for (const [first, state] of taken) {
        if (state !== "finished") break;
        taken.delete(first);
      }
    },
  };
}
