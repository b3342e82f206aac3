import { methodNotAllowed, noSuchPath, unknownPath } from "../failure/api-error.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { checkRoutable, chooseForm, routedTypes, type Transform } from "./accept.ts";
import { answerText, answerWith } from "./answer.ts";
import { aggregatedDiscovery, coreVersions, groupDocument, groupList, resourceList } from "./discovery.ts";
import { header, isPretty } from "./request-header.ts";
import type { ServerRequest, ServerResponse } from "./server-request.ts";

/** What the server says of itself. */
export interface ServerInfo {
  /** `127.0.0.1:6443`: what `/api` names as its address. */
  readonly address: string;
  /** `/version`. */
  readonly version: Readonly<Record<string, string>>;
}

export interface DocumentRequest {
  readonly core: ServerCore;
  readonly info: ServerInfo;
  readonly request: ServerRequest;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Everything that is no resource: discovery, version, health, OpenAPI. */
export async function serverDocument(asked: DocumentRequest): Promise<ServerResponse> {
  const { core, info, path, query } = asked;
  const { registry } = core;
  if (path.startsWith("/openapi/")) return openApi(asked);
  if (/^\/(?:healthz|livez|readyz)(?:\/.*)?$/.test(path)) return health(path, query);
  const [root, group, version, ...rest] = partsOf(path);
  switch (root) {
    case undefined:
      return answerWith({ value: { paths: rootPaths(core) } }, documentOptions(asked, undefined));
    case "version":
      if (group !== undefined) break;
      checkRouted(asked, routedTypes.version);
      return answer(asked, info.version);
    case "api":
    case "apis":
      if (group === undefined) return rootDiscovery(asked, root);
      if (root === "api" && version === undefined) {
        checkRouted(asked, routedTypes.object);
        return answer(asked, resourceList(registry, "", group) ?? throwing(unknownPath()));
      }
      if (root === "apis" && rest.length === 0) return groupDiscovery(asked, group, version);
  }
  throw noSuchPath();
}

function throwing(error: Error): never {
  throw error;
}

/** An empty part in the middle is a part; one at the end is none. */
function partsOf(path: string): readonly string[] {
  return path === "/" ? [] : path.replace(/^\/|\/$/g, "").split("/");
}

/** What the real server's router sees to for paths of its own. */
function checkRouted({ request }: DocumentRequest, types: readonly string[]): void {
  if (request.method !== "GET") throw methodNotAllowed();
  checkRoutable(header(request, "accept"), types);
}

/** `/api` and `/apis`, in the old form or in one document. */
function rootDiscovery(asked: DocumentRequest, which: "api" | "apis"): Promise<ServerResponse> {
  const { core, info, request } = asked;
  const form = aggregatedForm(asked);
  if (form === undefined) {
    if (which === "api") checkRouted(asked, routedTypes.object);
    const value = which === "api" ? coreVersions(info.address) : groupList(core.registry);
    return answer(asked, value, { vary: "Accept" });
  }
  const { value, etag } = aggregatedDiscovery(core.registry, which);
  const headers = {
    "content-type": `${form.mediaType};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
    etag: `"${etag}"`,
    vary: "Accept",
    "cache-control": "public",
  };
  if (isCurrent(request, etag)) return Promise.resolve({ status: 304, headers, body: "" });
  return answerWith({ value }, { ...documentOptions(asked, undefined), form, headers });
}

function aggregatedForm({ request, query }: DocumentRequest): ReturnType<typeof chooseForm> | undefined {
  const isAggregated = ({ group, version, kind }: Transform): boolean =>
    group === "apidiscovery.k8s.io" && version === "v2" && kind === "APIGroupDiscoveryList";
  try {
    const options = { pretty: isPretty(request, query), allows: isAggregated };
    const form = chooseForm(header(request, "accept"), options);
    return form.transform === undefined ? undefined : form;
  } catch {
    return undefined;
  }
}

/** Whether a client has this version of a document already. */
function isCurrent(request: ServerRequest, etag: string): boolean {
  return (header(request, "if-none-match") ?? "").split(",").some((tag) => tag.trim() === `"${etag}"`);
}

/** `/apis/GROUP` and `/apis/GROUP/VERSION`. */
function groupDiscovery(asked: DocumentRequest, group: string, version: string | undefined): Promise<ServerResponse> {
  const { registry } = asked.core;
  if (version === undefined) return answer(asked, groupDocument(registry, group) ?? throwing(noSuchPath()));
  const isBuiltIn = [...registry.kinds].some((kind) => kind.group === group && !kind.custom);
  if (isBuiltIn) checkRouted(asked, routedTypes.object);
  return answer(asked, resourceList(registry, group, version) ?? throwing(isBuiltIn ? unknownPath() : noSuchPath()));
}

/** A document in the form that the request asks for. */
function answer(
  asked: DocumentRequest,
  value: unknown,
  headers: ServerResponse["headers"] = {},
): Promise<ServerResponse> {
  return answerWith({ value }, { ...documentOptions(asked, header(asked.request, "accept")), headers });
}

function documentOptions(
  { core, request, query }: DocumentRequest,
  accept: string | undefined,
): Parameters<typeof answerWith>[1] {
  return {
    status: 200,
    form: chooseForm(accept, { pretty: isPretty(request, query) }),
    acceptEncoding: header(request, "accept-encoding"),
    clock: core.clock,
  };
}

const checks = ["ping", "log", "etcd"];

/** This server is ready from its first moment: every check of its own is `ok`. */
function health(path: string, query: URLSearchParams): ServerResponse {
  const [, which = "", check, ...more] = path.split("/");
  if (check !== undefined && (more.length > 0 || !checks.includes(check))) throw noSuchPath();
  if (check !== undefined || !query.has("verbose")) return answerText(200, "ok");
  const lines = checks.map((name) => `[+]${name} ${query.getAll("exclude").includes(name) ? "excluded: " : ""}ok\n`);
  return answerText(200, `${lines.join("")}${which} check passed\n`);
}

/** The documents of OpenAPI, which answer to no Accept header but in their own way. */
async function openApi(asked: DocumentRequest): Promise<ServerResponse> {
  const { core, info, path, query, request } = asked;
  const { clock, registry } = core;
  if (path === "/openapi/v2") {
    const { openApiV2 } = await clock.outside(import("./open-api-v2.ts"));
    return openApiV2(info.version.gitVersion ?? "", header(request, "accept"));
  }
  const { openApiDocument, openApiHash, openApiIndex } = await clock.outside(import("./open-api.ts"));
  const plain = documentOptions(asked, undefined);
  if (path === "/openapi/v3") {
    const headers = { "content-type": "text/plain; charset=utf-8" };
    return answerWith({ value: openApiIndex(registry) }, { ...plain, headers });
  }
  const name = path.slice("/openapi/v3/".length);
  const hash = openApiHash(registry, name);
  if (hash === undefined || !path.startsWith("/openapi/v3/")) throw noSuchPath();
  const wanted = query.get("hash") ?? "";
  const headers = {
    etag: `"${hash}"`,
    vary: "Accept",
    // A document under its hash never changes.
    ...(wanted === "" ? {} : { "cache-control": "public, immutable" }),
  };
  if (wanted !== "" && wanted !== hash) {
    return { status: 301, headers: { ...headers, location: `/openapi/v3/${name}?hash=${hash}` }, body: "" };
  }
  if (isCurrent(request, hash)) return { status: 304, headers, body: "" };
  return answerWith({ value: openApiDocument(registry, name) }, { ...plain, headers });
}

function rootPaths({ registry }: ServerCore): readonly string[] {
  const versions = new Set<string>();
  for (const { group, versions: all } of registry.kinds) {
    for (const { version, served } of all) {
      if (!served) continue;
      if (group === "") versions.add(`/api/${version}`);
      else versions.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
    }
  }
  return [
    "/api",
    "/apis",
    ...versions,
    "/healthz",
    "/livez",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
  ].sort();
}
