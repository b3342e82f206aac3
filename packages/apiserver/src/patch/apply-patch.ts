import type { JsonObject } from "farwatch";
import type { ApiError } from "../failure/api-error.ts";
import type { Kind, KindVersion } from "../registry/kind.ts";

export interface PatchRequest {
  readonly kind: Kind;
  readonly version: KindVersion;
  /** Media type without parameters, one of `patchMediaTypes`. */
  readonly mediaType: string;
  /** The stored object in the version of the request: left alone. */
  readonly document: JsonObject;
  /** The parsed body. */
  readonly patch: unknown;
  /** `fieldValidation` of the request. */
  readonly fieldValidation: "Ignore" | "Strict" | "Warn";
}

export interface PatchedDocument {
  /** Undecoded, and no object where a JSON patch replaced the whole. It may share parts with document and patch. */
  readonly value: unknown;
  /** What is wrong with the patch itself, as strict decoding says it; for warnings, or with `Strict` for a refusal. */
  readonly problems: readonly string[];
}

/** The media types of patches that a kind takes, in the order in which a refusal lists them. */
export function patchMediaTypes(kind: Pick<Kind, "custom">): readonly string[] {
  throw new Error(`Cannot list patches, custom ${kind.custom}: not built yet`);
}

/** 415 for a body of another media type. */
export function unsupportedPatch(kind: Pick<Kind, "custom">): ApiError {
  throw new Error(`Cannot refuse a patch, custom ${kind.custom}: not built yet`);
}

/**
 * A JSON, merge or strategic merge patch; apply is `applyConfiguration`.
 *
 * @throws ApiError 400 for what is no patch, 413 for too many operations, 422 for one that does not fit the document.
 */
export function applyPatch(request: PatchRequest): PatchedDocument {
  throw new Error(`Cannot patch a ${request.kind.kind}: not built yet`);
}
