import { accessRefused } from "../authorize/access-refused.ts";
import type { Authenticator } from "../authorize/authenticate.ts";
import { impersonated } from "../authorize/impersonate.ts";
import type { AccessRequest, User } from "../authorize/user.ts";
import { ApiError, methodNotAllowed, unknownPath } from "../failure/api-error.ts";
import { asApiError } from "../failure/as-api-error.ts";
import type { ResourceRequest } from "../verb/resource-request.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { chooseForm } from "./accept.ts";
import { answerError } from "./answer.ts";
import { answerResource } from "./answer-resource.ts";
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
      return withWarnings(answerError(asApiError(error)), warnings);
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
    allow(core, { user, verb: request.method.toLowerCase(), path });
    return serverDocument({ core, info, request, path, query });
  }
  const verb = verbOf(request.method, resourcePath, query);
  if (verb === undefined) throw methodNotAllowed();
  allow(core, { user, verb, ...attributesOf(resourcePath) });
  return answerResource(core, await resourceRequest(core, request, { path: resourcePath, query, user, verb, warn }), {
    form: chooseForm(header(request, "accept"), {
      transforms: verb !== "delete",
      pretty: query.has("pretty") && query.get("pretty") !== "false",
    }),
    acceptEncoding: header(request, "accept-encoding"),
    method: request.method,
  });
}

function split(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const at = target.indexOf("?");
  return at === -1
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, at), query: new URLSearchParams(target.slice(at + 1)) };
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

async function resourceRequest(core: ServerCore, request: ServerRequest, asked: Asked): Promise<ResourceRequest> {
  const { path, query, user, verb, warn } = asked;
  const { group, version, resource, name, subresource } = path;
  const served = core.registry.findServed(group, version, resource);
  if (served === undefined) throw unknownResource(core, path);
  const { kind } = served;
  const namespace = kind.namespaced ? path.namespace : undefined;
  if (!kind.namespaced && path.namespace !== undefined && resource !== "namespaces") throw unknownPath();
  // A namespaced object has its namespace in its path, and so has whatever creates or names one.
  if (kind.namespaced && namespace === undefined && verb !== "list" && verb !== "watch") throw unknownPath();
  if (
    subresource === undefined
      ? !kind.verbs.includes(verb)
      : !served.version.subresources.some((one) => one.name === subresource.split("/")[0])
  ) {
    throw subresource === undefined ? methodNotAllowed() : unknownPath();
  }
  if (served.version.deprecationWarning !== undefined) warn(served.version.deprecationWarning);
  const contentType = mediaTypeOf(header(request, "content-type"));
  return {
    verb,
    served,
    namespace,
    name,
    subresource,
    query,
    user,
    userAgent: header(request, "user-agent") ?? "",
    contentType,
    body: await readBody(request.body, contentType, core.clock),
    signal: request.signal,
    warn,
  };
}

/** A group that is not served at all has no such path; one that is says that it has no such resource. */
function unknownResource({ registry }: ServerCore, { group, version }: ResourcePath): ApiError {
  for (const kind of registry.kinds) {
    if (kind.group === group && kind.versions.some((one) => one.version === version && one.served))
      return unknownPath();
  }
  return new ApiError({ code: 404, reason: "NotFound", message: "404 page not found", isText: true });
}

function withWarnings(response: ServerResponse, warnings: readonly string[]): ServerResponse {
  if (warnings.length === 0) return response;
  return { ...response, headers: { ...response.headers, warning: warnings.map(warningHeader) } };
}

/** RFC 7234's form: code 299, no agent, the text quoted. */
function warningHeader(text: string): string {
  return `299 - "${text.replaceAll(/[\\"]/g, "\\$&").replaceAll(/[\r\n]+/g, " ")}"`;
}
