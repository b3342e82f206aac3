import assert from "node:assert/strict";
import { type ErrorCode, isCodedError, StatusError } from "farwatch";

/** Asserts that the server refuses with this code and text; gives the error. */
export async function refused(
  work: Promise<unknown>,
  code: ErrorCode,
  message?: string | RegExp,
): Promise<StatusError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof StatusError && isCodedError(error, code), `${code} wanted, not ${String(error)}`);
    if (typeof message === "string") assert.equal(error.message, message);
    else if (message !== undefined) assert.match(error.message, message);
    return error;
  }
  assert.fail(`${code} wanted, and it was done`);
}
