import type { Duration } from "../clock/duration.ts";

/** JetStream's API tells times in nanoseconds. */
export const nanosPerMs = 1_000_000;

/** A durable consumer of a stream. */
export interface JetStreamPlace {
  readonly stream: string;
  /** Its durable name. It is made when it is not there, and left as it is when it is. */
  readonly consumer: string;
  /**
   * For a consumer that is made: which subjects of the stream it hands over; default: all. More than one needs NATS
   * 2.10.
   */
  readonly filterSubjects?: readonly string[] | undefined;
  /** For a consumer that is made: how long a message stays with a process that died; default 30 s, at least 1 s. */
  readonly ackWait?: Duration | undefined;
}
