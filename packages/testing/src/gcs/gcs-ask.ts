import { decodedPart, type ServedRequest } from "../store/served-request.ts";
import type { StoreAsk } from "../store/store-fault.ts";

/** A request to the JSON API, as its path says it. */
export interface GcsAsk extends StoreAsk {
  readonly query: URLSearchParams;
}

const operations: Readonly<Record<string, string>> = {
  "GET b": "buckets.list",
  "POST b": "buckets.insert",
  "GET bucket": "buckets.get",
  "DELETE bucket": "buckets.delete",
  "GET o": "objects.list",
  "POST upload": "objects.insert",
  "GET object": "objects.get",
  "DELETE object": "objects.delete",
};

const paths: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["b", /^\/storage\/v1\/b$/],
  ["bucket", /^\/storage\/v1\/b\/(?<bucket>[^/]+)$/],
  ["o", /^\/storage\/v1\/b\/(?<bucket>[^/]+)\/o$/],
  ["object", /^(?:\/download)?\/storage\/v1\/b\/(?<bucket>[^/]+)\/o\/(?<key>[^/]+)$/],
  ["upload", /^\/upload\/storage\/v1\/b\/(?<bucket>[^/]+)\/o$/],
];

/** `tokens.exchange` for the OAuth endpoint; METHOD PATH for what the store does not know. */
export function readGcsAsk({ method, path, query }: ServedRequest, user: string | undefined): GcsAsk {
  const parameters = new URLSearchParams(query);
  const base = { bucket: undefined, key: undefined, user, query: parameters };
  if (method === "POST" && path === "/token") return { ...base, operation: "tokens.exchange" };
  for (const [kind, pattern] of paths) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const { bucket, key } = found.groups ?? {};
    return {
      ...base,
      operation: operations[`${method} ${kind}`] ?? `${method} ${path}`,
      bucket: bucket === undefined ? undefined : decodedPart(bucket),
      key:
        key === undefined ? (kind === "upload" ? (parameters.get("name") ?? undefined) : undefined) : decodedPart(key),
    };
  }
  return { ...base, operation: `${method} ${path}` };
}
