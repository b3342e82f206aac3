import type { DraftObject } from "../registry/api-object.ts";
import type { AdmissionAttributes } from "./attributes.ts";

/** Who may change or refuse a request before it is stored, beside authorization and the kind's own rules. */
export interface Admission {
  /**
   * The object as mutating admission leaves it: the draft it was handed, perhaps changed in place, or another one.
   *
   * @throws ApiError where one refuses, or fails and may not.
   */
  mutate(attributes: AdmissionAttributes & { readonly object: DraftObject }): Promise<DraftObject>;
  /** @throws ApiError where one refuses, or fails and may not. */
  validate(attributes: AdmissionAttributes): Promise<void>;
}
