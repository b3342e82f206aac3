import { isCodedError } from "farwatch";
import { eventually } from "./eventually.ts";

/** Waits until an admission policy refuses `attempt`: it counts a moment after it was stored. */
export async function policyCounts(attempt: () => Promise<unknown>): Promise<void> {
  await eventually("the policy counts", () =>
    attempt().then(
      () => false,
      (error: unknown) => isCodedError(error, "Invalid"),
    ),
  );
}
