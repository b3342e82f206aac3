import type { Predicate } from "./predicate.ts";

/** Passes what any of the predicates passes; nothing when there is none. */
export function anyOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Passes what all of the predicates pass; everything when there is none. */
export function allOf<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Passes what the predicate drops. */
export function not<T>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}
