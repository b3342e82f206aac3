import { messageOf } from "farwatch";
import { ApiError, internalError } from "./api-error.ts";

/** What was thrown, as a refusal: whatever is none is an internal error of this server, with its text. */
export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : internalError(messageOf(error));
}
