import { type Condition, formatTime } from "farwatch";
import { badRequest, conflict, notFound, storageError } from "../failure/api-error.ts";
import { fieldErrorsText, notSupported, required } from "../failure/field-error.ts";
import type { DraftObject, StoredObject } from "../registry/api-object.ts";
import { objectKey } from "../store/collection.ts";
import { resourceId } from "../store/store.ts";
import { decodeAs } from "./decode-body.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";
import { readWriteOptions } from "./write-option.ts";

const bindingType = { group: "", version: "v1", kind: "Binding" };

/** POST of a Binding, to a pod or to the collection: what a scheduler says. The pod gets its node. */
export function bindPod(core: ServerCore, request: ResourceRequest): object {
  const { query, name: path, namespace, body = { value: undefined } } = request;
  const { fieldValidation: validation, dryRun } = readWriteOptions(query, "CreateOptions");
  const binding = decodeAs(core, request, { type: bindingType, body, validation });
  const name = binding.metadata.name ?? "";
  if (path !== undefined && name !== path) throw badRequest("name in URL does not match name in Binding object");
  const node = nodeOf(binding);
  const pods = resourceId({ group: "", plural: "pods" });
  const key = objectKey({ namespace, name });
  const pod = core.store.get(pods, key);
  if (pod === undefined) throw notFound({ group: "", resource: "pods", name });
  checkBindable(pod);
  if (!dryRun) core.store.replace(pods, key, boundPod(pod, node, formatTime(core.clock.now())));
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
}

function nodeOf({ target }: DraftObject): string {
  const { kind = "", name = "" } = (target ?? {}) as { readonly kind?: string; readonly name?: string };
  const errors = [
    ...(kind === "" || kind === "Node" ? [] : [notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...(name === "" ? [required("target.name")] : []),
  ];
  if (errors.length > 0) throw storageError(fieldErrorsText(errors));
  return name;
}

interface PodSpec {
  readonly nodeName?: string;
  readonly schedulingGates?: readonly unknown[];
}

function checkBindable({ metadata: { name, deletionTimestamp }, spec }: StoredObject): void {
  const { nodeName = "", schedulingGates = [] } = (spec ?? {}) as PodSpec;
  const refuse = (why: string): never => {
    throw conflict({ group: "", resource: "pods/binding", name }, why);
  };
  if (deletionTimestamp !== undefined) refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (nodeName !== "") refuse(`pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`);
  if (schedulingGates.length > 0) refuse(`pod ${name} has non-empty .spec.schedulingGates`);
}

function boundPod(pod: StoredObject, nodeName: string, now: string): DraftObject {
  const { conditions = [], ...status } = (pod.status ?? {}) as { readonly conditions?: readonly Condition[] };
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now };
  return {
    ...pod,
    metadata: { ...pod.metadata },
    spec: { ...(pod.spec as object), nodeName },
    status: { ...status, conditions: [...conditions.filter(({ type }) => type !== "PodScheduled"), scheduled] },
  };
}
