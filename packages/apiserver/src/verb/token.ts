import { decodeAs } from "./decode-body.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { readWriteOptions } from "./write-option.ts";

const tokenRequest = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };

/** POST of a TokenRequest to a service account. */
export function requestToken(core: ServerCore, request: ResourceRequest): Promise<unknown> {
  const { namespace = "", name = "", query, body = { value: undefined } } = request;
  const { fieldValidation: validation } = readWriteOptions(query, "CreateOptions");
  return core.tokenRequest(decodeAs(core, request, { type: tokenRequest, body, validation }), { namespace, name });
}
