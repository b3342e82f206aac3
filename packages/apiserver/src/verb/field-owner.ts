import type { JsonObject } from "farwatch";
import { type FieldOwner, managerName } from "../patch/field-owner.ts";
import type { DraftObject } from "../registry/api-object.ts";
import type { WriteStep } from "./write.ts";

/** Who a write's entry in managedFields names. */
export function fieldOwner({ core, request, context }: WriteStep, fieldManager: string | undefined): FieldOwner {
  const { kind, version } = request.served;
  return {
    kind,
    version,
    subresource: request.subresource,
    manager: managerName(fieldManager, request.userAgent),
    now: context.now,
    convert: (object, to) =>
      core.codec.convert({ kind, version }, object as DraftObject, to) as Promise<JsonObject> | JsonObject,
  };
}
