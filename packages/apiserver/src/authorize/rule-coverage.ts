import { goQuotedList } from "../failure/go-quoted.ts";
import { type PolicyRule, urlCovers } from "./rbac-rule.ts";

/**
 * A rule as the rules that it stands for, each with one verb, one group and resource and at most one name, or one URL.
 */
function simpleRules(rule: PolicyRule): readonly PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name): PolicyRule => {
          const simple = { verbs: [verb], apiGroups: [group], resources: [resource] };
          return name === undefined ? simple : { ...simple, resourceNames: [name] };
        }),
      ),
    ),
  );
  const ofUrls = nonResourceURLs.flatMap((url) =>
    verbs.map((verb): PolicyRule => ({ verbs: [verb], nonResourceURLs: [url] })),
  );
  return [...ofResources, ...ofUrls];
}

function coversAll(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return owned.includes("*") || wanted.every((one) => owned.includes(one));
}

function coversResource(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return wanted.every((one) => {
    const slash = one.indexOf("/");
    return owned.includes("*") || owned.includes(one) || (slash !== -1 && owned.includes(`*${one.slice(slash)}`));
  });
}

function ruleCovers(owned: PolicyRule, wanted: PolicyRule): boolean {
  const names = owned.resourceNames ?? [];
  const wantedNames = wanted.resourceNames ?? [];
  const namesCovered =
    wantedNames.length === 0
      ? names.length === 0
      : names.length === 0 || wantedNames.every((one) => names.includes(one));
  const urlsCovered = (wanted.nonResourceURLs ?? []).every((path) =>
    (owned.nonResourceURLs ?? []).some((url) => url === "*" || urlCovers(url, path)),
  );
  return (
    coversAll(owned.verbs, wanted.verbs) &&
    coversAll(owned.apiGroups, wanted.apiGroups) &&
    coversResource(owned.resources, wanted.resources) &&
    urlsCovered &&
    namesCovered
  );
}

/** What of `wanted` no rule of `owned` covers, as simple rules. */
export function uncoveredRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(simpleRules).filter((simple) => !owned.some((rule) => ruleCovers(rule, simple)));
}

/** Puts the verbs of simple rules for the same resource and name together. */
function compacted(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const byResource = new Map<string, PolicyRule>();
  const urls: PolicyRule[] = [];
  for (const rule of rules) {
    if (rule.nonResourceURLs !== undefined) {
      urls.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const before = byResource.get(key);
    byResource.set(key, before === undefined ? rule : { ...before, verbs: [...before.verbs, ...rule.verbs] });
  }
  return [...byResource.values(), ...urls];
}

function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  });
  return `{${parts.flatMap(([name, list]) => (list === undefined ? [] : [`${name}:${goQuotedList(list)}`])).join(", ")}}`;
}

/** Simple rules as the real server lists them in a refusal, one a line. */
export function rulesText(rules: readonly PolicyRule[]): string {
  return [...new Set(compacted(rules).map(ruleText))]
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .join("\n");
}
