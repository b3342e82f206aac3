/** Versions in Kubernetes' order: stable before beta before alpha, higher numbers first, other names last by name. */
export function compareVersions(a: string, b: string): number {
  const [rankA, rankB] = [versionRank(a), versionRank(b)];
  if (rankA === undefined || rankB === undefined) {
    if (rankA === rankB) return a < b ? -1 : 1;
    return rankA === undefined ? 1 : -1;
  }
  return rankB[0] - rankA[0] || rankB[1] - rankA[1] || rankB[2] - rankA[2];
}

function versionRank(version: string): readonly [number, number, number] | undefined {
  const [, major, level, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return undefined;
  const stability = level === undefined ? 2 : level === "beta" ? 1 : 0;
  return [stability, Number(major), Number(minor ?? 0)];
}
