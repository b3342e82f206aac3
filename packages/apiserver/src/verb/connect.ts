import { badRequest, notFound, notImplemented } from "../failure/api-error.ts";
import type { StoredObject } from "../registry/api-object.ts";
import { objectKey } from "../store/collection.ts";
import { resourceId } from "../store/store.ts";
import { getObject } from "./get.ts";
import { textOption } from "./query-option.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { ServerCore } from "./server-core.ts";

interface PodSpec {
  readonly nodeName?: string;
  readonly containers?: readonly { readonly name: string }[];
  readonly initContainers?: readonly { readonly name: string }[];
  readonly ephemeralContainers?: readonly { readonly name: string }[];
}

const ofPods: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward"]);

/**
 * What only a node could answer: logs, a command, a port. Refused as the real server refuses it as long as there is no
 * such node, and by 501 from there on. Undefined, an empty log, for a pod that has no node yet.
 *
 * @throws ApiError
 */
export async function answerConnect(core: ServerCore, request: ResourceRequest): Promise<undefined> {
  const { served, subresource = "", query } = request;
  const object = await getObject(core, { ...request, query: new URLSearchParams() });
  if (ofPods.has(subresource)) {
    const { nodeName = "", ...spec } = (object.spec ?? {}) as PodSpec;
    if (subresource !== "portforward") checkContainer(object, spec, textOption(query, "container"));
    if (nodeName === "") {
      if (subresource === "log") return undefined;
      throw badRequest(`pod ${object.metadata.name} does not have a host assigned`);
    }
    const nodes = resourceId({ group: "", plural: "nodes" });
    if (core.store.get(nodes, objectKey({ name: nodeName })) === undefined) {
      throw notFound({ group: "", resource: "pods", name: nodeName });
    }
  }
  throw notImplemented(
    `this server has no ${served.kind.plural}/${subresource}: nothing runs on it, use a cluster with nodes`,
  );
}

function checkContainer({ metadata: { name } }: StoredObject, spec: PodSpec, wanted: string | undefined): void {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  if (wanted !== undefined) {
    if ([...containers, ...initContainers, ...ephemeralContainers].some((one) => one.name === wanted)) return;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  if (containers.length === 1) return;
  const names = (all: readonly { readonly name: string }[]): string => all.map((one) => one.name).join(" ");
  const choice = containers.length === 0 ? "" : `, choose one of: [${names(containers)}]`;
  const init = initContainers.length === 0 ? "" : ` or one of the init containers: [${names(initContainers)}]`;
  throw badRequest(`a container name must be specified for pod ${name}${choice}${init}`);
}
