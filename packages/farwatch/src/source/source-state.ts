import type { Instant } from "../clock/instant.ts";

export const sourcePhases = ["waiting", "starting", "serving", "failing", "ended"] as const;

/** How a source is, for health and for people. */
export interface SourceState {
  readonly name: string;
  /**
   * `waiting`: not open here, because nothing was started or another replica leads. `starting`: opened, not heard of.
   * `serving`: it has said so, yielded an event since it was opened, or, unless it `connects`, stood for ten seconds.
   * `failing`: it threw or ended, and is opened again with backoff, or it says itself that it does not do its work.
   * `ended`: for good, as it may.
   */
  readonly phase: (typeof sourcePhases)[number];
  /** Why it is not read though it serves. */
  readonly reason?: SourceHeld | undefined;
  readonly critical: boolean;
  /** Who watches it. */
  readonly watches: readonly string[];
  /** Times it was opened again after a failure. */
  readonly restarts: number;
  /** What the last failure said, without secrets; kept after recovery. */
  readonly lastError?: string | undefined;
  readonly lastErrorAt?: Instant | undefined;
  readonly lastEventAt?: Instant | undefined;
  /** How long before it was read the last event happened that told when; ms. */
  readonly lagMs?: number | undefined;
  /** Events that wait in the fullest buffer of its watches. */
  readonly buffered: number;
  /** Events that are not acknowledged yet; at `maxUnacknowledged` the source is not read. */
  readonly unacknowledged: number;
  /** Events that were given back and wait here for the next opening. */
  readonly kept: number;
}

/**
 * A source is not read further, since as many of its events are not settled as may be, or since its origin goes no
 * further than the oldest that is not; and most of them, or that one, wait for requests that fail, `request` among
 * them.
 */
export interface SourceHeld {
  readonly type: "Held";
  /** `namespace/name`. */
  readonly request: string;
}
