/** metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** A selector as the real server writes it: its requirements in the order of their keys; empty where it has none. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === "Exists") return { key, text: key };
    if (operator === "DoesNotExist") return { key, text: `!${key}` };
    return { key, text: `${key} ${operator === "In" ? "in" : "notin"} (${[...values].sort().join(",")})` };
  });
  return [...labels, ...expressions]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(",");
}
