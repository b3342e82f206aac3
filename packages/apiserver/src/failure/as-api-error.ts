import { ApiError } from "./api-error.ts";

/** What was thrown, as a refusal: whatever is none is an internal error of this server, with its text. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new ApiError({
    code: 500,
    reason: "InternalError",
    message: `Internal error occurred: ${text}`,
    details: { causes: [{ message: text }] },
  });
}
