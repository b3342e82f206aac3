import type { StoredObject } from "../registry/api-object.ts";
import type { AccessRequest } from "./user.ts";

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The rules of a stored Role or ClusterRole, whose form was checked when it was written. */
export function rulesOf(role: StoredObject): readonly PolicyRule[] {
  return (role.rules ?? []) as readonly PolicyRule[];
}

function has(list: readonly string[] | undefined, ...wanted: readonly string[]): boolean {
  return list !== undefined && wanted.some((one) => list.includes(one));
}

/**
 * Whether a list of resources (`pods`, `pods/log`, `*`, and `*` before `/scale`) names a resource or its subresource.
 */
function namesResource(resources: readonly string[], resource: string, subresource: string): boolean {
  if (subresource === "") return has(resources, "*", resource);
  return has(resources, "*", `${resource}/${subresource}`, `*/${subresource}`);
}

/** Whether a nonResourceURL covers a path: `*` at its end stands for any rest. */
export function urlCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")));
}

/** Whether one rule allows what is asked for. */
export function ruleAllows(rule: PolicyRule, request: AccessRequest): boolean {
  if (!has(rule.verbs, "*", request.verb)) return false;
  const { path, group = "", resource = "", subresource = "", name = "" } = request;
  if (path !== undefined) return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, path));
  const names = rule.resourceNames ?? [];
  return (
    has(rule.apiGroups, "*", group) &&
    namesResource(rule.resources ?? [], resource, subresource) &&
    (names.length === 0 || names.includes(name))
  );
}
