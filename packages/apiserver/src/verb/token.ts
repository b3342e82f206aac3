import { applyTokenRequestDefaults } from "../authorize/token-request.ts";
import { recordUpdate } from "../patch/record-update.ts";
import { decodeAs, servedBody } from "./decode-body.ts";
import { fieldOwner } from "./field-owner.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { writeStep } from "./write.ts";
import { readWriteOptions } from "./write-option.ts";

const tokenRequest = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };

/** POST of a TokenRequest to a service account. */
export async function requestToken(core: ServerCore, request: ResourceRequest): Promise<unknown> {
  const { namespace = "", name = "", query, body = { value: undefined } } = request;
  const options = readWriteOptions(query, "CreateOptions");
  const draft = decodeAs(core, request, { type: tokenRequest, body, validation: options.fieldValidation });
  applyTokenRequestDefaults(draft);
  const owner = fieldOwner(writeStep(core, request, options), options.fieldManager);
  await recordUpdate({ ...owner, ...servedBody(tokenRequest), before: undefined, after: draft });
  return core.tokenRequest(draft, { namespace, name });
}
