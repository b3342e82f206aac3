import { messageOf } from "../error/coded-error.ts";

/**
 * A thrown value as plain fields: name, code, message, stack, what it carries beside, and its causes in the same form.
 * Never throws.
 */
export function describeError(thrown: unknown): Readonly<Record<string, unknown>> {
  try {
    return describe(thrown, []);
  } catch {
    // Whoever logs a failure must not fail at the error's own getters.
    return { message: messageOf(thrown) };
  }
}

function describe(thrown: unknown, seen: readonly unknown[]): Readonly<Record<string, unknown>> {
  if (!(thrown instanceof Error)) return { message: typeof thrown === "string" ? thrown : "not an error", thrown };
  if (seen.includes(thrown)) return { name: thrown.name, message: thrown.message, cause: "[cyclic]" };
  const below = [...seen, thrown];
  const { name, message, stack, cause, ...rest } = { ...thrown, ...pick(thrown) };
  return {
    name,
    message,
    ...rest,
    ...(thrown instanceof AggregateError && { errors: thrown.errors.map((error) => describe(error, below)) }),
    stack,
    ...(cause !== undefined && { cause: describe(cause, below) }),
  };
}

/** What an error has on its prototype, or hidden. */
function pick({ name, message, stack, cause }: Error): Pick<Error, "name" | "message" | "stack" | "cause"> {
  return { name, message, ...(stack !== undefined && { stack }), cause };
}
