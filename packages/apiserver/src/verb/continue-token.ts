import { badRequest } from "../failure/api-error.ts";
import { readJson } from "../failure/read-json.ts";

/** Where a list goes on: the version that it shows, and the last key that it has given. */
export interface ContinuePoint {
  /** -1: whatever is there now. */
  readonly version: number;
  /** Keys after this one follow. */
  readonly after: string;
}

/** The token of the real server's form: base64url of `{"v":"meta.k8s.io/v1","rv":…,"start":"…\u0000"}`. */
export function formatContinue({ version, after }: ContinuePoint): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: version, start: `${after}\u0000` })).toString(
    "base64url",
  );
}

/** @throws ApiError 400 for a token that is none. */
export function parseContinue(token: string): ContinuePoint {
  const refuse = (why: string): never => {
    throw badRequest(`invalid continue token: continue key is not valid: ${why}`);
  };
  const wrong = /[^A-Za-z0-9_-]/.exec(token)?.index;
  if (wrong !== undefined) refuse(`illegal base64 data at input byte ${wrong}`);
  const bytes = Buffer.from(token, "base64url");
  const parsed = readJson(bytes, refuse);
  const { v, rv, start } = (typeof parsed === "object" && parsed !== null ? parsed : {}) as Readonly<
    Record<string, unknown>
  >;
  if (v !== "meta.k8s.io/v1") refuse(`server does not recognize this encoded version ${String(v ?? "")}`);
  if (typeof rv !== "number" || rv === 0)
    return refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "") return refuse("encoded start key empty (version meta.k8s.io/v1)");
  return { version: rv, after: start.endsWith("\u0000") ? start.slice(0, -1) : start };
}
