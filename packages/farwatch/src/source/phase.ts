/**
 * Where in its period a thing is due: whole milliseconds in [0, periodMs), the same for the same id on every machine
 * and in every version, and evenly spread over ids such as uids. FNV-1a over the id's UTF-16 units, with murmur3's
 * finalizer, because FNV alone leaves ids that differ in their last digits close together.
 */
export function phaseOf(id: string, periodMs: number): number {
  return Math.floor((hashOf(id) / 2 ** 32) * periodMs);
}

/** The points phaseMs + n · periodMs; in milliseconds since the Unix epoch. */
export interface Grid {
  readonly phaseMs: number;
  readonly periodMs: number;
}

/**
 * The grid of an id whose period is `periodMs` · 2^`doublings`; at 0 doublings its phase is `phaseOf`. Each doubling
 * leaves out every second point, each halving puts one between any two: whatever the doublings were before, a point of
 * the longer period is one of the shorter too. Which points are left out depends on the id, so that many ids stay
 * evenly spread.
 */
export function gridOf(id: string, periodMs: number, doublings: number): Grid {
  const stretchedMs = periodMs * 2 ** doublings;
  const phaseMs = phaseOf(id, periodMs);
  if (doublings <= 0) return { phaseMs: phaseMs % stretchedMs, periodMs: stretchedMs };
  const leftOut = hashOf(`${id} doubled`) % 2 ** doublings;
  return { phaseMs: phaseMs + leftOut * periodMs, periodMs: stretchedMs };
}

/** True when all points of one of the grids are points of the other. */
export function areNested(one: Grid, other: Grid): boolean {
  const [shorter, longer] = one.periodMs <= other.periodMs ? [one, other] : [other, one];
  return longer.periodMs % shorter.periodMs === 0 && (longer.phaseMs - shorter.phaseMs) % shorter.periodMs === 0;
}

/** 32 bits. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * The first point of the grid phase + n · period that is later than `afterMs`; all in milliseconds since the Unix
 * epoch.
 */
export function nextOnGrid(phaseMs: number, periodMs: number, afterMs: number): number {
  return phaseMs + (Math.floor((afterMs - phaseMs) / periodMs) + 1) * periodMs;
}
