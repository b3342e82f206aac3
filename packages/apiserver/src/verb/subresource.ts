import type { CrdPrinterColumn } from "farwatch";
import type { ServedKind } from "../registry/registry.ts";
import { bindPod } from "./bind-pod.ts";
import { answerConnect } from "./connect.ts";
import { servedBody } from "./decode-body.ts";
import { evictPod } from "./eviction.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { answerScale, scaleType } from "./scale.ts";
import type { ServerCore } from "./server-core.ts";
import { requestToken } from "./token.ts";

/** What a subresource with a body of its own answers. */
export interface SubresourceAnswer {
  readonly code: 200 | 201 | 204;
  /** Undefined: an answer without content. */
  readonly value: unknown;
  /** Of an object: what it is, as though it were served. */
  readonly served?: ServedKind;
  /** The same in Go, where that is not the internal type of its kind: what a refusal names. */
  readonly goType?: string | undefined;
}

/** Whether the body of a subresource is the object itself: `status`, `finalize`, `approval` and their like. */
export function isObjectSubresource({ version }: ServedKind, subresource: string): boolean {
  const found = version.subresources.find(({ name }) => name === subresource);
  return found !== undefined && found.body === undefined && !streams.has(subresource);
}

/** There are no nodes here that could run anything. */
const streams: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** A Scale of a custom object is shown as though it were custom too. */
function scaleOfCustom(): ServedKind {
  const { kind, version } = servedBody(scaleType);
  const printerColumns: readonly CrdPrinterColumn[] = [
    { name: "Desired", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Available", type: "integer", jsonPath: ".status.replicas" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ];
  return { kind: { ...kind, custom: true }, version: { ...version, printerColumns } };
}

/** Answers a subresource whose body is no object of the kind. */
export async function answerSubresource(core: ServerCore, request: ResourceRequest): Promise<SubresourceAnswer> {
  switch (request.subresource) {
    case "scale": {
      const value = await answerScale(core, request);
      const isCustom = request.served.kind.custom;
      const shown = isCustom ? { served: scaleOfCustom(), goType: "v1.Scale" } : { served: servedBody(scaleType) };
      return { code: 200, value, ...shown };
    }
    case "token":
      return { code: 201, value: await requestToken(core, request) };
    case "eviction":
      return { code: 201, value: await evictPod(core, request) };
    case "binding":
      return { code: 201, value: bindPod(core, request) };
    default:
      return { code: 204, value: await answerConnect(core, request) };
  }
}
