import { accessRefused } from "../authorize/access-refused.ts";
import type { Authenticator } from "../authorize/authenticate.ts";
import { impersonated } from "../authorize/impersonate.ts";
import { selectedName } from "../authorize/selected-name.ts";
import type { AccessRequest, User } from "../authorize/user.ts";
import { ApiError, badRequest, methodNotAllowed, noSuchPath, notFound, unknownPath } from "../failure/api-error.ts";
import { asApiError } from "../failure/as-api-error.ts";
import { patchMediaTypes, unsupportedPatch } from "../patch/apply-patch.ts";
import type { Kind } from "../registry/kind.ts";
import type { ServedKind } from "../registry/registry.ts";
import type { ResourceRequest } from "../verb/resource-request.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { type AnswerForm, chooseForm } from "./accept.ts";
import { answerError } from "./answer.ts";
import { answerResource } from "./answer-resource.ts";
import type { ExpectedKind } from "./protobuf.ts";
import { mediaTypeOf, readBody } from "./read-body.ts";
import { type ResourcePath, readResourcePath, verbOf } from "./request-path.ts";
import { type ServerInfo, serverDocument } from "./server-document.ts";
import type { Handler, ServerRequest, ServerResponse } from "./server-request.ts";

export interface HandlerOptions {
  readonly core: ServerCore;
  readonly authenticator: Authenticator;
  readonly info: ServerInfo;
}

/** Answers every request: who asks, may they, what is asked for, and how it is written. Never rejects. */
export function createHandler(options: HandlerOptions): Handler {
  return async (request) => {
    const warnings: string[] = [];
    const warn = (text: string): void => {
      if (!warnings.includes(text)) warnings.push(text);
    };
    try {
      return withWarnings(await handle(options, request, warn), warnings);
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      const { clock } = options.core;
      const answer = await answerError(asApiError(error), { clock, form: errorForm(request) });
      return withWarnings(answer, warnings);
    }
  };
}

async function handle(
  options: HandlerOptions,
  request: ServerRequest,
  warn: (text: string) => void,
): Promise<ServerResponse> {
  const { core, authenticator, info } = options;
  const { path, query } = split(request.target);
  const { user: sender, warning } = await authenticator.authenticate({
    authorization: header(request, "authorization"),
    certificate: request.certificate,
  });
  if (warning !== undefined) warn(warning);
  const user = impersonated(sender, request.headers, core.authorizer);
  const resourcePath = readResourcePath(path);
  if (resourcePath === undefined) {
    allow(core, { user, verb: request.method.toLowerCase(), path: decodedPath(path) });
    return serverDocument({ core, info, request, path, query });
  }
  const verb = verbOf(request.method, resourcePath, query);
  if (verb === undefined) throw methodNotAllowed();
  const name = resourcePath.name ?? selectedName(query.get("fieldSelector"));
  allow(core, { user, verb, ...attributesOf(resourcePath), name });
  const resourceCall = await resourceRequest(core, request, { path: resourcePath, query, user, verb, warn });
  return answerResource(core, resourceCall, {
    form: chooseForm(header(request, "accept"), {
      transforms: verb === "list" ? "list" : verb === "delete" ? "none" : "object",
      pretty: isPretty(query),
      routed: resourceCall.served.kind.custom === false,
    }),
    acceptEncoding: header(request, "accept-encoding"),
    method: request.method,
  });
}

/** A refusal is written as the answer would have been, where that can be said. */
function errorForm(request: ServerRequest): AnswerForm {
  const { query } = split(request.target);
  try {
    const asked = chooseForm(header(request, "accept"), {
      transforms: "object",
      pretty: isPretty(query),
      routed: false,
    });
    return { ...asked, as: "object" };
  } catch {
    return { mediaType: "application/json", as: "object", tableVersion: "v1", pretty: isPretty(query) };
  }
}

/** People's clients ask for it by the query. */
function isPretty(query: URLSearchParams): boolean {
  const pretty = query.get("pretty");
  return pretty !== null && pretty !== "false" && pretty !== "0";
}

function split(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const at = target.indexOf("?");
  return at === -1
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, at), query: new URLSearchParams(target.slice(at + 1)) };
}

/** A path as texts and rules show it. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** One header; of a repeated one the first. */
export function header({ headers }: ServerRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value[0] : value;
}

function allow({ authorizer }: ServerCore, request: AccessRequest): void {
  const decision = authorizer.authorize(request);
  if (!decision.allowed) throw accessRefused(request, decision);
}

function attributesOf({
  group,
  version,
  resource,
  subresource,
  namespace,
  name,
}: ResourcePath): Omit<AccessRequest, "user" | "verb"> {
  return { group, version, resource, subresource, namespace, name };
}

interface Asked {
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly verb: NonNullable<ReturnType<typeof verbOf>>;
  readonly warn: (text: string) => void;
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

async function resourceRequest(core: ServerCore, request: ServerRequest, asked: Asked): Promise<ResourceRequest> {
  const { path, query, user, verb, warn } = asked;
  const { group, version, resource, name, subresource } = path;
  const served = core.registry.findServed(group, version, resource);
  if (served === undefined) throw unknownResource(core, path);
  checkPath(served, path, verb);
  const { kind } = served;
  if (served.version.deprecationWarning !== undefined) warn(served.version.deprecationWarning);
  const contentType = mediaTypeOf(header(request, "content-type"));
  if (verb === "patch" && subresource !== "scale")
    checkPatchType(kind, header(request, "content-type") ?? "", contentType);
  return {
    verb,
    served,
    namespace: kind.namespaced ? path.namespace : undefined,
    name,
    subresource,
    query,
    user,
    userAgent: header(request, "user-agent") ?? "",
    contentType,
    body: await readBody(request.body, contentType, {
      clock: core.clock,
      expected: expectedBody(served, { verb, subresource }),
    }),
    signal: request.signal,
    warn,
  };
}

/** Whether a kind has such a path, and the path such a method. */
function checkPath({ kind, version }: ServedKind, path: ResourcePath, verb: Asked["verb"]): void {
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
  const isCollection = name === undefined;
  const wantsCollection = verb === "create" || verb === "list" || verb === "deletecollection";
  if (kind.namespaced && namespace === undefined && verb !== "list" && verb !== "watch") {
    if (kind.custom) throw noSuchPath();
    throw isCollection ? methodNotAllowed() : unknownPath();
  }
  if (verb !== "watch" && isCollection !== wantsCollection && !(kind.custom && verb === "create")) {
    throw kind.custom ? badRequest("name must be provided") : methodNotAllowed();
  }
  if (!kind.verbs.includes(verb)) throw methodNotAllowed();
}

const ofOne: ReadonlySet<string> = new Set(["delete", "get", "patch", "update"]);

/** Built-in kinds refuse in the words of the real server's router, which knows their patches. */
function checkPatchType(kind: Kind, header: string, mediaType: string): void {
  if (!kind.custom && !patchMediaTypes(kind).includes(header.split(";", 1)[0]?.trim() ?? "")) {
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

/** A group that is not served at all has no such path; one that is says that it has no such resource. */
function unknownResource({ registry }: ServerCore, { group }: ResourcePath): ApiError {
  if (group === "") return unknownPath();
  for (const kind of registry.kinds) if (kind.group === group && !kind.custom) return unknownPath();
  return noSuchPath();
}

function withWarnings(response: ServerResponse, warnings: readonly string[]): ServerResponse {
  if (warnings.length === 0) return response;
  return { ...response, headers: { ...response.headers, warning: warnings.map(warningHeader) } };
}

/** RFC 7234's form: code 299, no agent, the text quoted. */
function warningHeader(text: string): string {
  return `299 - "${text.replaceAll(/[\\"]/g, "\\$&").replaceAll(/[\r\n]+/g, " ")}"`;
}
