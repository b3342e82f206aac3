/**
 * Where in its period a thing is due: whole milliseconds in [0, periodMs), the same for the same id on every machine and in
 * every version, and evenly spread over ids such as uids. FNV-1a over the id's UTF-16 units, with murmur3's finalizer, because
 * FNV alone leaves ids that differ in their last digits close together.
 */
export function phaseOf(id: string, periodMs: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash = (hash ^ (hash >>> 16)) >>> 0;
  return Math.floor((hash / 2 ** 32) * periodMs);
}

/** The first point of the grid phase + n · period that is later than `afterMs`; all in milliseconds since the Unix epoch. */
export function nextOnGrid(phaseMs: number, periodMs: number, afterMs: number): number {
  return phaseMs + (Math.floor((afterMs - phaseMs) / periodMs) + 1) * periodMs;
}
