import type { Json } from "../transcript.ts";
import type { RandomRequest } from "./random-request.ts";

type Fields = Readonly<Record<string, Json>>;

/** What one server has said in a sequence, for the references of later requests. */
export interface Memory {
  hear(request: RandomRequest, body: Json): void;
  /** The request as it goes to this server. */
  resolve(request: RandomRequest): RandomRequest;
}

export function createMemory(namespace: string): Memory {
  /** By plural and name; `scale/` before it for a Scale. */
  const last = new Map<string, Fields>();
  const first = new Map<string, Fields>();
  const tokens = new Map<string, string>();

  const text = (literal: string): string => {
    const whole = /^@(version|first|uid|continue):(.+)$/.exec(literal);
    if (whole === null) return literal.replaceAll("@namespace", namespace);
    const [, what, key = ""] = whole;
    if (what === "continue") return tokens.get(key) ?? "nonsense";
    const metadata = (what === "first" ? first : last).get(key)?.metadata as Fields | undefined;
    return String((what === "uid" ? metadata?.uid : metadata?.resourceVersion) ?? "1");
  };
  const isUnseenVersion = (value: unknown): boolean => {
    const [, key] = /^@(?:version|first|uid):(.+)$/.exec(String(value)) ?? [];
    return key !== undefined && (!last.has(key) || text(String(value)) === "1");
  };
  const resolved = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(resolved);
    if (value === null || typeof value !== "object") return value;
    const fields = value as Readonly<Record<string, unknown>>;
    if (typeof fields["@last"] === "string") {
      return merged(last.get(fields["@last"]) ?? { metadata: { name: "a" } }, resolved(fields.patch));
    }
    return Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, resolved(item)]));
  };
  return {
    hear({ path }, body) {
      if (body === null || typeof body !== "object" || Array.isArray(body)) return;
      const [, plural = "", name, part] =
        /\/namespaces\/[^/]+\/([^/?]+)(?:\/([^/?]+)(?:\/([^/?]+))?)?$/.exec(path) ?? [];
      const { kind, metadata } = body as Fields;
      const told = metadata as Fields | undefined;
      if (typeof told?.continue === "string" && told.continue !== "") tokens.set(plural, told.continue);
      if (typeof told?.resourceVersion !== "string" || typeof told.uid !== "string") return;
      const key = `${kind === "Scale" && part === "scale" ? "scale/" : ""}${plural}/${name ?? String(told.name)}`;
      last.set(key, body as Fields);
      if (!first.has(key)) first.set(key, body as Fields);
    },
    resolve(request) {
      // A version that nobody has seen would be one of long ago, of which the servers know differently much. So would the 1 that a
      // request makes up itself, and a dry run gives back.
      const { query = {}, ...rest } = request;
      const known = Object.entries(query).filter(([, value]) => !isUnseenVersion(value));
      return resolved({ ...rest, ...(known.length > 0 && { query: Object.fromEntries(known) }) }) as RandomRequest;
    },
  };
}

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const base = target !== null && typeof target === "object" && !Array.isArray(target) ? target : {};
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = merged(result[key], value);
  }
  return result;
}
