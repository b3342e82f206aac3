import type { ObjectMeta } from "./object.ts";

/**
 * Asks for a run of every controller of the object's kind, whatever else changed. The value is a token of the asker's
 * own, by convention an RFC 3339 time, `/` and eight random characters: only a changed value asks.
 */
export const requestedAtAnnotation = "farwatch.dev/requested-at";

/** The token of the last request that was handled, for kinds whose status does not declare `lastHandledRequest`. */
export const handledAtAnnotation = "farwatch.dev/handled-at";

/** `"true"`: controllers leave the object alone, its deletion included, until it is taken away. */
export const pausedAnnotation = "farwatch.dev/paused";

/** Longer values are no tokens: anybody who may annotate could make a status too large to be written. */
const longestToken = 253;

/** The part of an object that says what was asked of it. */
interface Asked {
  readonly metadata: Pick<Partial<ObjectMeta>, "annotations">;
}

/**
 * The token with which a run was last asked for (`farwatch.dev/requested-at`); undefined without one of 1 to 253
 * characters.
 */
export function requestTokenOf({ metadata }: Asked): string | undefined {
  const token: unknown = metadata.annotations?.[requestedAtAnnotation];
  return typeof token === "string" && token !== "" && token.length <= longestToken ? token : undefined;
}

/**
 * True while a run that was asked for by such a token was not had: neither `status.lastHandledRequest` nor
 * `farwatch.dev/handled-at` has it. So it is seen also by who leads only later.
 */
export function waitsForRun(object: Asked & { readonly status?: unknown }): boolean {
  const token = requestTokenOf(object);
  if (token === undefined || token === object.metadata.annotations?.[handledAtAnnotation]) return false;
  const status = object.status as { readonly lastHandledRequest?: unknown } | null | undefined;
  return token !== status?.lastHandledRequest;
}
