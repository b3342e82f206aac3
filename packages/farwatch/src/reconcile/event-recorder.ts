import type { KubeObject } from "../wire/object.ts";

export interface EventNote {
  readonly type: "Normal" | "Warning";
  /** UpperCamelCase, at most 128 characters. */
  readonly reason: string;
  /** What was done: `Probe`, `Create`; at most 128 characters. */
  readonly action: string;
  /** For a person; cut to 1 kB. */
  readonly note: string;
}

/**
 * Records Events (events.k8s.io/v1) about objects; repeats within ten minutes become one Event with a count. Never
 * throws.
 */
export interface EventRecorder {
  record(object: KubeObject, note: EventNote): void;
}
