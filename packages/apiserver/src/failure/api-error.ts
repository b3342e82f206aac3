import type { Status } from "farwatch";
import { type FieldError, fieldCauses, fieldErrorsText } from "./field-error.ts";

/** What a refusal is about; `group` and `kind` as the real server gives them: `kind` is mostly the plural. */
export interface Subject {
  readonly group: string;
  /** The plural resource, as in most refusals: `storagebuckets`. */
  readonly resource: string;
  readonly name?: string | undefined;
}

export interface ApiErrorOptions {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: NonNullable<Status["details"]> | undefined;
  /** metadata of the Status: a list that cannot go on offers another continue token there. */
  readonly listMeta?: Readonly<Record<string, string>> | undefined;
  /** What a decoder said, without the sentence around it: a patch whose result cannot be read is refused with it. */
  readonly inner?: string | undefined;
  /** Answered as the bare text: what the real server's path multiplexer says. */
  readonly isText?: boolean | undefined;
  /** Sent beside the Status: `retry-after`, `allow`. Lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * A refusal, thrown anywhere below route/ and answered there as a Status of this code. Its texts are those of the real
 * server, since clients and people match them.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details: NonNullable<Status["details"]> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly isText: boolean;
  readonly inner: string | undefined;
  readonly #listMeta: Readonly<Record<string, string>>;

  constructor(options: ApiErrorOptions) {
    super(options.message);
    this.code = options.code;
    this.reason = options.reason;
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.isText = options.isText ?? false;
    this.inner = options.inner;
    this.#listMeta = options.listMeta ?? {};
  }

  /** metav1.Status as it goes over the wire. */
  toStatus(): Status & { readonly metadata: object } {
    const { code, reason, details, message } = this;
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.#listMeta,
      status: "Failure",
      message,
      ...(reason === "" ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

/** `storagebuckets.example.farwatch.dev`, or `configmaps`. */
function qualifiedResource({ group, resource }: Pick<Subject, "group" | "resource">): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function detailsOf({ group, resource, name }: Subject): NonNullable<Status["details"]> {
  return {
    ...(name === undefined || name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(resource === "" ? {} : { kind: resource }),
  };
}

export function notFound(subject: Subject): ApiError {
  return new ApiError({
    code: 404,
    reason: "NotFound",
    message: `${qualifiedResource(subject)} "${subject.name ?? ""}" not found`,
    details: detailsOf(subject),
  });
}

/** A path that is not served. */
export function unknownPath(): ApiError {
  return new ApiError({
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
    details: {},
  });
}

/** A path that the real server's path multiplexer does not know: it answers in bare text. */
export function noSuchPath(): ApiError {
  return new ApiError({ code: 404, reason: "NotFound", message: "404 page not found", isText: true });
}

/** A store's error that the real server passes on as it is, without a reason. */
export function storageError(message: string): ApiError {
  return new ApiError({ code: 500, reason: "", message });
}

/** `before` stands before the text. */
export function alreadyExists(subject: Subject, before = ""): ApiError {
  return new ApiError({
    code: 409,
    reason: "AlreadyExists",
    message: `${before}${qualifiedResource(subject)} "${subject.name ?? ""}" already exists`,
    details: detailsOf(subject),
  });
}

/** `why` follows "Operation cannot be fulfilled on …: ". */
export function conflict(subject: Subject, why: string, causes?: NonNullable<Status["details"]>["causes"]): ApiError {
  return new ApiError({
    code: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${qualifiedResource(subject)} "${subject.name ?? ""}": ${why}`,
    details: { ...detailsOf(subject), ...(causes === undefined ? {} : { causes }) },
  });
}

export const staleVersion =
  "the object has been modified; please apply your changes to the latest version and try again";

/** `inner`: see `ApiErrorOptions`. */
export function badRequest(message: string, inner?: string): ApiError {
  return new ApiError({ code: 400, reason: "BadRequest", message, inner });
}

/** `why` follows `RESOURCE "NAME" is forbidden: `. */
export function forbidden(subject: Subject, why: string): ApiError {
  const { name = "" } = subject;
  const what =
    subject.resource === ""
      ? "forbidden"
      : `${qualifiedResource(subject)}${name === "" ? "" : ` "${name}"`} is forbidden`;
  return new ApiError({ code: 403, reason: "Forbidden", message: `${what}: ${why}`, details: detailsOf(subject) });
}

export function unauthorized(): ApiError {
  return new ApiError({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
}

/** 422 with a cause a field error; `kind` is the singular Kind here, as on the real server. */
export function invalid(
  subject: { readonly group: string; readonly kind: string; readonly name: string },
  errors: readonly FieldError[],
): ApiError {
  const { group, kind, name } = subject;
  return new ApiError({
    code: 422,
    reason: "Invalid",
    message: `${group === "" ? kind : `${kind}.${group}`} "${name}" is invalid: ${fieldErrorsText(errors)}`,
    details: {
      ...(name === "" ? {} : { name }),
      ...(group === "" ? {} : { group }),
      ...(kind === "" ? {} : { kind }),
      causes: fieldCauses(errors),
    },
  });
}

export function methodNotAllowed(
  message = "the server does not allow this method on the requested resource",
): ApiError {
  return new ApiError({ code: 405, reason: "MethodNotAllowed", message, details: {} });
}

export function unsupportedMediaType(message: string): ApiError {
  return new ApiError({ code: 415, reason: "UnsupportedMediaType", message });
}

/** A version that is older than what is kept. */
export function expired(message: string): ApiError {
  return new ApiError({ code: 410, reason: "Expired", message });
}

/** 500 for what the server could not do, with why. */
export function internalError(why: string): ApiError {
  return new ApiError({
    code: 500,
    reason: "InternalError",
    message: `Internal error occurred: ${why}`,
    details: { causes: [{ message: why }] },
  });
}

/** For what the real server serves and this one does not: never a wrong success. */
export function notImplemented(message: string): ApiError {
  return new ApiError({ code: 501, reason: "NotImplemented", message });
}
