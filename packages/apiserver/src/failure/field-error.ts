import type { Status } from "farwatch";
import { aggregatedText } from "./aggregated-text.ts";
import { goJson } from "./go-json.ts";
import { goNumber } from "./go-number.ts";

/** The kinds of field.Error of k8s.io/apimachinery. */
export type FieldErrorType =
  | "Duplicate"
  | "Forbidden"
  | "Internal"
  | "Invalid"
  | "NotFound"
  | "NotSupported"
  | "Required"
  | "TooLong"
  | "TooMany"
  | "TypeInvalid";

/** One thing that is wrong with one field. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** `spec.ports[0].name`, `metadata.labels`, `spec.rules[key]`; `<nil>` for the whole object of a custom resource. */
  readonly field: string;
  /** The value, printed as Go prints it (undefined as `null`); the key itself is absent where none is printed. */
  readonly value?: unknown;
  readonly detail: string;
}

type Causes = NonNullable<NonNullable<Status["details"]>["causes"]>;

const words: Readonly<Record<FieldErrorType, string>> = {
  Duplicate: "Duplicate value",
  Forbidden: "Forbidden",
  Internal: "Internal error",
  Invalid: "Invalid value",
  NotFound: "Not found",
  NotSupported: "Unsupported value",
  Required: "Required value",
  TooLong: "Too long",
  TooMany: "Too many",
  TypeInvalid: "Invalid value",
};

const reasons: Readonly<Record<FieldErrorType, string>> = {
  Duplicate: "FieldValueDuplicate",
  Forbidden: "FieldValueForbidden",
  Internal: "InternalError",
  Invalid: "FieldValueInvalid",
  NotFound: "FieldValueNotFound",
  NotSupported: "FieldValueNotSupported",
  Required: "FieldValueRequired",
  TooLong: "FieldValueTooLong",
  TooMany: "FieldValueTooMany",
  TypeInvalid: "FieldValueTypeInvalid",
};

const withoutValue: ReadonlySet<FieldErrorType> = new Set(["Forbidden", "Internal", "Required", "TooLong"]);

/** A value as field.Error prints it: strings quoted, numbers as Go does, the rest as JSON. */
function valueText(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "number") return goNumber(value);
  return typeof value === "object" ? goJson(value) : JSON.stringify(value);
}

/** What a cause says: the error without its field. */
function bodyText(error: FieldError): string {
  const { type, value, detail } = error;
  const word = withoutValue.has(type) || !("value" in error) ? words[type] : `${words[type]}: ${valueText(value)}`;
  return detail === "" ? word : `${word}: ${detail}`;
}

/** Adds errors to a list, of which there may be more than a call takes arguments. */
export function addErrors(errors: FieldError[], found: Iterable<FieldError>): void {
  for (const error of found) errors.push(error);
}

/** The errors as one text: one alone, several in brackets. */
export function fieldErrorsText(errors: readonly FieldError[]): string {
  return aggregatedText(errors.map((error) => `${error.field}: ${bodyText(error)}`));
}

export function fieldCauses(errors: readonly FieldError[]): Causes {
  return errors.map((error) => ({ reason: reasons[error.type], message: bodyText(error), field: error.field }));
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { type: "Invalid", field, value, detail };
}

/** An invalid value that is not printed. */
export function invalidField(field: string, detail: string): FieldError {
  return { type: "Invalid", field, detail };
}

export function required(field: string, detail = ""): FieldError {
  return { type: "Required", field, detail };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { type: "Forbidden", field, detail };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { type: "Duplicate", field, value, detail: "" };
}

/** `supported` is printed quoted and in the order given. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const quoted = supported.map((one) => JSON.stringify(one)).join(", ");
  return { type: "NotSupported", field, value, detail: supported.length === 0 ? "" : `supported values: ${quoted}` };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  return { type: "TooLong", field, detail: `may not be more than ${maxBytes} ${maxBytes === 1 ? "byte" : "bytes"}` };
}

/** A list with more items than it may have. */
export function tooMany(field: string, actual: number, max: number): FieldError {
  return { type: "TooMany", field, value: actual, detail: `must have at most ${max} ${max === 1 ? "item" : "items"}` };
}
