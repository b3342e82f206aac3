import { type ApiError, badRequest } from "../failure/api-error.ts";
import { decodeGo } from "./go-decode.ts";
import { GoDecodeError } from "./go-scalar.ts";
import type { ServedSchema } from "./served-schema.ts";

export interface DecodedBody<T> {
  readonly object: T;
  /** Fields that were dropped since the kind does not have them. */
  readonly unknown: readonly string[];
}

/** The kind that a body is read as. */
export interface BodyKind {
  readonly kind: string;
  /** Of the group, without it: `v1`. */
  readonly version: string;
}

/**
 * An object of a built-in kind as Go reads it and writes it again; see `decodeGo`. Defaults are not set.
 *
 * @throws ApiError 400 with the text of Go's decoder when a value does not fit its field.
 */
export function decodeBuiltIn<T = Record<string, unknown>>(
  schema: ServedSchema,
  value: unknown,
  body: BodyKind,
): DecodedBody<T> {
  try {
    const { value: object, unknown } = decodeGo(schema, value);
    return { object: object as T, unknown };
  } catch (error) {
    throw error instanceof GoDecodeError ? unreadable(body, error.message) : error;
  }
}

/** 400: a body that cannot be read as the kind that it says it is. */
export function unreadable({ kind, version }: BodyKind, why: string): ApiError {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`, why);
}

/** How a client wants unknown and duplicate fields to be answered. The server's default is `Warn`. */
export type FieldValidation = "Ignore" | "Strict" | "Warn";

/**
 * Answers what a strict decoder would not have taken.
 *
 * @throws ApiError 400 that names them all, when the client asked for `Strict`.
 */
export function reportFields(
  found: {
    readonly duplicates: readonly string[];
    readonly unknown: readonly string[];
    /** Whole texts, of what a patch itself holds. */
    readonly problems?: readonly string[];
  },
  options: {
    readonly fieldValidation: FieldValidation;
    readonly body: BodyKind;
    readonly warn: (text: string) => void;
  },
): void {
  const texts = [
    ...(found.problems ?? []),
    ...found.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...found.unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
  if (texts.length === 0 || options.fieldValidation === "Ignore") return;
  if (options.fieldValidation === "Strict")
    throw unreadable(options.body, `strict decoding error: ${texts.join(", ")}`);
  for (const text of texts) options.warn(text);
}
