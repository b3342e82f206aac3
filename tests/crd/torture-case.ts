import type { FieldOptions, Schema } from "farwatch";

/** A schema, what a real API server shall take by the CRD made of it, and what it shall refuse. */
export interface TortureCase {
  /** Goes on from "a CRD of …". */
  readonly name: string;
  readonly spec: Schema;
  readonly options?: FieldOptions;
  /** What is sent as spec, and what is stored where that is something else. */
  readonly takes: readonly (readonly [sent: unknown, stored?: unknown])[];
  /** What is sent as spec, and a part of what the server says. */
  readonly refuses?: readonly (readonly [sent: unknown, says: string])[];
}
