import { methodNotAllowed, noSuchPath, unknownPath } from "../failure/api-error.ts";
import type { ServerCore } from "../verb/server-core.ts";
import { type AnswerForm, chooseForm } from "./accept.ts";
import { answerText, answerWith } from "./answer.ts";
import { aggregatedDiscovery, coreVersions, groupDocument, groupList, resourceList } from "./discovery.ts";
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

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Everything that is no resource: discovery, version, health, OpenAPI. */
export async function serverDocument(asked: DocumentRequest): Promise<ServerResponse> {
  const { core, info, request, path, query } = asked;
  if (/^\/(?:healthz|livez|readyz)(?:\/.*)?$/.test(path)) return health(path, query);
  const accept = typeof request.headers.accept === "object" ? request.headers.accept[0] : request.headers.accept;
  const acceptEncoding =
    typeof request.headers["accept-encoding"] === "string" ? request.headers["accept-encoding"] : undefined;
  const answer = (value: unknown, headers: ServerResponse["headers"] = {}): Promise<ServerResponse> =>
    answerWith({ value }, { status: 200, form: formOf(accept, query), headers, acceptEncoding, clock: core.clock });
  const [first, group, version, ...rest] = path.split("/").filter((part) => part !== "");
  if (first === "version" && group === undefined) {
    if (request.method !== "GET") throw methodNotAllowed();
    return answer(info.version);
  }
  if (path === "/openapi/v2") {
    const { openApiV2 } = await core.clock.outside(import("./open-api-v2.ts"));
    return openApiV2(info.version.gitVersion ?? "", accept);
  }
  if (first === "openapi") return openApi(asked, answer);
  if ((first === "api" || first === "apis") && group === undefined) {
    if (wantsAggregated(accept)) {
      return answer(aggregatedDiscovery(core.registry, first), { "content-type": aggregatedType, vary: "Accept" });
    }
    return answer(first === "api" ? coreVersions(info.address) : groupList(core.registry), { vary: "Accept" });
  }
  if (first === "api" && group === "v1" && version === undefined) return answer(resourceList(core.registry, "", "v1"));
  if (first === "apis" && group !== undefined && rest.length === 0) {
    const document =
      version === undefined ? groupDocument(core.registry, group) : resourceList(core.registry, group, version);
    if (document !== undefined) return answer(document);
  }
  if (path === "/") return answer({ paths: rootPaths(core) });
  throw noSuchPath();
}

function formOf(accept: string | undefined, query: URLSearchParams): AnswerForm {
  return chooseForm(accept, {
    transforms: "none",
    routed: false,
    pretty: query.has("pretty") && query.get("pretty") !== "false",
  });
}

function wantsAggregated(accept: string | undefined): boolean {
  return (accept ?? "").split(",").some((clause) => {
    const parts = clause.split(";").map((part) => part.trim());
    return (
      parts[0] === "application/json" &&
      parts.includes("g=apidiscovery.k8s.io") &&
      parts.includes("v=v2") &&
      parts.includes("as=APIGroupDiscoveryList")
    );
  });
}

/** This server is ready from its first moment: every check that the real one has is `ok` here. */
function health(path: string, query: URLSearchParams): ServerResponse {
  const [, which = "", check] = path.split("/");
  if (check !== undefined && check !== "ping") return answerText(404, "404 page not found\n");
  if (!query.has("verbose")) return answerText(200, "ok");
  return answerText(200, `[+]ping ok\n${which} check passed\n`);
}

async function openApi(
  { core, path }: DocumentRequest,
  answer: (value: unknown) => Promise<ServerResponse>,
): Promise<ServerResponse> {
  const { openApiDocument, openApiIndex } = await core.clock.outside(import("./open-api.ts"));
  if (path === "/openapi/v3") return answer(openApiIndex(core.registry));
  const document = openApiDocument(core.registry, path.slice("/openapi/v3/".length));
  if (document === undefined) throw unknownPath();
  return answer(document);
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
