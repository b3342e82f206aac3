import { storageError } from "../failure/api-error.ts";
import type { StoredObject } from "../registry/api-object.ts";
import type { Kind } from "../registry/kind.ts";
import type { ServedKind } from "../registry/registry.ts";
import { bindPod } from "../verb/bind-pod.ts";
import { createObject } from "../verb/create.ts";
import { packageOf } from "../verb/decode-body.ts";
import { deleteObject } from "../verb/delete.ts";
import { deleteCollection } from "../verb/delete-collection.ts";
import { getObject } from "../verb/get.ts";
import { listObjects, type ObjectList } from "../verb/list.ts";
import { patchObject } from "../verb/patch.ts";
import { answerReview, isReview } from "../verb/review.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { answerSubresource, isObjectSubresource } from "../verb/subresource.ts";
import { updateObject } from "../verb/update.ts";
import { notAcceptable } from "./accept.ts";
import { answerWith } from "./answer.ts";
import { answerWatch } from "./answer-watch.ts";
import { jsonOf, listJson, listMeta, partialListOf, partialOf } from "./render.ts";
import type { ResourceCall } from "./resource-call.ts";
import type { ServerResponse } from "./server-request.ts";
import { readInclude, type TableOptions, tableOf } from "./table/table.ts";

/** Does what a request for a resource asks, and writes what came of it. */
export async function answerResource(
  core: ServerCore,
  call: ResourceCall,
  acceptEncoding: string | undefined,
): Promise<ServerResponse> {
  const { request, form } = call;
  const { served, verb, subresource } = request;
  const writing = { clock: core.clock, form, acceptEncoding };
  const asValue = (value: unknown, status = 200): Promise<ServerResponse> =>
    answerWith({ value }, { status, ...writing });
  const asObject = (object: StoredObject, status = 200): Promise<ServerResponse> =>
    answerWith(objectContent(core, call, { object }), { status, ...writing });
  const asList = (list: ObjectList): Promise<ServerResponse> =>
    answerWith(listContent(core, call, list), { status: 200, ...writing });
  if (subresource !== undefined && !isObjectSubresource(served, subresource)) {
    const { value, code, served: shown, goType } = await answerSubresource(core, request);
    if (value === undefined) return { status: code, headers: {}, body: "" };
    if (shown === undefined) return asValue(value, code);
    const shownCall = { form, request: { ...request, served: shown } };
    const content = objectContent(core, shownCall, { object: value as StoredObject, goType });
    return answerWith(content, { status: code, ...writing });
  }
  if (isBinding(served)) return asValue(bindPod(core, request), 201);
  if (isReview(served)) return asValue(await answerReview(core, request), 201);
  switch (verb) {
    case "get":
      return asObject(await getObject(core, request));
    case "list":
      return asList(await listObjects(core, request));
    case "watch":
      return answerWatch(core, request, form);
    case "create": {
      const { object, code } = await createObject(core, request);
      return asObject(object, code);
    }
    case "update": {
      const { object, code } = await updateObject(core, request);
      return asObject(object, code);
    }
    case "patch": {
      const { object, code } = await patchObject(core, request);
      return asObject(object, code);
    }
    case "delete": {
      const { gone, object } = await deleteObject(core, request);
      return gone && served.kind.returnsDeleted !== true
        ? asValue(deletedStatus(served.kind, object))
        : asObject(object);
    }
    case "deletecollection":
      return asList(await deleteCollection(core, request));
  }
}

/** A Binding is an order, and no object that is stored. */
function isBinding({ kind }: ServedKind): boolean {
  return kind.group === "" && kind.kind === "Binding";
}

function deletedStatus({ group, plural }: Kind, { metadata: { name, uid } }: StoredObject): object {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(group === "" ? {} : { group }), kind: plural, uid },
  };
}

type Content = { readonly json: string } | { readonly value: unknown };

function objectContent(
  core: ServerCore,
  { request, form }: ResourceCall,
  { object, goType }: { readonly object: StoredObject; readonly goType?: string | undefined },
): Content {
  const { transform } = form;
  if (transform === undefined) return { json: jsonOf(object) };
  const { kind, version } = transform;
  if (kind === "PartialObjectMetadata") return { value: partialOf(object, version) };
  if (kind === "PartialObjectMetadataList") {
    if (request.served.kind.custom && goType === undefined) throw storageError("content is not a list");
    const name = goType ?? goName(request.served.kind, "kind");
    throw notAcceptable(`you requested ${kind}, but the requested object is not a list (*${name})`);
  }
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  return { value: tableOf(request.served, [object], tableOptions(core, request.query, { version, metadata })) };
}

function listContent(core: ServerCore, { request, form }: ResourceCall, list: ObjectList): Content {
  const { transform } = form;
  if (transform === undefined) return { json: listJson(request.served, list) };
  const { kind, version } = transform;
  if (kind === "PartialObjectMetadataList") return { value: partialListOf(list, version) };
  if (kind === "PartialObjectMetadata") {
    const name = request.served.kind.custom ? "unstructured.UnstructuredList" : goName(request.served.kind, "listKind");
    throw notAcceptable(`you requested ${kind}, but the requested object is a list (*${name})`);
  }
  const options = tableOptions(core, request.query, { version, metadata: listMeta(list) });
  return { value: tableOf(request.served, list.items, options) };
}

function goName(kind: Kind, name: "kind" | "listKind"): string {
  return `${packageOf(kind.storedAs?.group ?? kind.group)}.${kind[name]}`;
}

function tableOptions(
  { clock }: ServerCore,
  query: URLSearchParams,
  rest: Pick<TableOptions, "metadata" | "version">,
): TableOptions {
  return { clock, include: readInclude(query), withColumns: true, ...rest };
}
