import type { KubeObject } from "./object.ts";

/**
 * Asks for a run of every controller of the object's kind, whatever else changed. The value is a token of the asker's own, by convention
 * an RFC 3339 time, `/` and eight random characters: only a changed value asks.
 */
export const requestedAtAnnotation = "farwatch.dev/requested-at";

/** The token of the last request that was handled, for kinds whose status does not declare `lastHandledRequest`. */
export const handledAtAnnotation = "farwatch.dev/handled-at";

/** `"true"`: controllers leave the object alone, its deletion included, until it is taken away. */
export const pausedAnnotation = "farwatch.dev/paused";

/** Longer values are no tokens: anybody who may annotate could make a status too large to be written. */
const longestToken = 253;

/** The token with which a run was last asked for (`farwatch.dev/requested-at`); undefined without one of 1 to 253 characters. */
export function requestTokenOf({ metadata }: Pick<KubeObject, "metadata">): string | undefined {
  const token = metadata.annotations?.[requestedAtAnnotation] ?? "";
  return token === "" || token.length > longestToken ? undefined : token;
}
