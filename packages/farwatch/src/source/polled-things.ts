import type { DeleteEvent, ObjectEvent } from "../event/source-event.ts";

/**
 * What polls found and told, by key; kept while a source is closed. A deletion is told until it is acknowledged: when
 * it is given back, the thing counts as told again, so that the next poll finds it gone once more. All else is found
 * anew by the next opening.
 */
export interface PolledThings<T> {
  /** Keys of which something was told. */
  keys(): Iterable<string>;
  /**
   * What there is to tell of a key now that a poll found this, or undefined for nothing there; it counts as told from
   * here on. `isFirst`: by the first poll of this opening, which tells all that is there. `known`: what was there by
   * the user's own account, for a key of which nothing was told.
   */
  told(
    key: string,
    found: T | undefined,
    look: { readonly isFirst: boolean; readonly known?: T | undefined },
  ): ObjectEvent<T> | undefined;
  /** Nothing was told of these. */
  forget(keys: Iterable<string>): void;
}

/** `equal`: no update is told between two of these. */
export function createPolledThings<T>(equal: (before: T, now: T) => boolean): PolledThings<T> {
  const things = new Map<string, T>();

  const deletionOf = (key: string, object: T, stateUnknown: boolean): DeleteEvent<T> => {
    const retry = (): void => {
      if (!things.has(key)) things.set(key, object);
    };
    return { type: "delete", object, stateUnknown, ack: { done() {}, retry } };
  };

  return {
    keys: () => things.keys(),
    told(key, found, { isFirst, known }): ObjectEvent<T> | undefined {
      const before = things.get(key) ?? known;
      if (found === undefined) {
        things.delete(key);
        return before === undefined ? undefined : deletionOf(key, before, isFirst);
      }
      if (isFirst || before === undefined) {
        things.set(key, found);
        return { type: "create", object: found, inInitialList: isFirst };
      }
      // Not what was found: small changes that `equal` overlooks would add up to a large one that nobody was told of.
      if (Object.is(before, found) || equal(before, found)) return undefined;
      things.set(key, found);
      return { type: "update", oldObject: before, object: found };
    },
    forget(keys): void {
      for (const key of keys) things.delete(key);
    },
  };
}
