import type { DraftObject } from "../registry/api-object.ts";
import type { AdmissionAttributes } from "./attributes.ts";

/** A write for which something may have to be taken from a pool. */
export interface Allocation extends Pick<AdmissionAttributes, "dryRun" | "old" | "served" | "subresource"> {
  readonly object: DraftObject;
}

/** Who may change or refuse a request before it is stored, beside authorization and the kind's own rules. */
export interface Admission {
  /**
   * The object as mutating admission leaves it: the draft it was handed, perhaps changed in place, or another one.
   *
   * @throws ApiError where one refuses, or fails and may not.
   */
  mutate(attributes: AdmissionAttributes & { readonly object: DraftObject }): Promise<DraftObject>;
  /**
   * Gives the object what comes from a pool, in place: after mutating admission, when its name is known, and before its
   * validation.
   *
   * @throws ApiError 422 for what is taken or out of range.
   */
  allocate(write: Allocation): void;
  /** @throws ApiError where one refuses, or fails and may not. */
  validate(attributes: AdmissionAttributes): Promise<void>;
}
