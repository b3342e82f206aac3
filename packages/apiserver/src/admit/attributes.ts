import type { User } from "../authorize/user.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import type { ServedKind } from "../registry/registry.ts";

export type AdmissionOperation = "CONNECT" | "CREATE" | "DELETE" | "UPDATE";

/** What admission is told of a request, in the terms of admission.Attributes. */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  /**
   * The kind in the version of the request; `object` and `old` are of it, but for a subresource with a body of its own.
   */
  readonly served: ServedKind;
  readonly namespace: string | undefined;
  /** Empty where generateName has not been worked on yet. */
  readonly name: string;
  readonly subresource: string | undefined;
  /** Absent for DELETE. */
  readonly object: DraftObject | undefined;
  /** Absent for CREATE and CONNECT. */
  readonly old: StoredObject | undefined;
  readonly user: User;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions … as they came, without kind and apiVersion. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Takes what goes into Warning headers. */
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}
