import type { User } from "./user.ts";

const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";
export const mastersGroup = "system:masters";
const serviceAccountsGroup = "system:serviceaccounts";
export const anonymousName = "system:anonymous";

/** Names a service account. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

const prefix = "system:serviceaccount:";

/** The user name of a service account: `system:serviceaccount:NAMESPACE:NAME`. */
export function serviceAccountUserName({ namespace, name }: ServiceAccountName): string {
  return `${prefix}${namespace}:${name}`;
}

/** The service account of such a user name; undefined for every other user. */
export function parseServiceAccountUserName(userName: string): ServiceAccountName | undefined {
  const [namespace = "", name = "", ...more] = userName.startsWith(prefix)
    ? userName.slice(prefix.length).split(":")
    : [];
  const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
  const subdomain = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;
  return more.length === 0 && label.test(namespace) && subdomain.test(name) ? { namespace, name } : undefined;
}

/** The groups that a service account of this namespace is in. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return [serviceAccountsGroup, `${serviceAccountsGroup}:${namespace}`];
}

/** Puts a user into `system:authenticated`, unless one of its groups says already whether it is. */
export function asAuthenticated(user: User): User {
  const said = user.groups.some((group) => group === authenticatedGroup || group === unauthenticatedGroup);
  return said ? user : { ...user, groups: [...user.groups, authenticatedGroup] };
}

/** Who carries no credentials at all. */
export const anonymousUser: User = { name: anonymousName, groups: [unauthenticatedGroup] };
