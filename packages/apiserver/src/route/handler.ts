import { accessRefused } from "../authorize/access-refused.ts";
import type { Authenticator } from "../authorize/authenticate.ts";
import { impersonated } from "../authorize/impersonate.ts";
import { selectedName } from "../authorize/selected-name.ts";
import type { AccessRequest } from "../authorize/user.ts";
import { asApiError } from "../failure/as-api-error.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { type AnswerForm, chooseForm } from "./accept.ts";
import { answerError } from "./answer.ts";
import { answerResource } from "./answer-resource.ts";
import { header, isPretty } from "./request-header.ts";
import { type ResourcePath, readResourcePath, verbOf } from "./request-path.ts";
import { readResourceCall, unknownVerb } from "./resource-call.ts";
import { type ServerInfo, serverDocument } from "./server-document.ts";
import type { Handler, ServerRequest, ServerResponse } from "./server-request.ts";
import { warningHeaders } from "./warning-header.ts";

export interface HandlerOptions {
  readonly core: ServerCore;
  readonly authenticator: Authenticator;
  readonly info: ServerInfo;
}

/**
 * Answers every request: who asks, may they, what is asked for, and how it is written. Rejects only when nobody waits
 * any more.
 */
export function createHandler(options: HandlerOptions): Handler {
  return async (request) => {
    const warnings = new Set<string>();
    const warn = (text: string): void => {
      warnings.add(text);
    };
    try {
      return finished(await handle(options, request, warn), warnings);
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      const { clock } = options.core;
      return finished(await answerError(asApiError(error), { clock, form: errorForm(request) }), warnings);
    }
  };
}

async function handle(
  { core, authenticator, info }: HandlerOptions,
  request: ServerRequest,
  warn: (text: string) => void,
): Promise<ServerResponse> {
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
  if (verb === undefined) throw unknownVerb(core, resourcePath);
  // Of reads alone: a write that a selector could name would pass for the one that a rule allows.
  const isRead = verb === "list" || verb === "watch";
  const name = resourcePath.name ?? (isRead ? selectedName(query.get("fieldSelector")) : undefined);
  allow(core, { user, verb, ...attributesOf(resourcePath), name });
  const call = await readResourceCall(core, request, { path: resourcePath, query, user, verb, warn });
  return answerResource(core, call, header(request, "accept-encoding"));
}

/** A refusal is written as the answer would have been, where that can be said. */
function errorForm(request: ServerRequest): AnswerForm {
  try {
    return chooseForm(header(request, "accept"), { pretty: isPretty(request, split(request.target).query) });
  } catch {
    return { mediaType: "application/json", transform: undefined, pretty: true };
  }
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

/** An answer with what every answer has. */
function finished(response: ServerResponse, warnings: ReadonlySet<string>): ServerResponse {
  const warning = warningHeaders(warnings);
  return {
    ...response,
    headers: {
      "cache-control": "no-cache, private",
      ...response.headers,
      ...(warning.length === 0 ? {} : { warning }),
    },
  };
}
