import { decodedPart, type ServedRequest } from "../store/served-request.ts";
import type { StoreAsk } from "../store/store-fault.ts";

/** A request to the blob service, as its address says it. */
export interface AzureAsk extends StoreAsk {
  readonly account: string | undefined;
  /** Path of the resource within the account, as in signatures: `/photos/a.txt`, or `/` for the account. */
  readonly resourcePath: string;
  readonly query: URLSearchParams;
}

const containerOperations: Readonly<Record<string, string>> = {
  "GET list": "List Blobs",
  GET: "Get Container Properties",
  HEAD: "Get Container Properties",
  PUT: "Create Container",
  DELETE: "Delete Container",
};
const blobOperations: Readonly<Record<string, string>> = {
  GET: "Get Blob",
  HEAD: "Get Blob Properties",
  PUT: "Put Blob",
  DELETE: "Delete Blob",
};

/** What the store knows by name. */
export interface AzureNames {
  isAccount(name: string): boolean;
  /** Whose access token this is. */
  principalOf(token: string): string | undefined;
}

/** Operations bear the names of Azure's reference: `List Blobs`. The user is an account, a principal, or `sas`. */
export function readAzureAsk(request: ServedRequest, names: AzureNames): AzureAsk {
  const query = new URLSearchParams(request.query);
  const label = request.host.split(".")[0]?.toLowerCase() ?? "";
  const fromHost = names.isAccount(label) ? label : undefined;
  const [first = "", ...others] = request.path.slice(1).split("/");
  const account = fromHost ?? (first === "" ? undefined : decodedPart(first));
  const resourcePath = fromHost === undefined ? `/${others.join("/")}` : request.path;
  const [container = "", ...rest] = resourcePath.slice(1).split("/");
  const key = rest.join("/");
  const ask = {
    bucket: container === "" ? undefined : decodedPart(container),
    key: key === "" ? undefined : decodedPart(key),
  };
  return {
    ...ask,
    operation: operationOf(request.method, ask, query),
    user: userOf(request, query, names),
    account,
    resourcePath,
    query,
  };
}

function operationOf(
  method: string,
  { bucket, key }: Pick<StoreAsk, "bucket" | "key">,
  query: URLSearchParams,
): string {
  const [restype, comp] = [query.get("restype"), query.get("comp")];
  const unknown = `${method}${restype === null ? "" : ` restype=${restype}`}${comp === null ? "" : ` comp=${comp}`}`;
  if (bucket === undefined) return method === "GET" && comp === "list" ? "List Containers" : unknown;
  if (key !== undefined) return comp === null && restype === null ? (blobOperations[method] ?? unknown) : unknown;
  if (restype !== "container") return unknown;
  return containerOperations[comp === null ? method : `${method} ${comp}`] ?? unknown;
}

function userOf({ headers }: ServedRequest, query: URLSearchParams, { principalOf }: AzureNames): string | undefined {
  const [scheme = "", value = ""] = (headers.authorization ?? "").split(/ +/, 2);
  if (scheme.toLowerCase() === "sharedkey") return value.split(":")[0];
  if (scheme.toLowerCase() === "bearer") return principalOf(value);
  return query.has("sig") ? "sas" : undefined;
}
