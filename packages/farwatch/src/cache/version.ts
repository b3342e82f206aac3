const decimal = /^(?:0|[1-9]\d*)$/;

/**
 * Compares two resource versions of one kind and one epoch: below 0, 0, or above 0 as `a` is older than, the same as,
 * or newer than `b`. Undefined when that cannot be told: versions are ordered only where both are decimal (KEP-5504),
 * else only equal or not.
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
