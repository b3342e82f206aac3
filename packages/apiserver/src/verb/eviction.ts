import { decodeAs, fitName } from "./decode-body.ts";
import { removeObject } from "./delete.ts";
import { readDeleteOptions } from "./delete-option.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { readWriteOptions } from "./write-option.ts";

const eviction = { group: "policy", version: "v1", kind: "Eviction" };

/** POST of an Eviction to a pod: deletes it. No disruption budget is asked, since nobody counts healthy pods here. */
export async function evictPod(core: ServerCore, request: ResourceRequest): Promise<unknown> {
  const { name = "", query, body = { value: undefined } } = request;
  const { fieldValidation: validation, dryRun } = readWriteOptions(query, "CreateOptions");
  const draft = decodeAs(core, request, { type: eviction, body, validation });
  fitName(draft, name, { fill: true });
  const options = readDeleteOptions(new URLSearchParams(), { value: draft.deleteOptions ?? null });
  await removeObject(core, { ...request, subresource: undefined }, { ...options, dryRun: dryRun || options.dryRun });
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
}
