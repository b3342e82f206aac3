/** Takes what was put in first out of a map or set, until it holds `most`. */
export function forgetOldest<K>(all: Map<K, unknown> | Set<K>, most: number): void {
  for (const oldest of all.keys()) {
    if (all.size <= most) return;
    all.delete(oldest);
  }
}
