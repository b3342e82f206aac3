import { type ApiError, notFound } from "../../failure/api-error.ts";
import type { DraftObject, StoredObject } from "../../registry/api-object.ts";
import type { Kind, Subresource } from "../../registry/kind.ts";
import { type LabelSelector, selects, selectsAll } from "../../registry/label-selector.ts";
import type { ObjectReader } from "../../registry/object-reader.ts";
import type { Registry, ServedKind } from "../../registry/registry.ts";
import type { AdmissionAttributes } from "../attributes.ts";
import type { MatchRule } from "../built-in/match-rule.ts";

/** Which requests a webhook or a policy wants to see. */
export interface Matching {
  readonly rules: readonly MatchRule[];
  readonly excludedRules?: readonly MatchRule[] | undefined;
  readonly matchPolicy: string | undefined;
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
}

/** A request as one webhook or policy sees it: in the version that it knows. */
export interface AdmissionView {
  readonly served: ServedKind;
  readonly object: DraftObject | undefined;
  readonly old: DraftObject | StoredObject | undefined;
}

export interface RequestMatcher {
  /**
   * The version in which a request matches: its own, or an equivalent one; undefined where it does not. @throws
   * ApiError 404 for a namespace that is gone.
   */
  match(matching: Matching, attributes: AdmissionAttributes): ServedKind | undefined;
}

const namespaces = { group: "", resource: "namespaces" } as const;

/** Requests about a namespace have it as their namespace too. */
export function namespaceOf({ served: { kind }, namespace, name, object }: AdmissionAttributes): string {
  return isNamespace(kind) ? name || (object?.metadata.name ?? "") : (namespace ?? "");
}

/** The kind of the request's body, where it is not the object itself. */
export function bodyOf({
  served,
  subresource,
}: Pick<AdmissionAttributes, "served" | "subresource">): Subresource["body"] {
  return subresource === undefined
    ? undefined
    : served.version.subresources.find(({ name }) => name === subresource)?.body;
}

function isNamespace({ group, kind }: Kind): boolean {
  return group === "" && kind === "Namespace";
}

export function createRequestMatcher({
  reader,
  registry,
}: {
  readonly reader: ObjectReader;
  readonly registry: Registry;
}): RequestMatcher {
  /** Whether the namespace is selected, or how it cannot be told. */
  const inNamespace = (selector: LabelSelector | undefined, attributes: AdmissionAttributes): boolean | ApiError => {
    if (selector === undefined || selectsAll(selector)) return true;
    const namespace = namespaceOf(attributes);
    if (namespace === "") return true;
    const { operation, subresource, served, object } = attributes;
    if (isNamespace(served.kind) && subresource === undefined && operation !== "DELETE" && object !== undefined) {
      return selects(selector, object.metadata.labels);
    }
    const found = reader.find(namespaces, { name: namespace });
    return found === undefined
      ? notFound({ ...namespaces, name: namespace })
      : selects(selector, found.metadata.labels);
  };
  return {
    match(matching, attributes): ServedKind | undefined {
      const namespace = inNamespace(matching.namespaceSelector, attributes);
      if (namespace === false || !isSelected(matching.objectSelector, attributes)) return undefined;
      if (versionOf(matching.excludedRules ?? [], matching.matchPolicy, attributes, registry) !== undefined) {
        return undefined;
      }
      const served = versionOf(matching.rules, matching.matchPolicy, attributes, registry);
      if (served !== undefined && namespace !== true) throw namespace;
      return served;
    },
  };
}

function isSelected(selector: LabelSelector | undefined, { object, old }: AdmissionAttributes): boolean {
  if (selector === undefined || selectsAll(selector)) return true;
  return [object, old].some((one) => one !== undefined && selects(selector, one.metadata.labels));
}

function versionOf(
  rules: readonly MatchRule[],
  matchPolicy: string | undefined,
  attributes: AdmissionAttributes,
  registry: Registry,
): ServedKind | undefined {
  const { served } = attributes;
  if (rules.some((rule) => matchesRule(rule, attributes, served))) return served;
  if (matchPolicy === "Exact" || rules.length === 0) return undefined;
  const others = equivalentsOf(served, registry);
  for (const rule of rules) {
    const found = others.find((other) => matchesRule(rule, attributes, other));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The other versions in which the very objects are served, of other groups too. */
function equivalentsOf({ kind, version }: ServedKind, registry: Registry): readonly ServedKind[] {
  const storedIn = (one: Kind): string => one.storedAs?.group ?? one.group;
  return [...registry.kinds]
    .filter((one) => one.plural === kind.plural && storedIn(one) === storedIn(kind))
    .flatMap((one) => one.versions.filter(({ served }) => served).map((each) => ({ kind: one, version: each })))
    .filter((one) => one.version !== version);
}

function matchesRule(rule: MatchRule, attributes: AdmissionAttributes, { kind, version }: ServedKind): boolean {
  const { operation, subresource = "", name } = attributes;
  const has = (list: readonly string[] | undefined, value: string): boolean =>
    list?.some((one) => one === "*" || one === value) === true;
  const isInNamespace = namespaceOf(attributes) !== "" && !isNamespace(kind);
  if (rule.scope === "Namespaced" && !isInNamespace) return false;
  if (rule.scope === "Cluster" && isInNamespace) return false;
  const names = rule.resourceNames ?? [];
  if (names.length > 0 && !names.includes(name)) return false;
  return (
    has(rule.operations, operation) &&
    has(rule.apiGroups, kind.group) &&
    has(rule.apiVersions, version.version) &&
    (rule.resources ?? []).some((pattern) => {
      const [resource = "", sub = ""] = pattern.split(/\/(.*)/s);
      return (resource === "*" || resource === kind.plural) && (sub === "*" || sub === subresource);
    })
  );
}
