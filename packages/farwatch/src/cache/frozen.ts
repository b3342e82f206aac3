/**
 * The object, deeply frozen. Objects are frozen when they are first handed out, not when they are stored: most states
 * of a busy object are replaced before anybody has read them. The root is frozen last, so that a frozen root means a
 * frozen whole.
 */
export function frozen<O extends object>(object: O): O {
  return Object.isFrozen(object) ? object : freezeAll(object);
}

/** For objects that may come with a frozen root and parts that are not. */
export function freezeAll<O extends object>(object: O): O {
  // Walked with a list of its own: the depth of an object is its author's choice, and must not be the stack's.
  const found: object[] = [object];
  for (let i = 0; i < found.length; i += 1) {
    const parent = found[i] as Record<string, unknown>;
    for (const key of Object.keys(parent)) {
      const child = parent[key];
      if (typeof child === "object" && child !== null) found.push(child);
    }
  }
  for (let i = found.length - 1; i >= 0; i -= 1) Object.freeze(found[i]);
  return object;
}
