/** metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

/** Whether a selector selects nothing in particular: it has no requirement. */
export function selectsAll(selector: LabelSelector | undefined): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;
}

/** Whether labels are selected; a selector that cannot be read selects none. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  const value = (key: string): string | undefined =>
    labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  for (const [key, wanted] of Object.entries(selector.matchLabels ?? {})) if (value(key) !== wanted) return false;
  return (selector.matchExpressions ?? []).every(({ key = "", operator, values = [] }) => {
    const found = value(key);
    switch (operator) {
      case "In":
        return found !== undefined && values.includes(found);
      case "NotIn":
        return found === undefined || !values.includes(found);
      case "Exists":
        return found !== undefined;
      case "DoesNotExist":
        return found === undefined;
      default:
        return false;
    }
  });
}

/** A selector as the real server writes it: its requirements in the order of their keys; empty where it has none. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = matchExpressions.map(({ key = "", operator, values = [] }) => {
    if (operator === "Exists") return { key, text: key };
    if (operator === "DoesNotExist") return { key, text: `!${key}` };
    return { key, text: `${key} ${operator === "In" ? "in" : "notin"} (${[...values].sort().join(",")})` };
  });
  return [...labels, ...expressions]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(",");
}
