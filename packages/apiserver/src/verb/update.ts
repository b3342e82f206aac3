import { dropRepeatedOwners } from "../admit/repeated-owner.ts";
import { notFound } from "../failure/api-error.ts";
import { recordUpdate } from "../patch/record-update.ts";
import { copyJson } from "../schema/plain-object.ts";
import { decodeBody, fitName } from "./decode-body.ts";
import { fieldOwner } from "./field-owner.ts";
import { checkUid, checkVersionText } from "./precondition.ts";
import { type ResourceRequest, subjectOf } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { insert, replace, type Written, writeStep } from "./write.ts";
import { readWriteOptions } from "./write-option.ts";

/** PUT of an object or of a subresource whose body is the object. */
export async function updateObject(core: ServerCore, request: ResourceRequest): Promise<Written> {
  const options = readWriteOptions(request.query, "UpdateOptions");
  const { name = "" } = request;
  const body = decodeBody(core, request, options.fieldValidation);
  fitName(body, name);
  const warning = dropRepeatedOwners(body, "as sent");
  if (warning !== undefined) request.warn(warning);
  const step = writeStep(core, request, options);
  const owner = fieldOwner(step, options.fieldManager);
  const done = await replace(step, async (before) => {
    const after = copyJson(body);
    await recordUpdate({ ...owner, before, after });
    return after;
  });
  if (done !== undefined) return done;
  // A status is no exception: that of a Service makes the Service.
  if (step.written.strategy.allowCreateOnUpdate !== true) throw notFound(subjectOf(request));
  checkUid(step, body.metadata.uid, undefined);
  checkVersionText(body.metadata.resourceVersion);
  await recordUpdate({ ...owner, before: undefined, after: body });
  return insert(step, body);
}
