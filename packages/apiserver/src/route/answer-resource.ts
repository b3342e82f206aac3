import { badRequest } from "../failure/api-error.ts";
import type { StoredObject } from "../registry/api-object.ts";
import { createObject } from "../verb/create.ts";
import { deleteObject } from "../verb/delete.ts";
import { deleteCollection } from "../verb/delete-collection.ts";
import { getObject } from "../verb/get.ts";
import { listObjects, type ObjectList } from "../verb/list.ts";
import { patchObject } from "../verb/patch.ts";
import type { ResourceRequest } from "../verb/resource-request.ts";
import { answerReview, isReview } from "../verb/review.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { answerSubresource, isObjectSubresource } from "../verb/subresource.ts";
import { updateObject } from "../verb/update.ts";
import type { AnswerForm } from "./accept.ts";
import { answerWith } from "./answer.ts";
import { answerWatch } from "./answer-watch.ts";
import { jsonOf, listJson, listMeta, partialListOf, partialOf } from "./render.ts";
import type { ServerResponse } from "./server-request.ts";
import { tableOf } from "./table/table.ts";

export interface ResourceAnswerOptions {
  readonly form: AnswerForm;
  readonly acceptEncoding: string | undefined;
  readonly method: string;
}

/** Does what a request for a resource asks, and writes what came of it. */
export async function answerResource(
  core: ServerCore,
  request: ResourceRequest,
  options: ResourceAnswerOptions,
): Promise<ServerResponse> {
  const { served, verb, subresource } = request;
  const asValue = (value: unknown, status = 200): Promise<ServerResponse> =>
    answerWith({ value }, { status, clock: core.clock, ...options });
  const asObject = (object: StoredObject, status = 200): Promise<ServerResponse> =>
    answerObject(core, request, { ...options, object, status });
  if (subresource !== undefined && !isObjectSubresource(served, subresource)) {
    const { value, code } = await answerSubresource(core, request);
    return isScale(value) ? asObject(value, code) : asValue(value, code);
  }
  if (isReview(served)) {
    return asValue(await answerReview(core, request), 201);
  }
  switch (verb) {
    case "get":
      return asObject(await getObject(core, request));
    case "list":
      return answerList(core, request, { ...options, list: await listObjects(core, request) });
    case "watch":
      return answerWatch(core, request, options.form);
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
      return !gone || returnsObject(request) ? asObject(object) : asValue(deletedStatus(request, object));
    }
    case "deletecollection":
      return answerList(core, request, { ...options, list: await deleteCollection(core, request) });
  }
}

/** It has a table of its own, whatever it scales. */
const scale = { group: "autoscaling", kind: "Scale" } as const;

function isScale(value: unknown): value is StoredObject {
  return (value as StoredObject).kind === scale.kind;
}

/** Kinds whose deletion answers the object that was deleted. */
const returned: ReadonlySet<string> = new Set([
  "pods",
  "services",
  "serviceaccounts",
  "persistentvolumeclaims",
  "persistentvolumes",
  "podtemplates",
  "resourcequotas",
  "replicationcontrollers",
]);

function returnsObject({ served: { kind } }: ResourceRequest): boolean {
  return kind.group === "" && returned.has(kind.plural);
}

function deletedStatus({ served: { kind } }: ResourceRequest, { metadata }: StoredObject): object {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name: metadata.name,
      ...(kind.group === "" ? {} : { group: kind.group }),
      kind: kind.plural,
      uid: metadata.uid,
    },
  };
}

function answerObject(
  core: ServerCore,
  request: ResourceRequest,
  { object, ...rest }: ResourceAnswerOptions & { readonly object: StoredObject; readonly status: number },
): Promise<ServerResponse> {
  const options = { clock: core.clock, ...rest };
  switch (options.form.as) {
    case "object":
      return answerWith({ json: jsonOf(object) }, options);
    case "partial":
      return answerWith({ value: partialOf(object) }, options);
    case "table":
      return answerWith(
        { value: table(core, request, [object], { resourceVersion: object.metadata.resourceVersion }) },
        options,
      );
  }
}

function answerList(
  core: ServerCore,
  request: ResourceRequest,
  { list, ...rest }: ResourceAnswerOptions & { readonly list: ObjectList },
): Promise<ServerResponse> {
  const options = { status: 200, clock: core.clock, ...rest };
  switch (options.form.as) {
    case "object":
      return answerWith({ json: listJson(request.served, list) }, options);
    case "partial":
      return answerWith({ value: partialListOf(list) }, options);
    case "table":
      return answerWith({ value: table(core, request, list.items, listMeta(list)) }, options);
  }
}

function table(
  core: ServerCore,
  { served, query }: ResourceRequest,
  objects: readonly StoredObject[],
  metadata: object,
): object {
  const include = query.get("includeObject") ?? "Metadata";
  if (include !== "Metadata" && include !== "None" && include !== "Object") {
    throw badRequest(`unrecognized includeObject value: ${JSON.stringify(include)}`);
  }
  const shownAs = objects.some(isScale) ? scale : undefined;
  return tableOf(served, objects, { clock: core.clock, include, metadata, withColumns: true, shownAs });
}
