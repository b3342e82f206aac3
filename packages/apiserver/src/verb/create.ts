import { wipeSystemMeta } from "../admit/before-write.ts";
import { dropRepeatedOwners } from "../admit/repeated-owner.ts";
import { recordUpdate } from "../patch/record-update.ts";
import { decodeBody } from "./decode-body.ts";
import { fieldOwner } from "./field-owner.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { insert, type Written, writeStep } from "./write.ts";
import { readWriteOptions } from "./write-option.ts";

/** POST of an object to its collection. */
export async function createObject(core: ServerCore, request: ResourceRequest): Promise<Written> {
  const options = readWriteOptions(request.query, "CreateOptions");
  const draft = decodeBody(core, request, options.fieldValidation);
  wipeSystemMeta(draft);
  const warning = dropRepeatedOwners(draft, "as sent");
  if (warning !== undefined) request.warn(warning);
  const step = writeStep(core, request, options);
  await recordUpdate({ ...fieldOwner(step, options.fieldManager), before: undefined, after: draft });
  return insert(step, draft);
}
