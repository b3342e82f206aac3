/**
 * The English plural of a lower-case kind by the rule that Kubernetes itself guesses with: policy -> policies,
 * gateway -> gateways, class -> classes, batch -> batches, bucket -> buckets.
 */
export function pluralOf(singular: string): string {
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  return `${singular}s`;
}
