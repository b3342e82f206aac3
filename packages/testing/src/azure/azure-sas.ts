import { type Instant, parseTime } from "farwatch";
import type { ServedRequest } from "../store/served-request.ts";
import type { AzureAsk } from "./azure-ask.ts";
import { authenticationFailed, notAuthorized, permissionMismatch } from "./azure-error.ts";
import { isSignedBy } from "./azure-signature.ts";

/** What an operation needs of a shared access signature. */
interface SasNeed {
  /** Any of these letters of `sp`. */
  readonly permissions: string;
  /** Of `srt`: service, container or object. */
  readonly type: "s" | "c" | "o";
}

const needs: Readonly<Record<string, SasNeed>> = {
  "List Containers": { permissions: "l", type: "s" },
  "Get Container Properties": { permissions: "r", type: "c" },
  "List Blobs": { permissions: "l", type: "c" },
  "Create Container": { permissions: "cw", type: "c" },
  "Delete Container": { permissions: "d", type: "c" },
  "Get Blob": { permissions: "r", type: "o" },
  "Get Blob Properties": { permissions: "r", type: "o" },
  "Put Blob": { permissions: "cw", type: "o" },
  "Delete Blob": { permissions: "d", type: "o" },
};
/** What only the account's own signature lets do, however much a container's may. */
const ofAccountOnly: ReadonlySet<string> = new Set([
  "List Containers",
  "Get Container Properties",
  "Create Container",
  "Delete Container",
]);

export interface SasContext {
  readonly keys: readonly string[];
  readonly now: Instant;
}

/**
 * Checks an account or service SAS of version 2018-11-09 or later ("Create an account SAS", "Create a service SAS").
 * One of a stored access policy or a user delegation key is refused: the store has neither.
 *
 * @throws AzureError
 */
export function checkSas(request: ServedRequest, ask: AzureAsk, { keys, now }: SasContext): void {
  const { query, operation } = ask;
  const isOfAccount = query.has("ss");
  const text = isOfAccount ? accountText(ask) : serviceText(ask);
  if (!isSignedBy(keys, text, query.get("sig") ?? "")) {
    throw authenticationFailed(`Signature did not match. String to sign used was ${text}`);
  }
  checkTime(query, now);
  if (query.get("spr") === "https" && !request.secure) {
    throw notAuthorized(
      "AuthorizationProtocolMismatch",
      "This request is not authorized to perform this operation using this protocol.",
    );
  }
  const need = needs[operation];
  if (need === undefined) throw permissionMismatch();
  if (isOfAccount) {
    if (!query.get("ss")?.includes("b")) {
      throw notAuthorized(
        "AuthorizationServiceMismatch",
        "This request is not authorized to perform this operation using this service.",
      );
    }
    if (!query.get("srt")?.includes(need.type)) {
      throw notAuthorized(
        "AuthorizationResourceTypeMismatch",
        "This request is not authorized to perform this operation using this resource type.",
      );
    }
  } else if (ofAccountOnly.has(operation)) {
    throw notAuthorized("AuthorizationFailure", "This request is not authorized to perform this operation.");
  }
  const granted = query.get("sp") ?? "";
  if (![...need.permissions].some((letter) => granted.includes(letter))) throw permissionMismatch();
}

function accountText({ account, query }: AzureAsk): string {
  const fields = ["sp", "ss", "srt", "st", "se", "sip", "spr", "sv"].map((name) => query.get(name) ?? "");
  const scope = isSince(query, "2020-12-06") ? [query.get("ses") ?? ""] : [];
  return [account, ...fields, ...scope, ""].join("\n");
}

function serviceText({ account, bucket, key, query }: AzureAsk): string {
  const of = (name: string): string => query.get(name) ?? "";
  const resource = of("sr") === "b" && key !== undefined ? `/${key}` : "";
  return [
    of("sp"),
    of("st"),
    of("se"),
    `/blob/${account}/${bucket ?? ""}${resource}`,
    of("si"),
    of("sip"),
    of("spr"),
    of("sv"),
    of("sr"),
    of("snapshot"),
    ...(isSince(query, "2020-12-06") ? [of("ses")] : []),
    ...["rscc", "rscd", "rsce", "rscl", "rsct"].map(of),
  ].join("\n");
}

function isSince(query: URLSearchParams, version: string): boolean {
  return (query.get("sv") ?? "") >= version;
}

function checkTime(query: URLSearchParams, now: Instant): void {
  const [start, expiry] = [query.get("st"), query.get("se")].map(timeOf);
  const [st, se] = [query.get("st") ?? "", query.get("se") ?? ""];
  const isTimely =
    expiry !== undefined &&
    now.getTime() < expiry.getTime() &&
    (st === "" || (start?.getTime() ?? Infinity) <= now.getTime());
  if (isTimely) return;
  throw authenticationFailed(
    `Signature not valid in the specified time frame: Start [${st}] - Expiry [${se}] - Current [${now.toUTCString()}]`,
  );
}

/** The forms that Azure takes: a day, minutes, or seconds and parts of them. */
function timeOf(text: string | null): Instant | undefined {
  if (text === null) return undefined;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return parseTime(`${text}T00:00:00Z`);
  return parseTime(text.replace(/^(.*T\d{2}:\d{2})Z$/, "$1:00Z"));
}
