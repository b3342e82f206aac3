import { badRequest } from "../failure/api-error.ts";
import { accessRefused } from "./access-refused.ts";
import {
  anonymousName,
  asAuthenticated,
  parseServiceAccountUserName,
  serviceAccountGroups,
  unauthenticatedGroup,
} from "./service-account-user.ts";
import type { AccessRequest, Authorizer, User } from "./user.ts";

/** Request headers by their names in lower case; several values of one header in order. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What one of the headers asks to be. */
interface Part {
  /** As the real server's texts name it. */
  readonly kind: "Group" | "ServiceAccount" | "User" | "UserExtra" | "UID";
  readonly value: string;
  readonly extraKey?: string;
}

const prefix = "impersonate-";
const extraPrefix = `${prefix}extra-`;
const reviewGroup = "authentication.k8s.io";

function valuesOf(headers: RequestHeaders, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

/** The key of an extra header: percent-decoded where it can be. */
function extraKeyOf(header: string): string {
  const key = header.slice(extraPrefix.length);
  try {
    return decodeURIComponent(key);
  } catch {
    // Escapes that are none stand for themselves.
    return key;
  }
}

function partsOf(headers: RequestHeaders, userName: string): readonly Part[] {
  const account = parseServiceAccountUserName(userName);
  const extras = Object.keys(headers).filter((name) => name.startsWith(extraPrefix));
  const [uid = ""] = valuesOf(headers, "impersonate-uid");
  return [
    ...(userName === "" ? [] : [{ kind: account === undefined ? "User" : "ServiceAccount", value: userName } as const]),
    ...valuesOf(headers, "impersonate-group").map((value) => ({ kind: "Group", value }) as const),
    ...extras.flatMap((name) =>
      valuesOf(headers, name).map((value) => ({ kind: "UserExtra", value, extraKey: extraKeyOf(name) }) as const),
    ),
    ...(uid === "" ? [] : [{ kind: "UID", value: uid } as const]),
  ];
}

/** A part as Go prints the ObjectReference that the real server makes of it. */
function partText({ kind, value, extraKey = "" }: Part): string {
  const version = kind === "UserExtra" || kind === "UID" ? `${reviewGroup}/v1` : "";
  return `{${kind}  ${value}  ${version}  ${extraKey}}`;
}

function accessTo({ kind, value, extraKey }: Part, user: User): AccessRequest {
  const access = { user, verb: "impersonate", name: value };
  if (kind === "User") return { ...access, group: "", resource: "users" };
  if (kind === "Group") return { ...access, group: "", resource: "groups" };
  if (kind === "UID") return { ...access, group: reviewGroup, resource: "uids" };
  if (kind === "UserExtra") return { ...access, group: reviewGroup, resource: "userextras", subresource: extraKey };
  const { namespace, name } = parseServiceAccountUserName(value) ?? { namespace: "", name: value };
  return { ...access, group: "", resource: "serviceaccounts", namespace, name };
}

/**
 * The user that a request acts as: who sent it, or whom its Impersonate headers name, when the sender may be each part
 * of that.
 *
 * @throws ApiError 400 for headers without a user, 403 for the first part that the authorizer does not allow.
 */
export function impersonated(user: User, headers: RequestHeaders, authorizer: Authorizer): User {
  if (!Object.keys(headers).some((header) => header.startsWith(prefix))) return user;
  const [name = ""] = valuesOf(headers, "impersonate-user");
  const parts = partsOf(headers, name);
  if (parts.length === 0) return user;
  if (name === "") throw badRequest(`requested [${parts.map(partText).join(" ")}] without impersonating a user`);
  for (const part of parts) {
    const access = accessTo(part, user);
    const decision = authorizer.authorize(access);
    if (!decision.allowed) throw accessRefused(access, decision);
  }
  return actingAs(name, parts);
}

function actingAs(name: string, parts: readonly Part[]): User {
  const account = parseServiceAccountUserName(name);
  const asked = parts.flatMap(({ kind, value }) => (kind === "Group" ? [value] : []));
  const groups = asked.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : asked;
  const extra = new Map<string, string[]>();
  for (const { kind, value, extraKey = "" } of parts) {
    if (kind === "UserExtra") extra.set(extraKey, [...(extra.get(extraKey) ?? []), value]);
  }
  const uid = parts.find(({ kind }) => kind === "UID")?.value;
  const user: User = {
    name,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
  if (name !== anonymousName) return asAuthenticated(user);
  return groups.includes(unauthenticatedGroup) ? user : { ...user, groups: [...groups, unauthenticatedGroup] };
}
