import type { User } from "../authorize/user.ts";
import { ApiError, badRequest, methodNotAllowed, noSuchPath, notFound, unknownPath } from "../failure/api-error.ts";
import { patchMediaTypes, unsupportedPatch } from "../patch/apply-patch.ts";
import type { Kind, KindVerb } from "../registry/kind.ts";
import type { ServedKind } from "../registry/registry.ts";
import { readListOptions } from "../verb/list-option.ts";
import type { ResourceRequest } from "../verb/resource-request.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { type AnswerForm, checkRoutable, chooseForm, routedTypes } from "./accept.ts";
import type { ExpectedKind } from "./protobuf.ts";
import { mediaTypeOf, readBody } from "./read-body.ts";
import { isObjectForm } from "./render.ts";
import { header, isPretty } from "./request-header.ts";
import type { ResourcePath } from "./request-path.ts";
import type { ServerRequest } from "./server-request.ts";

/** What is known of a request for a resource when it has been let in. */
export interface AskedResource {
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly verb: KindVerb;
  readonly warn: (text: string) => void;
}

/** A request that has been read, and how its answer is to be written. */
export interface ResourceCall {
  readonly request: ResourceRequest;
  readonly form: AnswerForm;
}

/**
 * Finds what a request is for, and reads it: path, method, types of body and answer are checked, and then the body is
 * read.
 */
export async function readResourceCall(
  core: ServerCore,
  request: ServerRequest,
  asked: AskedResource,
): Promise<ResourceCall> {
  const { path, query, user, verb, warn } = asked;
  const { group, version, resource, name, subresource } = path;
  const served = core.registry.findServed(group, version, resource);
  if (served === undefined) throw unknownResource(core, path);
  const { kind } = served;
  if (request.method === "HEAD" && !kind.custom) throw methodNotAllowed();
  checkPath(served, path, verb);
  if (served.version.deprecationWarning !== undefined) warn(served.version.deprecationWarning);
  const contentType = mediaTypeOf(header(request, "content-type"));
  if (verb === "patch") checkPatchType(kind, header(request, "content-type") ?? "", contentType);
  if (isNamedWrongly(path, verb) && kind.custom && verb !== "create") throw badRequest("name must be provided");
  // Of a custom kind a list is refused for what it asks before it is for how it wants the answer; for unknown fields
  // later.
  if (kind.custom && (verb === "list" || verb === "watch") && subresource === undefined) {
    readListOptions(query, verb === "watch");
  }
  const form = formOf(request, asked, served);
  const body = await readBody(request.body, contentType, {
    clock: core.clock,
    expected: expectedBody(served, { verb, subresource }),
    patching: verb === "patch",
  });
  return {
    form,
    request: {
      verb,
      served,
      namespace: kind.namespaced ? path.namespace : undefined,
      name,
      subresource,
      query,
      user,
      userAgent: header(request, "user-agent") ?? "",
      contentType,
      body,
      signal: request.signal,
      warn,
    },
  };
}

function formOf(request: ServerRequest, { query, verb }: AskedResource, { kind }: ServedKind): AnswerForm {
  const accept = header(request, "accept");
  const isListed = verb === "list" || verb === "watch";
  if (!kind.custom) checkRoutable(accept, isListed ? routedTypes.collection : routedTypes.object);
  return chooseForm(accept, { pretty: isPretty(request, query), allows: isObjectForm });
}

/** What a body is that does not say so itself. */
function expectedBody(
  { kind, version }: ServedKind,
  { verb, subresource }: Pick<ResourceRequest, "subresource" | "verb">,
): ExpectedKind {
  if (verb === "delete" || verb === "deletecollection") return { group: "", version: "v1", kind: "DeleteOptions" };
  const body = version.subresources.find(({ name }) => name === subresource)?.body;
  return body ?? { group: kind.group, version: version.version, kind: kind.kind };
}

/** Whether a kind has such a path, and the path such a method. */
function checkPath({ kind, version }: ServedKind, path: ResourcePath, verb: KindVerb): void {
  const { name, subresource, namespace, resource } = path;
  const subject = { group: kind.group, resource: kind.plural, name };
  const isNamespaceItself = resource === "namespaces" && kind.group === "";
  if (!kind.namespaced && namespace !== undefined && !isNamespaceItself)
    throw kind.custom ? noSuchPath() : unknownPath();
  if (subresource !== undefined) {
    const found = version.subresources.find((one) => one.name === subresource.split("/")[0]);
    if (found === undefined || (found.name !== subresource && !subresource.startsWith("proxy/"))) {
      throw kind.custom ? notFound(subject) : unknownPath();
    }
    if (kind.namespaced && namespace === undefined) throw unknownPath();
    if (!(found.verbs as readonly string[]).includes(verb)) {
      throw kind.custom ? unsupportedVerb(kind, verb) : methodNotAllowed();
    }
    return;
  }
  if (name?.includes("%")) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: may not contain '%'`);
  if (!kind.verbs.some((one) => ofOne.has(one)) && name !== undefined) throw unknownPath();
  if (kind.namespaced && namespace === undefined && verb !== "list" && verb !== "watch") {
    if (kind.custom) throw noSuchPath();
    throw name === undefined ? methodNotAllowed() : unknownPath();
  }
  if (isNamedWrongly(path, verb) && !kind.custom) throw methodNotAllowed();
  if (!kind.verbs.includes(verb)) throw methodNotAllowed();
}

/** Whether a verb of one object is asked of a collection, or the other way round. */
function isNamedWrongly({ name, subresource }: ResourcePath, verb: KindVerb): boolean {
  const wantsCollection = verb === "create" || verb === "list" || verb === "deletecollection";
  return subresource === undefined && verb !== "watch" && (name === undefined) !== wantsCollection;
}

const ofOne: ReadonlySet<string> = new Set(["delete", "get", "patch", "update"]);

/** Built-in kinds refuse in the words of the real server's router, which knows their patches. */
function checkPatchType(kind: Kind, contentType: string, mediaType: string): void {
  if (!kind.custom && !patchMediaTypes(kind).includes(contentType.split(";", 1)[0]?.trim() ?? "")) {
    throw new ApiError({
      code: 415,
      reason: "UnsupportedMediaType",
      message: "415: Unsupported Media Type",
      details: {},
    });
  }
  if (!patchMediaTypes(kind).includes(mediaType)) throw unsupportedPatch(kind);
}

function unsupportedVerb({ group, plural }: Kind, verb: string): ApiError {
  return new ApiError({
    code: 405,
    reason: "MethodNotAllowed",
    message: `${verb} is not supported on resources of kind ${JSON.stringify(group === "" ? plural : `${plural}.${group}`)}`,
    details: { group, kind: plural },
  });
}

/** 405 for a method that is no verb. */
export function unknownVerb({ registry }: ServerCore, { group, version, resource }: ResourcePath): ApiError {
  const served = registry.findServed(group, version, resource);
  return served?.kind.custom ? unsupportedVerb(served.kind, "") : methodNotAllowed();
}

/** A group that is not served at all has no such path; one that is says that it has no such resource. */
function unknownResource({ registry }: ServerCore, { group }: ResourcePath): ApiError {
  if (group === "") return unknownPath();
  for (const kind of registry.kinds) if (kind.group === group && !kind.custom) return unknownPath();
  return noSuchPath();
}
